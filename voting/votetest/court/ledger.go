package court

import (
	"errors"

	"ojud/voting"
	"ojud/voting/votetest"
)

// moment is a state of the chain before a transaction, for rollbacks.
type moment struct {
	at    int64
	state votetest.State
	redo  func() error
}

// execute runs a transaction now and tells all nodes when it changed something.
func (s *sim) execute(from int, tx func() error) error {
	var before votetest.State
	if s.opt.Ledger.Rollbacks > 0 {
		before = s.chain.State.Clone()
	}
	err := tx()
	var refusal *votetest.Refusal
	if err != nil && !errors.As(err, &refusal) {
		s.ref.fault("transaction of node %d: %v", from, err)
	}
	if err != nil {
		return err
	}
	if s.opt.Ledger.Rollbacks > 0 {
		s.past = append(s.past, moment{at: s.queue.Now, state: before, redo: tx})
	}
	s.ref.conserved()
	s.broadcastLooks()
	return nil
}

// rollback takes the chain back by up to 32 slots. Some of the transactions that are undone land
// again.
func (s *sim) rollback() {
	since := s.queue.Now - s.rng.Int64N(32*votetest.SlotMs)
	first := len(s.past)
	for first > 0 && s.past[first-1].at >= since {
		first--
	}
	if first == len(s.past) {
		return
	}
	undone := s.past[first:]
	s.past = s.past[:first:first]
	if len(undone[0].state.Tasks) < s.opt.Cases {
		return // openings stay: the simulation would wait for them for ever
	}
	s.chain.Rollback(undone[0].state)
	s.ref.rolledBack()
	for _, m := range undone {
		if s.rng.IntN(2) == 0 {
			s.queue.In(s.rng.Int64N(3_000), "land again", func() { _ = s.execute(-1, m.redo) })
		}
	}
	s.broadcastLooks()
}

// broadcastLooks lets every node see all cases, each after its own lag.
func (s *sim) broadcastLooks() {
	for _, n := range s.nodes {
		for i := range s.chain.State.Tasks {
			n.lookSoon(s.chain.State.Tasks[i].Address)
		}
	}
}

// submit sends a node's transaction on its way and reports its end.
func (s *sim) submit(n *node, e voting.Submit) {
	life := n.life
	report := func(class voting.SubmitClass) {
		s.queue.In(s.between(s.opt.Ledger.Lag), "submit done", func() {
			if n.machine != nil && n.life == life {
				n.step(voting.SubmitDone{At: n.clock(), Op: e.Op, Task: e.Task, Round: e.Round, Seat: e.Seat, Class: class})
			}
		})
	}
	if n.stranded(e.Task) {
		s.queue.In(2_000, "not taken", func() { report(voting.Failed) })
		return
	}
	if n.blind(e.Task) || s.chance(s.opt.Ledger.Drop) {
		n.link.dropped[roundOf{e.Task, e.Round}]++
		s.queue.In(10_000, "dropped", func() { report(voting.Failed) })
		return
	}
	switch e.Op {
	case voting.OpCommit:
		s.chain.Seal(e.Task, e.Round, n.Judge, e.Opening)
	case voting.OpRelayCommit, voting.OpRelayReveal:
		s.ref.helped(n, e)
	}
	land := func() voting.SubmitClass {
		err := s.execute(n.id, func() error { return s.apply(n, e) })
		switch {
		case err == nil && e.Op == voting.OpRelayReveal:
			s.result.Relayed++
		case err == nil && e.Op == voting.OpRelayCommit:
			s.result.Carried++
		}
		return votetest.Class(err)
	}
	s.queue.In(s.between(s.opt.Ledger.Landing), "land "+e.Op.String(), func() { report(land()) })
	if s.chance(s.opt.Ledger.Duplicate) {
		s.queue.In(s.between(s.opt.Ledger.Landing), "land twice "+e.Op.String(), func() { land() })
	}
}

// apply executes a transaction of a node.
func (s *sim) apply(n *node, e voting.Submit) error {
	err := s.chain.Apply(n.Judge, e)
	if err == nil && e.Op == voting.OpSlash {
		s.ref.slashed(e.Evidence.Judge)
	}
	return err
}
