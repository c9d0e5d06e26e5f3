package node

import (
	"testing"
	"time"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// TestCourt: whole nodes settle a real dispute on the real program, in one process on fake time; every node ends with a case file
// that verifies.
func TestCourt(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(7, nil)
		before := w.capital()
		task := w.dispute(eleptiger(t))
		c := w.until(10*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || c.Revealed != 7 {
			t.Fatalf("verdict %v, %d of %d revealed", c.Verdict, c.Revealed, len(c.Seats))
		}
		for _, m := range w.nodes {
			w.verified(m, task)
		}
		if after := w.capital(); after != before {
			t.Errorf("%d lamports before, %d after", before, after)
		}
	})
}

// verified waits for a node's case file, which must lack nothing, and verifies it.
func (w *world) verified(m *member, task voting.Key) {
	w.t.Helper()
	if missing := w.sound(m, task); len(missing) > 0 {
		w.t.Errorf("content is missing: %v", missing)
	}
}

// sound waits for a node's case file, verifies it and returns what content it lacks.
func (w *world) sound(m *member, task voting.Key) []voting.Hash {
	w.t.Helper()
	p2ptest.Eventually(w.t, 2*time.Minute, "the case file is complete", func() bool {
		c, err := m.Case(w.t.Context(), task)
		if err != nil {
			w.t.Fatal(err)
		}
		return c.Complete
	})
	file, missing, err := m.Export(w.t.Context(), task)
	if err != nil {
		w.t.Fatal(err)
	}
	if r := casefile.Verify(file); !r.OK() {
		w.t.Errorf("the case file does not verify:\n%s", r.String())
	}
	return missing
}
