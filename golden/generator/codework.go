package generator

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/golden/generator/routine"
)

// trial is a test of a function.
type trial struct {
	XS      []int
	T, Want int
}

// maxTries bounds how many lists are drawn for the tests of a function.
const maxTries = 1200

// examples is how many lists the parties speak of. They are not among the tests of the task, and no
// party quotes what the function has to do: whoever searches the task for the words of a party
// would find only those of the one that is right.
const examples = 2

// drawFunction draws a function in two variants. The tests of a task are those of its variant; at
// least one tells the variants apart.
func drawFunction(d *dice, l level) (twins, error) {
	f := pick(d, routine.All(d.from(2, 5), d.from(2, 6), d.from(7, 12))...)
	lang := pick(d, routine.Dialects()...)
	v := d.voice()
	words := wordsOf(v, f.Name)
	name := words.name
	programs := f.Programs()
	apart, alike := []trial{}, []trial{}
	want := map[bool]int{true: 1, false: d.from(2, 4)}[l.subtle] + examples
	others := d.from(4, 8)
	if l.long {
		others *= 12
	}
	var outs [][2]int // of apart
	empty := false
	for range maxTries {
		if len(apart) == want && len(alike) == others {
			break
		}
		one, got, err := tried(d, programs)
		if err != nil {
			return twins{}, err
		}
		switch {
		case len(one.XS) == 0 && empty:
		case got[0] != got[1] && len(apart) < want:
			apart, outs = append(apart, one), append(outs, got)
		case got[0] == got[1] && len(alike) < others:
			one.Want = got[0]
			alike, empty = append(alike, one), empty || len(one.XS) == 0
		}
	}
	if len(apart) < want {
		return twins{}, nil // drawn again
	}
	shown := len(apart) - examples
	places := some(d, indexes(shown+len(alike)), shown)
	pair := twins{
		name: f.Name, topic: name, fields: []field{{words.field, `"string"`}}, json: true,
		aside: []string{"the function is called " + name, "it is written in " + lang.Name, fmt.Sprintf("there are %d tests", len(places)+len(alike))},
	}
	for i := range pair.sides {
		var tests, first []trial
		rest := slices.Clone(alike)
		for at := range len(places) + len(alike) {
			if k := slices.Index(places, at); k >= 0 {
				one := apart[k+examples]
				one.Want = outs[k+examples][i]
				tests, first = append(tests, one), append(first, one)
				continue
			}
			tests, rest = append(tests, rest[0]), rest[1:]
		}
		var checks []casefile.Check
		if lang.Name == "JavaScript" {
			var err error
			if checks, err = called(words.field, name, first, alike); err != nil {
				return twins{}, err
			}
		}
		var shown []object
		for _, one := range tests {
			shown = append(shown, object{words.xs: one.XS, words.t: one.T, words.want: one.Want})
		}
		raw, err := json.Marshal(shown)
		if err != nil {
			return twins{}, fmt.Errorf("generator: %w", err)
		}
		says := func(k int) string {
			say := v // both twins say it alike
			return say.say("{$1($2, $3) has to be $4|for $2 and $3, $4 is right|$1($2, $3) is $4|with $2 and $3 it must return $4}", name, list(apart[k].XS), apart[k].T, outs[k][i])
		}
		pair.sides[i] = side{
			instruction: words.instruction(v, lang.Name, f.Does[i]),
			input:       []string{string(raw)}, result: object{words.field: words.renamed(lang.Write(name, programs[i]))},
			claim: says(0), reason: says(1),
			checks: checks,
			steps:  []string{fmt.Sprintf("Run the %d tests. By the task, %s; the other program returns %d.", len(tests), says(0), outs[0][1-i])},
		}
	}
	return pair, nil
}

// wording is how a task about a function calls things.
type wording struct {
	name            string // of the function
	xs, t, out, now string // of its variables
	i               string
	want, field     string // of a test, and of the result
}

