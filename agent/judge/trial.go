package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ojud/agent/judge/beside"
	"ojud/agent/judge/check"
	"ojud/agent/judge/prose"
	"ojud/casefile"
	pleaded "ojud/casefile/ground"
	"ojud/casefile/proof"
	"ojud/casefile/runs"
	"ojud/schema/pointer"
)

// trial makes the schema and the checks of the task on results that differ from the real one in one
// place. That is how code finds out what they demand there: they refuse the other result, although
// they pass the real one. Nothing else shows it, because a program may look at anything.
type trial struct {
	code     *Code
	facts    *facts
	passed   []int // the checks that pass, and prove something
	tries    int   // that are left
	programs int   // runs that are left
}

// The trials of one evaluation. A creator must not be able to keep judges busy with its grounds.
const (
	maxTries = 48
	maxRuns  = 24
)

// trial begins the trials of an evaluation, with what code found about the checks of the task.
func (c *Code) trial(f *facts, findings []casefile.Finding) *trial {
	t := &trial{code: c, facts: f, tries: maxTries, programs: maxRuns}
	for i, k := range f.task.Expected {
		if k.Data == nil && slices.ContainsFunc(findings, func(f casefile.Finding) bool {
			return f.Outcome == casefile.Pass && f.Check == fmt.Sprintf("%sexpected[%d]", specification, i)
		}) {
			t.passed = append(t.passed, i)
		}
	}
	return t
}

// refutes reports whether the task itself contradicts a ground, and why. It does so in two cases.
// The result has what the ground expects (met), and the task demands that. Or the ground expects a
// value that a check of the task refuses, at a place whose value such checks fix.
func (t *trial) refutes(ctx context.Context, g pleaded.Ground, met bool) (bool, string) {
	switch {
	case met && t.shows(ctx, g):
		return true, "; that is what the ground expects, and what the task demands"
	case met:
		return false, "; that is what the ground expects, but code proved nothing that the task demands there"
	case g.Kind == pleaded.Value && t.contradicts(ctx, g):
		return true, "; a check of the task passes, and refuses what the ground expects instead"
	}
	return false, ""
}

// contradicts reports whether the checks of the task fix the value at the place of a ground, and
// refuse what the ground expects there.
func (t *trial) contradicts(ctx context.Context, g pleaded.Ground) bool {
	wanted, err := decode(g.Expected, casefile.MaxDocument)
	return err == nil && t.refusesAll(ctx, g.Pointer, place, wanted) && t.fixes(ctx, g)
}

// shows reports whether the task demands what a result has where a ground disputes it. That
// something stands there where a ground says that it is missing does not show it: "TODO" is no
// summary. Nor do equal items, or empty ones, show that there are enough of them.
func (t *trial) shows(ctx context.Context, g pleaded.Ground) bool {
	v, _ := pointer.Find(t.facts.Doc, g.Pointer) // nothing stands where something is extra
	list, _ := v.([]any)
	switch g.Kind {
	case pleaded.Missing:
		return false
	case pleaded.Extra:
		return t.refusesAll(ctx, g.Pointer, anything, "x", json.Number("0"))
	case pleaded.Type:
		others := slices.DeleteFunc([]any{nil, true, json.Number("1"), json.Number("0.5"), "x", []any{}, map[string]any{}}, func(other any) bool {
			same, _ := meets(pleaded.Ground{Kind: pleaded.Type, Expected: g.Expected}, other)
			return same
		})
		return t.refusesAll(ctx, g.Pointer, anything, others...)
	case pleaded.Count: // of an object, the schema counts the members, which proves nothing of their values
		return whole(list) && t.refusesAll(ctx, g.Pointer, anything, list[:len(list)-1], append(slices.Clone(list), list[len(list)-1]))
	case pleaded.Lines:
		text, _ := v.(string)
		var lines []any
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			lines = append(lines, strings.TrimSpace(line))
		}
		last := strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n')
		return last > 0 && whole(lines) && t.refusesAll(ctx, g.Pointer, anything, text[:last], strings.TrimSuffix(text, "\n")+"\nx")
	case pleaded.Order:
		turned := slices.Clone(list)
		slices.Reverse(turned)
		return len(list) > 1 && t.refusesAll(ctx, g.Pointer, relations, turned)
	case pleaded.Unique:
		return len(list) > 1 && t.refusesAll(ctx, g.Pointer, relations, append(slices.Clone(list[:len(list)-1]), list[0]))
	case pleaded.Value:
		return t.fixes(ctx, g)
	case pleaded.Returns: // tests of the task ran the program that stands there
		return slices.ContainsFunc(t.passed, func(i int) bool {
			return t.facts.task.Expected[i].Tests != nil && t.facts.task.Expected[i].Path == g.Pointer
		})
	case pleaded.Contains, pleaded.Lacks:
		var text string
		return json.Unmarshal(g.Expected, &text) == nil && t.says(text, g.Kind == pleaded.Contains, g.Pointer)
	}
	return false
}

