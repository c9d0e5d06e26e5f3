package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"ojud/agent/judge/check"
	"ojud/agent/judge/prose"
	"ojud/casefile"
	pleaded "ojud/casefile/ground"
	"ojud/casefile/runs"
	"ojud/schema/pointer"
)

// typed compares the typed grounds of the objection with the result, and makes the checks of the
// task on what the grounds say (trial). A ground never rejects: if the task demands what it says, a
// specification failed already. What the ground says of the result ("found") decides nothing, but
// the finding says if it is a lie.
func (c *Code) typed(ctx context.Context, o Paper[casefile.Objection], f *facts) (out []casefile.Finding) {
	if !o.Readable() {
		return nil
	}
	for i, g := range o.Value.Grounds {
		name, at := fmt.Sprintf("%sgrounds[%d]", ground, i), runs.GroundAt("objection", i)
		met, found, run := c.looks(ctx, "objection", i, g, f)
		refuted, why := f.trial.refutes(ctx, g, met)
		detail := fmt.Sprintf("%s at %s: %s%s", g.Kind, prose.Quote(g.Pointer), found, why)
		if lie := lies(g, f.Doc); lie != "" {
			detail += "; " + lie
		}
		outcome := casefile.Unknown
		if refuted {
			outcome = casefile.Pass
		}
		out = append(out, withRun(finding(name, outcome, detail, at, "result:"+g.Pointer), run))
	}
	return out
}

// looks is meets, and runs the program in the result for a counterexample.
func (c *Code) looks(ctx context.Context, pleading string, i int, g pleaded.Ground, f *facts) (met bool, found string, run *runs.Run) {
	if g.Kind != pleaded.Returns {
		met, found = meets(g, f.Doc)
		return met, found, nil
	}
	ran, err := c.prover.Counterexample(ctx, f.task, pleading, i, g, f.papers.Result)
	if err != nil {
		return false, "the call was not made: " + err.Error(), nil
	}
	return ran.Said == runs.True, ran.Why, &ran
}

// answered compares what the worker says of its result with the result. It decides nothing.
func (c *Code) answered(ctx context.Context, o Paper[casefile.Objection], f *facts) (out []casefile.Finding) {
	if !o.Readable() {
		return nil
	}
	for i, g := range o.Value.Grounds {
		met, found, run := c.looks(ctx, "counter-objection", i, g, f)
		outcome := map[bool]casefile.CheckOutcome{true: casefile.Pass, false: casefile.Fail}[met]
		if run != nil {
			outcome = casefile.OutcomeOf(run.Said)
		}
		out = append(out, withRun(finding(fmt.Sprintf("%sanswer[%d]", note, i), outcome, fmt.Sprintf("the worker says %s at %s: %s", g.Kind, prose.Quote(g.Pointer), found),
			runs.GroundAt("counter-objection", i), "result:"+g.Pointer), run))
	}
	return out
}

// lies says if the result has something else than a ground says it has.
func lies(g pleaded.Ground, doc any) string {
	if len(g.Found) == 0 || g.Kind == pleaded.Returns { // the run says what it returns
		return ""
	}
	v, err := pointer.Find(doc, g.Pointer)
	if err != nil {
		return "the ground says that it is " + prose.Quote(string(g.Found)) + ", and there is nothing"
	}
	actual := v
	switch n, isCount := size(v); {
	case g.Kind == pleaded.Count && isCount:
		actual = json.Number(fmt.Sprint(n))
	case g.Kind == pleaded.Lines:
		if s, ok := v.(string); ok {
			actual = json.Number(fmt.Sprint(prose.Lines(s)))
		}
	case g.Kind == pleaded.Type:
		actual = typeOf(v)
	}
	if !same(actual, g.Found) {
		return "the ground says that it is " + prose.Quote(string(g.Found)) + ", which is not so"
	}
	return ""
}

// meets reports whether a result has at a place what a ground expects there, and what it has.
func meets(g pleaded.Ground, doc any) (bool, string) {
	v, err := pointer.Find(doc, g.Pointer)
	switch {
	case g.Kind == pleaded.Extra && err != nil:
		return true, "there is nothing"
	case err != nil:
		return false, err.Error()
	}
	is := pointer.Describe(v)
	switch g.Kind {
	case pleaded.Missing:
		return !void(v), "there is " + is
	case pleaded.Extra:
		return false, "there is " + is
	case pleaded.Value:
		return same(v, g.Expected), "it is " + shownValue(v)
	case pleaded.Type:
		var want string
		err := json.Unmarshal(g.Expected, &want)
		return err == nil && (typeOf(v) == want || want == "number" && typeOf(v) == "integer"), "it is " + is
	case pleaded.Count:
		n, ok := size(v)
		if !ok {
			return false, "it is " + is + ", which has no count"
		}
		return same(json.Number(fmt.Sprint(n)), g.Expected), fmt.Sprintf("it has %d items", n)
	case pleaded.Order, pleaded.Unique:
		list, ok := v.([]any)
		if !ok {
			return false, "it is " + is + ", which is no list"
		}
		if g.Kind == pleaded.Unique {
			return check.Unique(list)
		}
		return check.Sorted(list, string(g.Expected) == `"`+pleaded.Descending+`"`)
	case pleaded.Lines, pleaded.Contains, pleaded.Lacks, pleaded.Returns: // the last is run
	}
	s, ok := v.(string)
	if !ok {
		return false, "it is " + is + ", which is no text"
	}
	if g.Kind == pleaded.Lines {
		return same(json.Number(fmt.Sprint(prose.Lines(s))), g.Expected), fmt.Sprintf("it has %d lines", prose.Lines(s))
	}
	var text string
	if err := json.Unmarshal(g.Expected, &text); err != nil {
		return false, "the ground has no text"
	}
	whole, part := prose.Occurs(prose.Squeeze(s), prose.Squeeze(text))
	if g.Kind == pleaded.Contains {
		return whole, map[bool]string{true: "it contains " + prose.Quote(text), false: "it does not contain " + prose.Quote(text)}[whole]
	}
	return !part, map[bool]string{true: "it contains " + prose.Quote(text), false: "it does not contain " + prose.Quote(text)}[part]
}

// void reports whether a value may be as good as none.
func void(v any) bool {
	n, container := size(v)
	s, isText := v.(string)
	return v == nil || container && n == 0 || isText && prose.Blank(s)
}

// shownValue quotes a value.
func shownValue(v any) string {
	raw, err := check.Canonical(v)
	if err != nil {
		return "a value that cannot be written"
	}
	return prose.Quote(string(raw))
}

// same compares a value with canonical JSON.
func same(v any, want json.RawMessage) bool {
	raw, err := check.Canonical(v)
	return err == nil && string(raw) == string(want)
}

func size(v any) (int, bool) {
	switch v := v.(type) {
	case []any:
		return len(v), true
	case map[string]any:
		return len(v), true
	}
	return 0, false
}

// typeOf names the type of a value as JSON Schema does.
func typeOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case json.Number:
		if f, err := v.Float64(); err == nil && f == math.Trunc(f) {
			return "integer"
		}
		return "number"
	}
	return "null"
}
