package routine

import "fmt"

// Routine is what a task asks for, in two ways.
type Routine struct {
	Name string
	Does [2]string // what it returns
	make func(second bool) []step
}

// Programs returns both ways.
func (r Routine) Programs() [2]Tree { return [2]Tree{{r.make(false)}, {r.make(true)}} }

// op is one of two operators.
func op(second bool, a, b string) string {
	if second {
		return b
	}
	return a
}

func one(second bool, a, b int) expr {
	if second {
		return num(b)
	}
	return num(a)
}

// All returns what tasks ask for. Each pair differs in one operator or number; k, low and high are
// numbers that some of them are about.
func All(k, low, high int) []Routine {
	x, acc, t := at(ref("i")), ref("out"), ref("t")
	before, after := at(do(ref("i"), "-", num(1))), at(do(ref("i"), "+", num(1)))
	add := func(v expr) step { return set("out", do(acc, "+", v)) }
	loop := func(from int, start expr, body ...step) []step {
		return []step{let("out", start), each("i", num(from), length(), body...), give(acc)}
	}
	return []Routine{
		{"count_above", [2]string{"how many numbers of xs are greater than t", "how many numbers of xs are at least t"}, func(s bool) []step {
			return loop(0, num(0), when(do(x, op(s, ">", ">="), t), add(num(1))))
		}},
		{"sum_below", [2]string{"the sum of the numbers of xs that are less than t", "the sum of the numbers of xs that are at most t"}, func(s bool) []step {
			return loop(0, num(0), when(do(x, op(s, "<", "<="), t), add(x)))
		}},
		{"every_other", [2]string{"the sum of xs[0], xs[2], xs[4] and so on", "the sum of xs[1], xs[3], xs[5] and so on"}, func(s bool) []step {
			return loop(0, num(0), when(do(do(ref("i"), "%", num(2)), "==", one(s, 0, 1)), add(x)))
		}},
		{"find", [2]string{"the index of the first number of xs that equals t, and the length of xs if there is none", "the index of the last number of xs that equals t, and the length of xs if there is none"}, func(s bool) []step {
			if s {
				return loop(0, length(), when(do(x, "==", t), set("out", ref("i"))))
			}
			return loop(0, length(), when(do(do(x, "==", t), "and", do(acc, "==", length())), set("out", ref("i"))))
		}},
		{"longest_run", [2]string{"the length of the longest run of neighbours of xs in which each is greater than the one before; 0 for an empty list", "the length of the longest run of neighbours of xs in which none is less than the one before; 0 for an empty list"}, func(s bool) []step {
			return []step{
				when(do(length(), "==", num(0)), give(num(0))), let("out", num(1)), let("now", num(1)),
				each("i", num(1), length(),
					when(do(x, op(s, ">", ">="), before), set("now", do(ref("now"), "+", num(1)))).otherwise(set("now", num(1))),
					when(do(ref("now"), ">", acc), set("out", ref("now")))),
				give(acc),
			}
		}},
		{"largest_step", [2]string{"by how much a number of xs exceeds the one right before it at most, and 0 if none does", "by how much a number of xs exceeds the one right after it at most, and 0 if none does"}, func(s bool) []step {
			if s {
				return []step{let("out", num(0)), each("i", num(0), do(length(), "-", num(1)), when(do(do(x, "-", after), ">", acc), set("out", do(x, "-", after)))), give(acc)}
			}
			return loop(1, num(0), when(do(do(x, "-", before), ">", acc), set("out", do(x, "-", before))))
		}},
		{"price", [2]string{
			fmt.Sprintf("the price of all parts, of which xs has the weights: %d for each, and %d for each that weighs more than t", low, high),
			fmt.Sprintf("the price of all parts, of which xs has the weights: %d for each, and %d for each that weighs t or more", low, high),
		}, func(s bool) []step {
			return loop(0, num(0), when(do(x, op(s, ">", ">="), t), add(num(high))).otherwise(add(num(low))))
		}},
		{"spend", [2]string{"what is left of t after the numbers of xs are taken from it in order; a number that is greater than what is left is skipped", "what is left of t after the numbers of xs are taken from it in order; at the first number that is greater than what is left it stops"}, func(s bool) []step {
			rest := when(do(x, "<=", acc), set("out", do(acc, "-", x)))
			if s {
				rest = rest.otherwise(give(acc))
			}
			return []step{let("out", t), each("i", num(0), length(), rest), give(acc)}
		}},
		{"changes", [2]string{"how often a number of xs differs from the one before it", "how often a number of xs differs from the one before it, where the last one stands before the first; 0 for an empty list"}, func(s bool) []step {
			body := loop(1, num(0), when(do(x, "!=", before), add(num(1))))
			if !s {
				return body
			}
			ends := when(do(do(length(), ">", num(0)), "and", do(at(num(0)), "!=", at(do(length(), "-", num(1))))), set("out", num(1)))
			return []step{body[0], ends, body[1], body[2]}
		}},
		{"mean", [2]string{"the mean of xs, rounded down; 0 for an empty list", "the mean of xs, rounded up; 0 for an empty list"}, func(s bool) []step {
			sum := each("i", num(0), length(), add(x))
			result := do(acc, "/", length())
			if s {
				result = do(do(do(acc, "+", length()), "-", num(1)), "/", length())
			}
			return []step{when(do(length(), "==", num(0)), give(num(0))), let("out", num(0)), sum, give(result)}
		}},
		{"capped", [2]string{"the sum of xs, in which each number above t counts as t", "the sum of xs, in which each number above t counts as 0"}, func(s bool) []step {
			body := when(do(x, "<=", t), add(x))
			if !s {
				body = body.otherwise(add(t))
			}
			return loop(0, num(0), body)
		}},
		{"divisible", [2]string{fmt.Sprintf("how many numbers of xs are divisible by %d", k), fmt.Sprintf("how many numbers of xs are divisible by %d", k+1)}, func(s bool) []step {
			return loop(0, num(0), when(do(do(x, "%", one(s, k, k+1)), "==", num(0)), add(num(1))))
		}},
		{"between", [2]string{fmt.Sprintf("how many numbers of xs are more than t and less than t + %d", high), fmt.Sprintf("how many numbers of xs are more than t and at most t + %d", high)}, func(s bool) []step {
			return loop(0, num(0), when(do(do(x, ">", t), "and", do(x, op(s, "<", "<="), do(t, "+", num(high)))), add(num(1))))
		}},
		{"streak", [2]string{"the greatest number of neighbours of xs that are all greater than t", "the number of neighbours at the end of xs that are all greater than t"}, func(s bool) []step {
			count := when(do(x, ">", t), set("now", do(ref("now"), "+", num(1)))).otherwise(set("now", num(0)))
			body := []step{count, when(do(ref("now"), ">", acc), set("out", ref("now")))}
			if s {
				body = []step{count, set("out", ref("now"))}
			}
			return []step{let("out", num(0)), let("now", num(0)), each("i", num(0), length(), body...), give(acc)}
		}},
		{"pairs", [2]string{"how many pairs of different places in xs hold numbers whose sum is t", "how many pairs of different places in xs hold numbers whose sum is less than t"}, func(s bool) []step {
			inner := each("k", do(ref("i"), "+", num(1)), length(), when(do(do(x, "+", at(ref("k"))), op(s, "==", "<"), t), add(num(1))))
			return loop(0, num(0), inner)
		}},
	}
}
