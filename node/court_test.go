package node

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/casefile/verify"
	"ojud/ledger"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// TestCourt: whole nodes settle a real dispute on the real program, in one process on fake time.
// Every node ends with a case file that verifies, rates the panel's votes by an earlier round, and
// remembers this round.
func TestCourt(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(7, nil)
		before := w.capital()
		earlier := w.remember(w.nodes[3])
		task := w.dispute(eleptiger(t))
		w.until(10*time.Minute, "drawn", task, func(c *program.Case) bool { return c.Status == voting.Committing })
		w.seated(task)
		c := w.until(10*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || c.Revealed != 7 {
			t.Fatalf("verdict %v, %d of %d revealed", c.Verdict, c.Revealed, len(c.Seats))
		}
		for _, m := range w.nodes {
			w.verified(m, task)
		}
		w.agreed(w.nodes[3], earlier, task)
		w.paidAlong(task, 7)
		if after := w.capital(); after != before {
			t.Errorf("%d lamports before, %d after", before, after)
		}
	})
}

// paidAlong checks that what the judges earned was paid in the transaction that ended the case,
// once for all of them.
func (w *world) paidAlong(task voting.Key, judges int) {
	w.t.Helper()
	all, err := w.server.Bank().Transactions(bank.Query{Address: solana.PublicKey(w.p.Roster()), MaxSlot: math.MaxUint64, Limit: 1000})
	w.must(err)
	paid := map[bool]int{} // in a transaction that ended the case
	for _, s := range all {
		log, err := w.p.Events(s.Transaction.Logs)
		w.must(err)
		ended := slices.ContainsFunc(log.Events, func(e program.Event) bool {
			r, ok := e.(*program.RoundSettled)
			return ok && voting.Key(r.Task) == task
		})
		for _, e := range log.Events {
			if _, ok := e.(*program.RewardClaimed); ok {
				paid[ended]++
			}
		}
	}
	if paid[true] != judges || paid[false] != 0 {
		w.t.Errorf("%d judges were paid when the case ended, and %d in other transactions; want %d", paid[true], paid[false], judges)
	}
}

// seated checks that the panel of a running round is as it announces itself, and every seat counts.
func (w *world) seated(task voting.Key) {
	w.t.Helper()
	p2ptest.Eventually(w.t, time.Minute, "a node knows the panel", func() bool {
		p, err := w.nodes[6].Panel(w.t.Context(), task)
		return err == nil && !p.Cast && p.Votes == 7 && p.Families["code"] == 7 && p.Independent == 100
	})
}

// remember shows a node a case that all judges decided before, and returns its task.
func (w *world) remember(m *member) voting.Key {
	w.t.Helper()
	l := ledger.Look{ID: onchain.Address{1}, Case: &program.Case{Status: voting.Decided, Round: 2, Verdict: voting.ForCreator, SettledAt: 7}}
	for _, n := range w.nodes {
		l.Case.Seats = append(l.Case.Seats, program.Seat{
			Judge: n.home.Keys.Authority.Address(), Choice: voting.Reject, Flags: program.SeatCommitted | program.SeatRevealed,
		})
	}
	w.must(m.decisions.See(l))
	return voting.Key(l.ID)
}

// agreed checks that the node's view of the panel, and its case file, rest on the earlier round,
// and that this round is in its book.
func (w *world) agreed(m *member, earlier, task voting.Key) {
	w.t.Helper()
	p, err := m.Panel(w.t.Context(), task)
	w.must(err)
	file, _, err := m.Export(w.t.Context(), task)
	w.must(err)
	r := verify.File(file)
	if len(r.Panels) != 1 || !p.Cast || !reflect.DeepEqual(p.Summary, r.Panels[0]) || p.Votes != 7 || p.History != 1 || p.Independent != 100 {
		w.t.Errorf("%+v\n%s", p, r.String())
	}
	var b casefile.Bundle
	w.must(json.Unmarshal(file, &b))
	if h := b.Panels[0].History[0]; h.Case != casefile.Address(earlier) || h.Round != 2 || h.Choices != "rrrrrrr" || b.Panels[0].Seats[6].Family != casefile.CodeFamily || p.Dimensions["none"] != 7 {
		w.t.Errorf("%+v", b.Panels)
	}
	seen := m.decisions.All()
	i := slices.IndexFunc(seen, func(p panel.DecidedRound) bool { return p.Case == casefile.Address(task) })
	if i < 0 || len(seen) != 2 || len(seen[i].Votes) != 7 || seen[i].Verdict != casefile.Verdict(voting.ForWorker) {
		w.t.Errorf("the book has %+v", seen)
	}
}

// verified waits for a node's case file, which must lack nothing, and verifies it.
func (w *world) verified(m *member, task voting.Key) {
	w.t.Helper()
	if missing := w.sound(m, task); len(missing) > 0 {
		w.t.Errorf("content is missing: %v", missing)
	}
}

// sound waits for a node's case file, verifies it and returns the hashes of missing content.
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
	if r := verify.File(file); !r.OK() {
		w.t.Errorf("the case file does not verify:\n%s", r.String())
	}
	return missing
}

// TestJobs: each job of a node has a name of its own and a sentence for a reader.
func TestJobs(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(1, nil)
		names := map[string]bool{}
		for _, j := range w.nodes[0].jobs {
			if names[j.Name] || j.Name == "" || j.What == "" || j.Run == nil {
				t.Errorf("%+v", j)
			}
			names[j.Name] = true
		}
		if len(names) < 10 {
			t.Errorf("%d jobs", len(names))
		}
	})
}
