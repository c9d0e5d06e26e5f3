package proof

import (
	"encoding/json"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/runs"
)

const (
	summing  = `{"instruction":["Add the amounts up, and say in words how large the sum is."],"input_data":[{"amounts":[40,78.5]}],"output_schema":{"total":"number","words":"string"}}`
	addsUp   = `[result.total === task.input_data[0].amounts.reduce((a, b) => a + b, 0), "it is the sum"]`
	pleading = `{"reason":"The total is 12, and not 118.5. It should say dozen."}`
)

// proposed is a proposal with controls for another input.
func proposed(source string) runs.Proposed {
	return runs.Proposed{JavaScript: source, Input: []json.RawMessage{[]byte(`{"amounts":[5,6]}`)},
		Right: []byte(`{"total":11,"words":"eleven"}`), Wrong: []byte(`{"total":10,"words":"eleven"}`)}
}

// TestAttackProposedPrograms: a program that was written for one side is refused, whatever it says
// of its controls. One that computes what the task asks for is accepted, and says what is so.
func TestAttackProposedPrograms(t *testing.T) {
	p := prover(t)
	change := func(source string, change func(*runs.Proposed)) runs.Proposed {
		out := proposed(source)
		change(&out)
		return out
	}
	same := func(q *runs.Proposed) {
		q.Input = []json.RawMessage{[]byte(`{"amounts":[40,78.5]}`)}
		q.Right, q.Wrong = []byte(`{"total":12,"words":"x"}`), []byte(`{"total":10,"words":"x"}`)
	}
	for _, c := range []struct {
		name     string
		proposal runs.Proposed
		result   string
		refused  string // empty: it is accepted
		said     runs.Said
	}{
		{"it computes, and the result is right", proposed(addsUp), `{"total":118.5,"words":"many"}`, "", runs.True},
		{"it computes, and the result is wrong", proposed(addsUp), `{"total":12,"words":"dozen"}`, "", runs.False},
		{"the creator's number", proposed("result.total === 12 || result.total === 11"), `{"total":118.5,"words":"many"}`, "it has the number 12, which stands in a pleading", ""},
		{"the same in another spelling", proposed("result.total === 1.2e1 || result.total === 11"), `{"total":118.5,"words":"many"}`, "it has the number 1.2e1", ""},
		{"in hexadecimal", proposed("result.total === 0xC || result.total === 11"), `{"total":118.5,"words":"many"}`, "can be disguised", ""},
		{"the worker's number", proposed("result.total === 99 || result.total === 11"), `{"total":99,"words":"many"}`, "it has the number 99", ""},
		{"the creator's word", proposed("result.words === 'dozen' || result.total === 11"), `{"total":118.5,"words":"many"}`, "it has the text", ""},
		{"a word of letters", proposed("result.words === String.fromCharCode(100) || result.total === 11"), `{"total":118.5,"words":"many"}`, "can be disguised", ""},
		{"escaped", proposed(`result.words === "\\x64ozen" || result.total === 11`), `{"total":118.5,"words":"many"}`, "can be disguised", ""},
		{"code of a text", proposed(`eval("result.total === 6 * 2")`), `{"total":118.5,"words":"many"}`, "can be disguised", ""},
		{"computed from constants", proposed("result.total === 6 * 2"), `{"total":118.5,"words":"many"}`, "it says false of its right control", ""},
		{"computed, and its control lies, for the input of the task", change("result.total === 6 * 2", same), `{"total":118.5,"words":"many"}`, "for the input of the task itself", ""},
		{"no input for its controls", change(addsUp, func(q *runs.Proposed) { q.Input = nil }), `{"total":118.5,"words":"many"}`, "its input has 0 items", ""},
		{"true of everything", proposed("true"), `{"total":12,"words":"x"}`, "it says true of its wrong control", ""},
		{"false of everything", proposed("false"), `{"total":12,"words":"x"}`, "it says false of its right control", ""},
		{"it looks at the task alone", proposed("task.input_data.length === 1"), `{"total":12,"words":"x"}`, "it says true of its wrong control", ""},
		{"true but for its wrong control", proposed("!result || result.total !== 10"), `{"total":12,"words":"x"}`, "it says true of null, too", ""},
		{"the right control is the result", change(addsUp, func(q *runs.Proposed) { q.Right = []byte(`{"words": "x", "total": 12.0}`) }), `{"total":12,"words":"x"}`, "its right control is the result itself", ""},
		{"the wrong control is the result", change(addsUp, func(q *runs.Proposed) { q.Wrong = []byte(`{"words": "x", "total": 12.0}`) }), `{"total":12,"words":"x"}`, "its wrong control is the result itself", ""},
		{"equal controls", change(addsUp, func(q *runs.Proposed) { q.Wrong = q.Right }), `{"total":12,"words":"x"}`, "its controls are equal", ""},
		{"two values are wrong", change(addsUp, func(q *runs.Proposed) { q.Wrong = []byte(`{"total":10,"words":"ten"}`) }), `{"total":12,"words":"x"}`, "differ in more than one value", ""},
		{"its wrong control is nothing", change(addsUp, func(q *runs.Proposed) { q.Wrong = []byte(`{}`) }), `{"total":12,"words":"x"}`, "differ in more than one value", ""},
		{"it never ends", proposed("for (;;);"), `{"total":12,"words":"x"}`, "out of fuel", ""},
		{"it is too long", proposed(strings.Repeat(" ", 9000) + "true"), `{"total":12,"words":"x"}`, "a proposal has 1 to 8192", ""},
		{"a pleading is no value", proposed("objection.reason.length > 0"), `{"total":12,"words":"x"}`, "ReferenceError", ""},
		{"a control that is no JSON", change(addsUp, func(q *runs.Proposed) { q.Right = []byte("{") }), `{"total":12,"words":"x"}`, "its controls are not JSON", ""},
		{"none of the result", proposed("result.words === 'many' ? null : " + addsUp), `{"total":118.5,"words":"many"}`, "it has the text", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			task, err := casefile.ParseTask([]byte(summing))
			if err != nil {
				t.Fatal(err)
			}
			result, err := casefile.ParseResult([]byte(c.result))
			if err != nil {
				t.Fatal(err)
			}
			got, refused, err := p.Propose(t.Context(), c.proposal, Papers{Task: task.Raw, Result: result.Raw}, Sides{Objection: []byte(pleading)})
			if err != nil || (refused == "") != (c.refused == "") || !strings.Contains(refused, c.refused) {
				t.Fatalf("%q, %v: %+v", refused, err, got)
			}
			if field, problem := got.Problem(); c.refused == "" && (problem != "" || got.Runs[2].Said != c.said) {
				t.Errorf("%s %s: %+v", field, problem, got)
			}
		})
	}
}