// names are what functions can be called.
var names = map[string]string{
	"count_above": "{count_above|above|how_many_above|larger_ones}", "sum_below": "{sum_below|sum_of_small|below|add_small}", "every_other": "{every_other|alternate|skip_sum|sum_alternate}",
	"find": "{find|position|index_of|where}", "longest_run": "{longest_run|climb|longest_climb|run_length}", "largest_step": "{largest_step|biggest_step|max_drop|jump}",
	"price": "{price|parts_price|cost|total_price}", "spend": "{spend|left_over|rest|deduct}", "changes": "{changes|count_changes|switches|differs}", "mean": "{mean|average|whole_mean|avg}",
	"capped": "{capped|capped_sum|sum_capped|limited}", "divisible": "{divisible|count_divisible|multiples|even_parts}", "between": "{between|in_range|count_between|window}",
	"streak": "{streak|run_above|high_run|above_in_a_row}", "pairs": "{pairs|count_pairs|pair_count|two_sum}",
}

func wordsOf(v voice, function string) wording {
	return wording{
		name: v.name(names[function]), xs: v.say("{xs|values|nums|items|data|a|list_}"), t: v.say("{t|limit|n|bound|x|target}"), out: v.say("{out|res|answer|acc|total}"),
		now: v.say("{now|run|current|c}"), i: v.say("{i|i|j|p}"), want: v.say("{want|expected|returns|result}"), field: v.name("{code|source|function|program|solution|source_code}"),
	}
}

var word = regexp.MustCompile(`[a-z_]+`)

// renamed gives the variables of a program their names.
func (w wording) renamed(text string) string {
	return word.ReplaceAllStringFunc(text, func(s string) string {
		switch s {
		case "xs":
			return w.xs
		case "t":
			return w.t
		case "out":
			return w.out
		case "now":
			return w.now
		case "i":
			return w.i
		}
		return s
	})
}

// instruction asks for the function.
func (w wording) instruction(v voice, language, does string) []string {
	other := strings.NewReplacer(
		"numbers of xs", "{numbers|elements|values|entries} of xs", "number of xs", "{number|element|value|entry} of xs", "is greater than", "{is greater than|is larger than|exceeds}",
		"are greater than", "{are greater than|are larger than|exceed}", "an empty list", "{an empty list|an empty xs|no elements}", "the sum of", "{the sum of|the total of}",
		"rounded down", "{rounded down|as a whole number, rounded down}", "how many", "{how many|the count of how many}", "at least", "{at least|no less than}", "at most", "{at most|no more than}",
	)
	does = word.ReplaceAllStringFunc(v.say(other.Replace(does)), func(s string) string {
		return map[string]string{"xs": w.xs, "t": w.t}[s] + map[bool]string{true: s}[s != "xs" && s != "t"]
	})
	return []string{
		v.say("{{Write|Implement|Give us|We need} {the|a} function $1($2, $3) in $4.|In $4, write $1($2, $3).|A function $1($2, $3) in $4 is wanted.} {$2 is a list of|$2 holds|$2: a list of|As $2 it gets|$2 are} {integers|whole numbers|natural numbers} {from 0 on|that are not negative|of 0 or more}{, $3 an integer|, $3 is one number| and $3 a whole number|; $3 is an integer}.", w.name, w.xs, w.t, language),
		v.say("{It returns|It has to return|What it returns is|The function gives} $1.", does),
		v.say("{The input has {tests as JSON|JSON with tests|tests}|Tests are in the input{, as JSON|}|See the {tests|JSON|tests (JSON)} in the input|{Each|Every} test of the input {is JSON|is an object|has to pass}|We {test|check} with the input}: {for $1 and $2|with $1 and $2|given $1 and $2|called with $1 and $2} {the function|yours|your code|it} {has to return|must return|returns|has to give|gives|ends with} $3. "+
			"{Return the source as $4|Put the source code into $4|$4 is the source|Hand in the source as $4}.", w.xs, w.t, w.want, w.field),
	}
}

// tried draws a list and a number, and what both programs make of them.
func tried(d *dice, programs [2]routine.Tree) (one trial, got [2]int, err error) {
	one.XS = make([]int, d.from(0, 9))
	top := pick(d, 4, 12, 40)
	one.T = d.below(top + 3)
	for i := range one.XS {
		one.XS[i] = d.below(top + 1)
		if d.chance(15) {
			one.XS[i] = one.T
		}
	}
	for i, p := range programs {
		if got[i], err = p.Run(one.XS, one.T); err != nil {
			return one, got, err
		}
	}
	return one, got, nil
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// list writes a list as all three languages can read it in a sentence.
func list(xs []int) string {
	raw, err := json.Marshal(xs)
	if err != nil {
		panic(err) // integers
	}
	return string(raw)
}
