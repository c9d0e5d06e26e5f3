package verify_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/leaf"
	"ojud/casefile/verify"
	"ojud/test/longtest"
	"ojud/voting"
)

// side lets the first three seats reject and the others accept.
func side(i int) casetest.Act {
	if i < 3 {
		return casetest.Act{Choice: voting.Reject}
	}
	return casetest.Act{Choice: voting.Accept}
}

// TestGoldenCase: the answer of a golden case and what it moved are part of its file, and are
// checked against the seal of the task and the rules.
func TestGoldenCase(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pot   uint64
		panel uint8
		notes string
	}{
		"open":                 {0, 0, "no money has moved"},
		"applied":              {1 << 40, 0, "the wrong votes lost"},
		"from a small pot":     {1_000, 0, "the wrong votes lost"},
		"of an appealed court": {1 << 40, 28, "the wrong votes lost"},
	} {
		file, err := casetest.File(casetest.Script{Name: name, Judges: 28, Golden: true, Pot: c.pot, Panel: c.panel, Rounds: []casetest.Plan{side}})
		if err != nil {
			t.Fatal(err)
		}
		r := verify.File(file)
		if text := r.String(); !r.OK() || r.Check(verify.CheckLeaf).Count != 1 || !strings.Contains(text, "batch 4 committed to ") || !strings.Contains(text, c.notes) {
			t.Errorf("%s: %s", name, text)
		}
	}
	file, err := casetest.File(casetest.Script{Name: "ordinary", Judges: 7, Rounds: []casetest.Plan{side}})
	if err != nil {
		t.Fatal(err)
	}
	if r := verify.File(file); !r.OK() || r.Check(verify.CheckLeaf).Count != 0 || strings.Contains(r.String(), "golden") {
		t.Errorf("an ordinary case: %s", r.String())
	}
}

// TestAttackForgedLeaf: an exporter says that a case was golden, or that the answer moved other
// money. Each lie is named, because the seal of the task was there before the votes.
func TestAttackForgedLeaf(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	build := func() *casetest.World {
		w, err := casetest.Build(casetest.Script{Name: "golden", Judges: 28, Golden: true, Pot: 1 << 40, Rounds: []casetest.Plan{side}})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	honest, err := leaf.Parse(build().Golden.Leaf)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for honest.Applied.Seats[right].Earned == 0 {
		right++
	}
	for name, c := range map[string]struct {
		lie  func(*leaf.Leaf, *leaf.Applied)
		path string
	}{
		"the other answer": {func(l *leaf.Leaf, _ *leaf.Applied) {
			l.Answer = casefile.Choice(voting.Accept + voting.Reject - voting.Choice(l.Answer))
		}, "$.leaf.seed"},
		"another seed":       {func(l *leaf.Leaf, _ *leaf.Applied) { l.Seed[0] ^= 1 }, "$.leaf.seed"},
		"another generator":  {func(l *leaf.Leaf, _ *leaf.Applied) { l.Generator[0] ^= 1 }, "$.leaf.seed"},
		"a larger gain":      {func(_ *leaf.Leaf, a *leaf.Applied) { a.Seats[right].Earned++; a.Paid++ }, "$.leaf.applied.seats["},
		"a larger loss":      {func(_ *leaf.Leaf, a *leaf.Applied) { a.Seats[right].Slashed++; a.Taken++ }, "$.leaf.applied.seats["},
		"one gets less":      {func(_ *leaf.Leaf, a *leaf.Applied) { a.Seats[right].Earned--; a.Paid-- }, "$.leaf.applied.seats"},
		"a larger sum":       {func(_ *leaf.Leaf, a *leaf.Applied) { a.Paid++ }, "$.leaf.applied.paid"},
		"a larger loss, all": {func(_ *leaf.Leaf, a *leaf.Applied) { a.Taken++ }, "$.leaf.applied.taken"},
		"a seat less":        {func(_ *leaf.Leaf, a *leaf.Applied) { a.Seats = a.Seats[1:] }, "$.leaf.applied.seats"},
		"an abstention":      {func(l *leaf.Leaf, _ *leaf.Applied) { l.Answer = casefile.Choice(voting.Abstain) }, "$.leaf"},
	} {
		w := build()
		lied, err := leaf.Parse(w.Golden.Leaf)
		if err != nil {
			t.Fatal(err)
		}
		c.lie(&lied, lied.Applied)
		if w.Golden.Leaf, err = lied.Encode(); err != nil {
			t.Fatal(err)
		}
		check(t, name, w, c.path)
	}
	for name, raw := range map[string]string{"no object": `[]`, "a field too many": `{"batch":1,"extra":2}`, "too long": `{"batch":"` + strings.Repeat("x", 20_000) + `"}`} {
		w := build()
		w.Golden.Leaf = json.RawMessage(raw)
		check(t, name, w, "$.leaf")
	}
	ordinary, err := casetest.Build(casetest.Script{Name: "ordinary", Judges: 28, Rounds: []casetest.Plan{side}})
	if err != nil {
		t.Fatal(err)
	}
	ordinary.Golden = build().Golden
	check(t, "an ordinary case", ordinary, "$.leaf.seed")
}

// check exports a case and expects that the leaf fails there, and all else passes.
func check(t *testing.T, name string, w *casetest.World, path string) {
	t.Helper()
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	r := verify.File(file)
	if got := r.Check(verify.CheckLeaf); got.State != verify.Failed || !strings.HasPrefix(got.Path, path) || len(r.Failed()) != 1 {
		t.Errorf("%s: %+v", name, got)
	}
}