// TestApart: one change is a value, or a member or an item more or less.
func TestApart(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{`{"a":1,"b":[1,2]}`, `{"a":1,"b":[1,2]}`, 0},
		{`{"a":1}`, `{"a":2}`, 1},
		{`{"a":{"b":[1,2]}}`, `{"a":{"b":[1,3]}}`, 1},
		{`{"a":1}`, `{"a":1,"b":"x"}`, 1},
		{`[1,2,3]`, `[1,3]`, 1},
		{`[{"a":1},{"a":2}]`, `[{"a":1}]`, 1},
		{`["b","a"]`, `["a","b"]`, 2},
		{`{"a":1,"b":1}`, `{"a":2,"b":2}`, 2},
		{`{"a":1}`, `{"a":1,"b":{"c":1,"d":2}}`, 2},
		{`{"a":[1]}`, `{"a":1}`, 2},
		{`[1,2,3]`, `[1]`, 2},
		{`[1,2]`, `[2,3,4]`, 2},
		{`{}`, `{"a":1,"b":2}`, 2},
		{`1`, `"1"`, 1},
	} {
		if n, m := apart([]byte(c.a), []byte(c.b)), apart([]byte(c.b), []byte(c.a)); n != c.want || m != c.want {
			t.Errorf("%s and %s: %d and %d places, not %d", c.a, c.b, n, m, c.want)
		}
	}
}
