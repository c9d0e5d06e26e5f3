package meaning

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// numbers are those of a text in one spelling each: 1,200 and "twelve hundred" are 1200, March is
// month 3, and 2020-03-05 is 2020, month 3 and 5.
func numbers(words []string) (out []string) {
	for i := 0; i < len(words); {
		n, width := numberAt(words, i)
		if width == 0 {
			i++
			continue
		}
		out = append(out, n)
		i += width
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// numberAt reads the number that begins at a word. Its width is how many words it has, 0 for none.
func numberAt(words []string, i int) (n string, width int) {
	w := words[i]
	low := strings.ToLower(w)
	if low == "minus" && i+1 < len(words) {
		if n, width = numberAt(words, i+1); width > 0 && n[0] != '-' && n[0] != 'm' {
			return "-" + n, width + 1
		}
		return "", 0
	}
	if low == "half" {
		return "0.5", 1
	}
	if n, width = spelled(words[i:]); width > 0 {
		return n, width
	}
	minus := strings.HasPrefix(low, "-") && len(low) > 1
	low = strings.TrimPrefix(low, "-")
	switch m := months[low]; {
	case m > 0 && (low != "may" || w != low):
		return "month " + strconv.Itoa(m), 1
	case low == "" || !unicode.IsDigit([]rune(low)[0]):
		return "", 0
	case i > 0 && len(words[i-1]) == 4 && len(w) == 2 && i+1 < len(words) && len(words[i+1]) == 2 && isDate(words[i-1:i+2]):
		return "month " + strings.TrimLeft(w, "0"), 1
	}
	n, width = number(low), 1
	for i+width < len(words) && scales[strings.ToLower(words[i+width])] > 0 {
		n = scaled(n, scales[strings.ToLower(words[i+width])])
		width++
	}
	if minus && n != "0" {
		n = "-" + n
	}
	return n, width
}

// spelled reads a number in words.
func spelled(words []string) (n string, width int) {
	sum, part := 0, 0
	for i, w := range words {
		low := strings.ToLower(w)
		n, ok := numerals[low]
		if !ok && low == "and" && width > 0 && part%100 == 0 {
			continue
		}
		if last := part % 100; !ok || n < 100 && last != 0 && (last < 20 || last%10 != 0 || n > 9) {
			break // "five six" is two numbers, "fifty six" is one
		}
		width = i + 1
		switch {
		case n >= 1000:
			sum, part = (sum+max(part, 1))*n%1_000_000_007, 0
		case n == 100:
			part = max(part, 1) * 100
		default:
			part += n
		}
	}
	return strconv.Itoa(sum + part), width
}

// scales are words that make a number behind which they stand larger, by how many digits.
var scales = map[string]int{"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}

// maxDigits bounds what a scale makes of a number.
const maxDigits = 40

// scaled moves the point of a number.
func scaled(n string, digits int) string {
	if len(n) > maxDigits || strings.Trim(n, "0123456789.") != "" {
		return n + "e" + strconv.Itoa(digits)
	}
	whole, part, _ := strings.Cut(n, ".")
	part += strings.Repeat("0", max(digits-len(part), 0))
	whole = strings.TrimLeft(whole+part[:digits], "0")
	if part = strings.TrimRight(part[digits:], "0"); part != "" {
		part = "." + part
	}
	return cmp.Or(whole, "0") + part
}

// isDate reports whether three words are a year, a month and a day.
func isDate(words []string) bool {
	for _, w := range words {
		if _, err := strconv.Atoi(w); err != nil {
			return false
		}
	}
	return words[1] <= "12"
}

// number is one with separators and an ending: 1,200.50 is 1200.5, and 5th is 5. A comma is one of
// thousands only before three digits, and otherwise a point: 1,5 is 1.5. Who knows whether 1.200 is
// 1200? So it stays as it is.
func number(w string) string {
	end := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != ',' })
	unit := ""
	if end >= 0 {
		w, unit = w[:end], w[end:]
	}
	if slices.Contains([]string{"st", "nd", "rd", "th"}, unit) {
		unit = ""
	}
	groups := strings.Split(w, ",")
	thousands := true
	for i, g := range groups[1:] {
		g, _, point := strings.Cut(g, ".")
		thousands = thousands && len(g) == 3 && (!point || i == len(groups)-2)
	}
	if thousands {
		w = strings.Join(groups, "")
	} else if len(groups) == 2 && !strings.Contains(w, ".") {
		w = strings.Join(groups, ".")
	}
	w = strings.TrimLeft(strings.TrimRight(w, "."), "0")
	if _, part, ok := strings.Cut(w, "."); ok && len(part) != 3 && !strings.ContainsAny(part, ".,") {
		w = strings.TrimRight(strings.TrimRight(w, "0"), ".")
	}
	if w == "" || w[0] == '.' {
		w = "0" + w
	}
	return w + unit
}

// quantity is what a text counts, and the numbers of it, as in "12 months".
type quantity struct{ what, numbers string }

// counts finds the numbers with a sign or a word that says of what they are, by these, and pairs of
// numbers such as "3 to 2". Names are left out: in "In 2003 Acme fell" nothing is counted.
func counts(tokens []string) (of []quantity, pairs []pair) {
	all := map[string][]string{}
	for i := 0; i < len(tokens); {
		n, width := numberAt(tokens, i)
		if width == 0 {
			i++
			continue
		}
		next := ""
		if i+width < len(tokens) {
			next = tokens[i+width]
		}
		what := strings.ToLower(next)
		if by := joins[what]; by != "" && i+width+1 < len(tokens) && len(pairs) <= maxPairs {
			if m, w := numberAt(tokens, i+width+1); w > 0 {
				pairs = append(pairs, pair{n, m, by})
			}
		}
		switch unit := units[what]; {
		case i > 0 && strings.Contains(measures, tokens[i-1]):
			what = tokens[i-1]
		case unit != "":
			what = unit
		case next == "" || unicode.IsUpper([]rune(next)[0]) || isSign(next) && !strings.Contains(measures, next) || stopwords[what] || strings.HasPrefix(n, "month"):
			what = ""
		default:
			if _, w := numberAt(tokens, i+width); w > 0 {
				what = ""
			}
		}
		if what != "" && len(all) < maxNumbers && !slices.Contains(all[what], n) {
			all[what] = append(all[what], n)
		}
		i += width
	}
	merged := map[string][]string{}
	for what, some := range all {
		merged[stem(what)] = append(merged[stem(what)], some...)
	}
	for what, some := range merged {
		slices.Sort(some)
		of = append(of, quantity{what, strings.Join(slices.Compact(some), " ")})
	}
	slices.SortFunc(of, func(a, b quantity) int { return cmp.Compare(a.what, b.what) })
	return of, pairs
}

// miscounted reports whether two texts have other numbers of one thing, or the numbers of a pair
// the other way round.
func miscounted(a, b *text) bool {
	for i, j := 0, 0; i < len(a.counts) && j < len(b.counts); {
		switch x, y := a.counts[i], b.counts[j]; {
		case x.what < y.what:
			i++
		case x.what > y.what:
			j++
		case x.numbers != y.numbers:
			return true
		default:
			i, j = i+1, j+1
		}
	}
	for _, p := range a.pairs {
		if slices.ContainsFunc(b.pairs, p.rival) && !slices.Contains(b.pairs, p) {
			return true
		}
	}
	return false
}

// pair is two numbers and what stands between them, as in "3 to 2".
type pair struct{ first, second, by string }

// joins are what may stand between numbers. A range and a score are written with "to" or a dash.
var joins = map[string]string{"to": "-", "-": "-", ":": ":", "/": "/", "*": "*", "^": "^", "+": "+", "×": "*", "÷": "/", "=": "=", "<": "<", ">": ">", "≤": "≤", "≥": "≥", "≠": "≠"}

// rival reports whether another pair has the same numbers the other way round, or something else
// between them.
func (p pair) rival(o pair) bool {
	return o != p && (o.first == p.first && o.second == p.second || o.first == p.second && o.second == p.first)
}

// singled returns of what a text says "only": the next word that is none of the small ones, or the
// one before if there is none.
func singled(tokens []string) (out []string) {
	content := func(w string) bool {
		return !isSign(w) && !stopwords[strings.ToLower(w)] && !exclusive[strings.ToLower(w)]
	}
	for i, w := range tokens {
		if !exclusive[strings.ToLower(w)] || len(out) > maxPairs {
			continue
		}
		of := ""
		if k := slices.IndexFunc(tokens[i:], content); k >= 0 {
			of = tokens[i+k]
		} else {
			for _, w := range slices.Backward(tokens[:i]) {
				if content(w) {
					of = w
					break
				}
			}
		}
		out = append(out, stem(strings.ToLower(of)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