// says reports whether a check that passes demands or forbids a text at a place or inside it.
func (t *trial) says(text string, wanted bool, at string) bool {
	same := func(s string) bool { return prose.Squeeze(prose.Normal(s)) == prose.Squeeze(prose.Normal(text)) }
	return slices.ContainsFunc(t.passed, func(i int) bool {
		k := t.facts.task.Expected[i]
		return within(k.Path, at) && (wanted && k.Contains != nil && same(*k.Contains) || !wanted && slices.ContainsFunc(k.NotContains, same))
	})
}

// demands reports whether checks that pass demand a text of each text and list of the result.
func (t *trial) demands(text string) bool {
	return !slices.ContainsFunc(t.facts.TextAt, func(at string) bool { return !t.says(text, true, at) })
}

// fixes reports whether the checks of the task fix the value at the place of a ground: they refuse
// every value beside it that looks alike, and the one that the ground says is there.
func (t *trial) fixes(ctx context.Context, g pleaded.Ground) bool {
	v, err := pointer.Find(t.facts.Doc, g.Pointer)
	if err != nil {
		return false
	}
	others := beside.Values(v)
	if len(g.Found) > 0 && !same(v, g.Found) {
		if found, err := decode(g.Found, casefile.MaxDocument); err == nil {
			others = append(others, found)
		}
	}
	return t.refusesAll(ctx, g.Pointer, place, others...)
}

// whole reports whether there are items, none of which says nothing or repeats another.
func whole(list []any) bool {
	unique, _ := check.Unique(list)
	return len(list) > 0 && unique && !slices.ContainsFunc(list, void)
}

// by says which demands of the task count in a trial.
type by int

const (
	// place counts the checks that compare the place with the task. One that compares two places of
	// the result, such as rows with their total, refuses a right value beside a wrong one: a worker
	// that lies in both would be paid.
	place     by = iota
	relations    // all checks: the ground is about how the items are to each other
	anything     // all checks, and the schema
)

// refusesAll reports whether the task refuses each of some values at a place; none of none.
func (t *trial) refusesAll(ctx context.Context, at string, count by, others ...any) bool {
	for _, other := range others {
		doc, ok := beside.Put(t.facts.Doc, at, other)
		if !ok || !t.refuses(ctx, at, count, doc) {
			return false
		}
	}
	return len(others) > 0
}

// refuses reports whether a demand that counts, and that the real result passes, refuses another
// one that differs at a place. When the tries are used up, nothing is refused.
func (t *trial) refuses(ctx context.Context, at string, count by, doc any) bool {
	raw, err := check.Canonical(doc)
	if err != nil || len(raw) > casefile.MaxDocument || t.tries == 0 || ctx.Err() != nil {
		return false
	}
	t.tries--
	if s, err := Compile(t.facts.task.OutputSchema, t.code.limits); count == anything && err == nil && !s.Idle {
		if bad, err := s.Validate(ctx, doc); err == nil && len(bad) > 0 {
			return true
		}
	}
	papers := t.facts.decoded()
	papers.Result = doc
	quick := casefile.Task{}
	for _, i := range t.passed {
		k := t.facts.task.Expected[i]
		if !k.Runs() && (count != place || k.Sorted == nil && k.Unique == nil) && (within(k.Path, at) || within(at, k.Path)) {
			quick.Expected = append(quick.Expected, k)
		}
	}
	if slices.ContainsFunc(check.Every(quick, papers), func(m check.Made) bool { return m.Outcome == casefile.Fail }) {
		return true
	}
	return slices.ContainsFunc(t.passed, func(i int) bool {
		if k := t.facts.task.Expected[i]; !k.Runs() || count == place && !looksAt(k, at) || t.programs == 0 {
			return false
		}
		t.programs--
		run, err := t.code.prover.Run(ctx, t.facts.task, i, proof.Papers{Task: t.facts.papers.Task, Result: raw, Modules: t.facts.papers.Modules})
		return err == nil && run.Said == runs.False
	})
}

// looksAt reports whether a check program stands at a place or inside it, and does not name the
// result, so that it sees nothing else of it. Its creator loses if that is not so.
func looksAt(k casefile.Check, at string) bool {
	return k.Program != nil && k.Program.WASI == "" && within(k.Path, at) && !strings.Contains(strings.ToLower(k.Program.Text()), "result")
}

// within reports whether a pointer names a place inside another one, or the same.
func within(place, whole string) bool { return place == whole || strings.HasPrefix(place, whole+"/") }
