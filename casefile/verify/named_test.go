package verify_test

import (
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/voting"
)

// fileWith exports a case in which the seat whose events come first says this alone.
func fileWith(t *testing.T, w *casetest.World, kind casefile.Kind, body any) []byte {
	t.Helper()
	all := w.Log.Events()
	l := casefile.NewLog(w.Domain, w.Task, &casetest.Memory{}, nil)
	for _, j := range w.Judges {
		l.Seat(1, j.Peer(), j.Authority)
	}
	for _, j := range w.Judges {
		if casefile.DID(j.Peer()) == all[0].Actor {
			if _, err := l.Append(j.Key, kind, body, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, e := range all {
		if e.Actor != all[0].Actor {
			if _, err := l.Add(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	file, _, err := casefile.Export(l, w.Store, verify.Panels(nil), nil, w.Judges[0].Key, 9)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestAttackNamedAsOther: a seat whose events come first names true facts, or a document, as
// something that they are not. What they name is still named by the others, and the file verifies.
func TestAttackNamedAsOther(t *testing.T) {
	module := []byte("\x00asm\x01\x00\x00\x00")
	with := large(30)
	with.Documents = casetest.Documents{
		Task:   `{"expected":[{"path":"","program":{"wasi":"` + casefile.Digest(casefile.HashOf(module)).String() + `"}}],"instruction":["x"],"output_schema":{}}`,
		Module: module,
	}
	for _, script := range []casetest.Script{large(30), large(1025), with} {
		w, err := casetest.Build(script)
		if err != nil {
			t.Fatal(err)
		}
		named := map[casefile.Kind]casefile.Digest{}
		for _, e := range w.Log.Events() {
			if names := e.Names(); len(names) > 0 {
				named[e.Kind] = names[0]
			}
		}
		raw, err := w.Store.Blob(voting.Hash(named[casefile.KindOpen]))
		if err != nil {
			t.Fatal(err)
		}
		opened, err := casefile.ReadFact[casefile.OpenFact](casefile.KindOpen, raw)
		if err != nil {
			t.Fatal(err)
		}
		terms, draw := opened.Value.Task, named[casefile.KindDraw]
		for _, c := range []struct {
			name string
			kind casefile.Kind
			body any
		}{
			{"the draw as the opening", casefile.KindOpen, casefile.FactBody{Facts: draw}},
			{"the draw as the outcome", casefile.KindOutcome, casefile.FactBody{Facts: draw}},
			{"the draw as a settlement", casefile.KindSettle, casefile.RoundFactBody{Round: 1, Facts: draw}},
			{"the opening as the draw", casefile.KindDraw, casefile.RoundFactBody{Round: 1, Facts: named[casefile.KindOpen]}},
			{"the task as the outcome", casefile.KindOutcome, casefile.FactBody{Facts: terms.TaskHash}},
			{"the objection as the outcome", casefile.KindOutcome, casefile.FactBody{Facts: terms.ObjectionHash}},
		} {
			r := verify.File(fileWith(t, w, c.kind, c.body))
			for _, check := range r.Checks {
				if check.Name != verify.CheckPrograms && check.State != verify.Passed { // the module is none
					t.Errorf("%d judges: %s: %s %s: %s", script.Judges, c.name, check.Name, check.State, check.Detail)
				}
			}
		}
	}
}
