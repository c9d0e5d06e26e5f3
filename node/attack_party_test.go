package node

import (
	"testing"
	"time"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// TestAttackPartyIsStakedHolder: a party of a case is a judge, too. It may not sit, but its node
// holds the source that decides the case. Before, its stake made it a staked holder in its own
// case: a creator that lied got 7 of 7 votes, and a worker's lie outweighed an honest holder by
// 6:1. Now its node is a stranger there.
func TestAttackPartyIsStakedHolder(t *testing.T) {
	longtest.Only(t)
	for name, x := range map[string]struct {
		honest, party string // what the holders say; "" is no holder
		isCreator     bool
		want          voting.Verdict
		staked        bool // a holder that is no party answered
	}{
		"the creator alone has the source":   {"", "something else", true, voting.ForWorker, false},
		"the worker against a staked holder": {"something else", "hello world", false, voting.ForCreator, true},
	} {
		t.Run(name, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				w := newWorld(t, nil)
				w.join(7, nil)
				if x.honest != "" {
					w.joinWith(func(m *member) { hold(t, m, x.honest) })
				}
				w.joinWith(func(m *member) { hold(t, m, x.party) })
				time.Sleep(time.Minute) // all know of the holders
				judge, other := w.nodes[len(w.nodes)-1].home.Keys.Authority, keypair(t, 21)
				w.fund(judge, other)
				creator, worker := other, judge
				if x.isCreator {
					creator, worker = judge, other
				}
				w.do(creator, w.p.RegisterAgent(creator.Address(), program.RegisterAgent{}), w.p.Deposit(creator.Address(), creator.Address(), program.Deposit{Amount: 5 * sol}))
				w.do(worker, w.p.RegisterAgent(worker.Address(), program.RegisterAgent{}), w.p.Deposit(worker.Address(), worker.Address(), program.Deposit{Amount: 5 * sol}))
				task := w.bring(creator, worker, 0, sol, posted())
				c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
				if c.Verdict != x.want || c.Round != 1 {
					t.Errorf("verdict %v in round %d, want %v", c.Verdict, c.Round, x.want)
				}
				if r := w.report(w.nodes[0], task); !r.OK() {
					t.Error(r.String())
				}
				if said := w.standings(w.nodes[0], task); said[casefile.Stranger] == 0 || (said[casefile.StakedHolder] > 0) != x.staked {
					t.Errorf("%v", said)
				}
			})
		})
	}
}
