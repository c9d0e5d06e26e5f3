package generator

import (
	"encoding/json"
	"fmt"
	"slices"
)

// trial is a test of a function.
type trial struct {
	XS   []int `json:"xs"`
	T    int   `json:"t"`
	Want int   `json:"want"`
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
	f := pick(d, functions(d)...)
	lang := pick(d, dialects...)
	name := f.name
	programs := [2][]step{f.make(false), f.make(true)}
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
		name: name, topic: name, schema: `{"code":"string","note":"string"}`,
		aside: []string{"the function is called " + name, "it is written in " + lang.name, fmt.Sprintf("there are %d tests", len(places)+len(alike))},
	}
	for i := range pair.sides {
		var tests []trial
		rest := slices.Clone(alike)
		for at := range len(places) + len(alike) {
			if k := slices.Index(places, at); k >= 0 {
				one := apart[k+examples]
				one.Want = outs[k+examples][i]
				tests = append(tests, one)
				continue
			}
			tests, rest = append(tests, rest[0]), rest[1:]
		}
		raw, err := json.Marshal(tests)
		if err != nil {
			return twins{}, fmt.Errorf("generator: %w", err)
		}
		says := func(k int) string {
			return fmt.Sprintf("%s(%s, %d) has to be %d", name, list(apart[k].XS), apart[k].T, outs[k][i])
		}
		pair.sides[i] = side{
			instruction: []string{
				fmt.Sprintf("Write the function %s(xs, t) in %s. xs is a list of integers from 0 on, t an integer.", name, lang.name),
				"It returns " + f.does[i] + ".", "The input has tests as JSON: for xs and t the function has to return want. Return the source as code.",
			},
			input: []string{string(raw)}, result: object{"code": lang.write(name, programs[i])},
			claim: says(0), reason: says(1),
			steps: []string{fmt.Sprintf("Run the %d tests. By the task, %s; the other program returns %d.", len(tests), says(0), outs[0][1-i])},
		}
	}
	return pair, nil
}

// tried draws a list and a number, and what both programs make of them.
func tried(d *dice, programs [2][]step) (one trial, got [2]int, err error) {
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
		if got[i], err = run(p, one.XS, one.T); err != nil {
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
