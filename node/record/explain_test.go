package record

import (
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/node/why"
	"ojud/voting"
)

// TestWhyPending: after the end of a case, a record without its outcome, or with the testimony of
// too few seats, is one whose testimony still comes. With all of it the record verifies.
func TestWhyPending(t *testing.T) {
	w, err := casetest.Build(casetest.Script{Name: "pending", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		outcomes       int
		over           bool
		pending, proof bool
	}{{0, true, true, true}, {0, false, false, true}, {2, true, true, true}, {7, true, false, false}} {
		log := casefile.NewLog(w.Domain, w.Task, &casetest.Memory{}, nil)
		for _, j := range w.Judges {
			log.Seat(1, j.Peer(), j.Authority)
		}
		left := c.outcomes
		for _, e := range w.Log.Events() {
			if e.Kind == casefile.KindOutcome {
				if left--; left < 0 {
					continue
				}
			}
			if _, err := log.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		f := why.Facts{Look: &voting.Case{Status: voting.Revealing}}
		if c.over {
			f.Look.Status = voting.Decided
		}
		if err := readLog(log, w.Store, w.Judges[0].Key, &f); err != nil || f.Pending != c.pending || (f.Proof != "") != c.proof {
			t.Errorf("%+v: pending %t, proof %q, %v", c, f.Pending, f.Proof, err)
		}
	}
}
