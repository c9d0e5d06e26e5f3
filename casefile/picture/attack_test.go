package picture_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/picture"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/voting"
)

// judged is a case that all 28 judges decide for the worker.
func judged(t *testing.T) *casetest.World {
	t.Helper()
	w, err := casetest.Build(casetest.Script{Name: "attack", Judges: 40, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// ended exports a case, verifies the file, and returns the last step of its replay.
func ended(t *testing.T, w *casetest.World) (picture.ReplayPage, verify.Report) {
	t.Helper()
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	p, err := picture.Open(file, "attack")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(verify.File(file)) // as a page gets it from its worker
	if err != nil {
		t.Fatal(err)
	}
	var report verify.Report
	if err := json.Unmarshal(raw, &report); err != nil {
		t.Fatal(err)
	}
	p.Settle(report)
	return p.At(p.Last()), report
}

// TestAttackLeftOut: an exporter leaves out the result, the objection and the opinion of a judge.
// The checks that they are for do not count as passed.
func TestAttackLeftOut(t *testing.T) {
	w := judged(t)
	r, err := reading.Log(w.Log, w.Store)
	if err != nil {
		t.Fatal(err)
	}
	honest, _ := ended(t, w)
	liar, err := w.Liar()
	if err != nil {
		t.Fatal(err)
	}
	w.Store.Lose(voting.Hash(r.Said(casefile.DID(liar.Peer()), 1).Vote.OpinionHash))
	w.Store.Lose(voting.Hash(r.Open.Value.Task.ResultHash))
	w.Store.Lose(voting.Hash(r.Open.Value.Task.ObjectionHash))
	page, report := ended(t, w)
	if honest.Lacking != 0 || honest.Passed != honest.All {
		t.Errorf("the whole file: %d of %d, %d lack", honest.Passed, honest.All, honest.Lacking)
	}
	if page.Lacking != 4 || page.Passed != page.All-4 || len(report.Incomplete()) != 4 { // documents, opinions, programs, demands
		t.Errorf("%d of %d checks passed, %d lack: %+v", page.Passed, page.All, page.Lacking, report.Incomplete())
	}
	if !strings.Contains(report.String(), "not in the file: documents lacks 2") {
		t.Error(report.String())
	}
}

// TestAttackRefutedDemand: all judges say that a demand is met which is not. The page shows that
// the verifier found it failing.
func TestAttackRefutedDemand(t *testing.T) {
	w, err := casetest.Build(casetest.Script{Name: "refuted", Judges: 40, Rounds: []casetest.Plan{casetest.All(voting.Accept)},
		Documents: casetest.Documents{Task: `{"expected":[{"lines":9,"path":"/text"}],"instruction":["You should write exactly 9 lines about owls"],"output_schema":{"text":"string"}}`}})
	if err != nil {
		t.Fatal(err)
	}
	page, report := ended(t, w)
	if len(report.Refuted) != 1 {
		t.Fatal(report.String())
	}
	for _, c := range page.Case.Checks {
		if refuted := c.Name == "specification/expected[0]"; refuted != (c.Refuted != "") || refuted && c.Pass != 28 {
			t.Errorf("%+v", c)
		}
	}
}

// TestAttackInventedRound: one judge signs that a second round took place. It had made a genuine
// page say "Verified" over the verdict of that round, or had held the file back for ever.
func TestAttackInventedRound(t *testing.T) {
	honest, _ := ended(t, judged(t))
	if !honest.Verified || !strings.HasPrefix(honest.Case.State.Sentence, "28 of 28 judges accept the result, 0 reject it.") {
		t.Fatalf("%+v", honest.Case.State)
	}
	for _, c := range []struct {
		name    string
		seats   func(liar casetest.Judge) []casetest.Judge
		settled bool
	}{
		{"ghosts reject", func(casetest.Judge) []casetest.Judge { return casetest.Ghosts(7) }, true},
		{"ghosts were drawn", func(casetest.Judge) []casetest.Judge { return casetest.Ghosts(7) }, false},
		{"the liar and ghosts reject", func(liar casetest.Judge) []casetest.Judge { return append(casetest.Ghosts(6), liar) }, true},
		{"the liar alone rejects", func(liar casetest.Judge) []casetest.Judge { return []casetest.Judge{liar} }, true},
		{"the liar alone was drawn", func(liar casetest.Judge) []casetest.Judge { return []casetest.Judge{liar} }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := judged(t)
			liar, err := w.Liar()
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Invent(c.seats(liar), c.settled); err != nil {
				t.Fatal(err)
			}
			page, report := ended(t, w)
			if !report.OK() || voting.Verdict(report.Verdict) != voting.ForWorker || report.Rounds != 1 {
				t.Errorf("one judge spoils the file:\n%s", report.String())
			}
			if !strings.Contains(report.String(), "disagreement: $.events: ") {
				t.Errorf("nothing is said of the lie:\n%s", report.String())
			}
			if !page.Verified || page.Case.State != honest.Case.State || len(page.Case.Rings) != 1 || len(page.Case.Reasons) != len(honest.Case.Reasons) {
				t.Errorf("verified %t: %+v", page.Verified, page.Case.State)
			}
			// The archive of a node that took the events still gives the file.
			log, err := reading.Archive(w.Domain, w.Task, w.Store, w.Store)
			if err != nil || len(log.Events()) != len(w.Log.Events()) {
				t.Errorf("the archive: %v", err)
			}
		})
	}
}

// TestAttackRoundOfOthers: a log refuses a judge's word about a round that it did not sit in, also
// from a peer.
func TestAttackRoundOfOthers(t *testing.T) {
	w := judged(t)
	liar, err := w.Liar()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []casefile.Kind{casefile.KindDraw, casefile.KindSettle} {
		if _, err := w.Log.Append(liar.Key, kind, casefile.RoundFactBody{Round: 2, Facts: casefile.Digest{1}}, 1); !errors.Is(err, casefile.ErrStranger) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	honest := judged(t) // of the same case
	if err := w.Invent(casetest.Ghosts(7), true); err != nil {
		t.Fatal(err)
	}
	events := w.Log.Events()
	refused := 0
	for _, e := range events {
		switch _, err := honest.Log.Add(e); {
		case errors.Is(err, casefile.ErrStranger), errors.Is(err, casefile.ErrGap): // the settlement comes after the draw, which is not here
			refused++
		case err != nil:
			t.Errorf("%s: %v", e.Kind, err)
		}
	}
	if refused != 2 {
		t.Errorf("%d events are refused", refused)
	}
}

// TestAttackOtherFacts: a page does not say "Verified" over facts that the report is not about.
func TestAttackOtherFacts(t *testing.T) {
	w := judged(t)
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	p, err := picture.Open(file, "attack")
	if err != nil {
		t.Fatal(err)
	}
	report := verify.File(file)
	report.Testimony = report.Testimony[1:]
	p.Settle(report)
	if page := p.At(p.Last()); page.Verified || page.Finding == "" {
		t.Errorf("verified %t: %q", page.Verified, page.Finding)
	}
}

// TestBothPanels: the first panel decided nothing, and its votes decide with those of the appeal.
// The sentence at the top of the page gives both, because the appeal alone accepts the result.
func TestBothPanels(t *testing.T) {
	plan := func(accept, reject int) casetest.Plan {
		return func(seat int) casetest.Act {
			switch {
			case seat < accept:
				return casetest.Act{Choice: voting.Accept}
			case seat < accept+reject:
				return casetest.Act{Choice: voting.Reject}
			}
			return casetest.Act{Choice: voting.Abstain}
		}
	}
	w, err := casetest.Build(casetest.Script{Name: "both", Judges: voting.MaxSeats, Panel: 14, Rounds: []casetest.Plan{plan(0, 5)}, Appeal: []casetest.Plan{plan(10, 4)}})
	if err != nil {
		t.Fatal(err)
	}
	page, report := ended(t, w)
	want := "10 of 14 judges accept the result, 4 reject it. The first panel decided nothing, so its votes count, too: 0 accept, 5 reject."
	if got := page.Case.State; !report.OK() || got.Class != "reject" || !strings.HasPrefix(got.Sentence, want) {
		t.Errorf("%+v\n%s", got, report.String())
	}
}

// TestLargeCourt: a page counts all judges who could be drawn, though the facts of the draw name
// those alone who were.
func TestLargeCourt(t *testing.T) {
	w, err := casetest.Build(casetest.Script{Name: "large", Judges: 1025, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	if err != nil {
		t.Fatal(err)
	}
	page, _ := ended(t, w)
	raw, err := json.Marshal(page)
	if err != nil || !strings.Contains(string(raw), "The lot drew 28 judges of 1025.") || strings.Contains(string(raw), "all 28 there are") {
		t.Errorf("%v: %.3000s", err, raw)
	}
}
