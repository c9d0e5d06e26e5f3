package node

import (
	"testing"
	"time"

	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// hasty is a court whose times are short, so that all of them pass in minutes.
func hasty(p *program.Params) {
	brisk(p)
	p.VerifySeconds, p.AnswerSeconds = 120, 120
}

// cranking makes a node crank everything, soon. The time for evidence is longer than readers get,
// so case and task are kept for that.
func cranking(m *member) {
	k := &m.cfg.Crank
	k.Budget, k.Delay, k.Step, k.Keep, k.Interval, k.ListInterval = sol/100, 30*time.Second, 10*time.Second, 2*time.Minute, 2*time.Second, 0
}

// small is the reward of a task of these tests, in lamports.
const small = sol / 2

// open posts the creator's n-th task, which nobody has claimed, and which can be claimed for that
// many seconds.
func (w *world) open(creator *ledger.Keypair, n uint64, claim int64) voting.Key {
	w.t.Helper()
	now, err := w.client.Now(w.t.Context())
	w.must(err)
	w.do(creator, w.p.CreateTask(creator.Address(), n, program.FirstRules, program.CreateTask{
		TaskHash: voting.Hash{1}, Seal: voting.Hash{2}, RewardMin: small, RewardMax: small, WorkSeconds: 60, ClaimBy: now.Unix + claim, OnUndecided: voting.SplitEscrow,
	}))
	return voting.Key(w.p.Task(creator.Address(), n))
}

// claim has the worker claim a task, and deliver if it is not late.
func (w *world) claim(worker *ledger.Keypair, creator *ledger.Keypair, task voting.Key, deliver bool) {
	w.t.Helper()
	id := address(task)
	w.do(worker, w.p.ClaimTask(worker.Address(), id, program.FirstRules, program.ClaimTask{MinReward: small}), w.p.StartTask(worker.Address(), id))
	if deliver {
		w.do(worker, w.p.SubmitResult(worker.Address(), creator.Address(), id, program.FirstRules, program.SubmitResult{ResultHash: voting.Hash{2}}))
	}
}

// there reports which of the accounts of tasks and their cases exist.
func (w *world) there(tasks ...voting.Key) (n int) {
	w.t.Helper()
	for _, task := range tasks {
		all, _, err := w.client.Accounts(w.t.Context(), address(task), w.p.Case(address(task)))
		w.must(err)
		for _, a := range all {
			if a != nil {
				n++
			}
		}
	}
	return n
}

// done returns how many cranks of all nodes landed.
func (w *world) done() (n int) {
	for _, m := range w.nodes {
		if m.stop != nil {
			n += m.Status().Crank.Done
		}
	}
	return n
}

// TestCranked: parties that are gone leave nothing behind. Nodes expire their tasks in each status
// and close tasks and case, each with one transaction, and every lamport goes where it belongs.
func TestCranked(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, hasty)
		for range 3 {
			w.joinWith(cranking)
		}
		before := w.capital()
		creator, worker := w.parties()
		vault := func(k *ledger.Keypair) uint64 {
			a, _, err := w.client.Agent(t.Context(), k.Address())
			w.must(err)
			return a.Vault
		}
		disputed := w.bring(creator, worker, 0, sol, eleptiger(t))
		w.until(10*time.Minute, "over", disputed, func(c *program.Case) bool { return c.Status.Over() })
		owned, earned := vault(creator), vault(worker)
		unclaimed, late, silent := w.open(creator, 1, 60), w.open(creator, 2, 300), w.open(creator, 3, 300)
		w.claim(worker, creator, late, false)
		w.claim(worker, creator, silent, true)
		unanswered, _ := w.plead(creator, worker, 4, small, eleptiger(t))
		p2ptest.Eventually(t, 40*time.Minute, "everything is closed", func() bool {
			return w.there(disputed, unclaimed, late, silent, unanswered) == 0
		})
		// One expires on the market, one twice (late, then unclaimed), two in silence; then five
		// tasks and a case are closed.
		p2ptest.Eventually(t, time.Minute, "eleven cranks are counted", func() bool { return w.done() == 11 })
		rules := program.DefaultParams()
		bond, trade := small*uint64(rules.ClaimBps)/10_000, small*uint64(rules.TradeBps)/10_000
		if got := vault(creator); got != owned+bond-small {
			t.Errorf("the creator had %d and has %d; it gets the bond of the late worker, and the silent task costs its reward", owned, got)
		}
		if got := vault(worker); got != earned-bond+small-trade {
			t.Errorf("the worker had %d and has %d", earned, got)
		}
		if after := w.capital(); after != before {
			t.Errorf("%d lamports before, %d after", before, after)
		}
	})
}

// TestCrankFirstDead: the node whose turn comes first is dead; the other one does it in its turn.
// Without a budget nobody does.
func TestCrankFirstDead(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, hasty)
		for range 2 {
			w.joinWith(cranking)
		}
		creator, worker := w.parties()
		w.join(1, nil) // a court needs three judges for a claim
		idle := w.nodes[2]
		task := w.open(creator, 0, 600)
		w.claim(worker, creator, task, true)
		keys := []voting.Key{}
		for _, m := range w.nodes {
			keys = append(keys, m.home.Keys.Judge())
		}
		first, second := w.nodes[0], w.nodes[1]
		if voting.Rank(keys, keys[1], task) < voting.Rank(keys, keys[0], task) {
			first, second = second, first
		}
		w.halt(first)
		p2ptest.Eventually(t, 10*time.Minute, "the task is over", func() bool {
			a, _, err := w.client.Task(t.Context(), address(task))
			w.must(err)
			return a.Status == program.Complete
		})
		p2ptest.Eventually(t, time.Minute, "the second node counts it", func() bool { return second.Status().Crank.Done == 1 })
		if n := idle.Status().Crank.Done; n != 0 {
			t.Errorf("the patient node cranked %d times", n)
		}
	})
}
