package node

import (
	"context"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// appealing is a court of small panels, whose verdicts can be appealed for two minutes.
func appealing(p *program.Params) {
	brisk(p)
	p.PanelSeats, p.AppealSeconds = 3, 120
}

// swayed says the opposite of the code judge in the rounds of a first panel.
type swayed struct{ judge.Judge }

func (s swayed) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	if b.Round > voting.MaxRounds-1 { // this court has two rounds a level
		return s.Judge.Evaluate(ctx, b)
	}
	return contrary(s).Evaluate(ctx, b)
}

// TestAttackFirstPanelBought: whoever sits in the first panel votes against the worker, who loses 1
// SOL and 0.1 of its bond to that. It appeals. Judges that did not sit pay it, also although a node
// of each panel starts again in the middle. Every file verifies, and no lamport is lost.
func TestAttackFirstPanelBought(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, appealing)
		w.join(10, func(int) judge.Judge { return swayed{code()} })
		before := w.capital()
		creator, worker := w.parties()
		task := w.bring(creator, worker, 0, sol, eleptiger(t))
		c := w.until(20*time.Minute, "a first verdict", task, func(c *program.Case) bool { return c.Status == voting.Appealable })
		if c.Verdict != voting.ForCreator || len(c.Seats) != 3 {
			t.Fatalf("%v by %d judges", c.Verdict, len(c.Seats))
		}
		w.do(worker, w.p.Appeal(worker.Address(), address(task)))
		c = w.until(20*time.Minute, "the draw of the appeal", task, func(c *program.Case) bool { return len(c.Seats) > 0 })
		for _, key := range []onchain.Address{c.First[0].Judge, c.Seats[0].Judge} {
			for _, m := range w.nodes {
				if m.home.Keys.Authority.Address() == key {
					w.halt(m)
					w.start(m)
				}
			}
		}
		c = w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || c.Level != 2 || len(c.Seats) != 7 {
			t.Fatalf("%v at level %d by %d judges", c.Verdict, c.Level, len(c.Seats))
		}
		for _, s := range c.First {
			if s.Slashed == 0 || s.Earned != 0 {
				t.Errorf("a bought judge lost %d and earned %d", s.Slashed, s.Earned)
			}
		}
		for _, s := range c.Seats {
			if s.Slashed != 0 || s.Earned == 0 {
				t.Errorf("a judge of the appeal lost %d and earned %d", s.Slashed, s.Earned)
			}
		}
		for _, m := range w.nodes[:2] {
			w.verified(m, task)
		}
		if after := w.capital(); after != before {
			t.Errorf("%d lamports before, %d after", before, after)
		}
	})
}

// TestNobodyAppeals: when the time is over, the nodes make the verdict final, and the money moves.
func TestNobodyAppeals(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, appealing)
		w.join(10, nil)
		task := w.dispute(eleptiger(t))
		w.until(20*time.Minute, "a first verdict", task, func(c *program.Case) bool { return c.Status == voting.Appealable })
		c := w.until(time.Hour, "final", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || c.Level != 1 || c.SettledAt < c.AppealBy || c.SettledAt > c.AppealBy+900 {
			t.Fatalf("%v at level %d, %d s after the time to appeal", c.Verdict, c.Level, c.SettledAt-c.AppealBy)
		}
		w.verified(w.nodes[0], task)
		w.archived(task, w.nodes[0])
	})
}
