package node

import (
	"os"
	"testing"
	"time"

	"ojud/ledger/program"
	"ojud/node/why"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// median returns the dispute about a program that the task's tests find wrong.
func median(t *testing.T) papers {
	t.Helper()
	read := func(name string) string {
		raw, err := os.ReadFile("../examples/median/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	return papers{read("median.task"), read("bad.result"), read("objection"), read("counter")}
}

// TestProgramsInCourt: judges run the tests and the check program of a task and vote by them. Each
// opinion contains the runs, each case file is verified by running them again, and each node
// explains its vote by them.
func TestProgramsInCourt(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, brisk)
		w.join(7, nil)
		task := w.dispute(median(t))
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForCreator || c.Revealed != 7 {
			t.Fatalf("verdict %v, %d revealed", c.Verdict, c.Revealed)
		}
		for _, m := range w.nodes {
			says(t, "the report", w.reportText(m, task), `expected[0]: run again on the result, it says false, after`)
			says(t, "the report", w.reportText(m, task), `"median([4,1,2,3]) returns 3 instead of 2.5"`)
			says(t, "the report", w.reportText(m, task), `expected[1]: run again on the result, it says true, after`)
			w.explained(m, task, why.Drawn, why.Opined, why.Committed, why.Revealed, why.Majority, why.Decided, why.Proven)
		}
	})
}
