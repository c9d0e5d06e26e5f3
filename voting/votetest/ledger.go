package votetest

import (
	"errors"

	"ojud/voting"
)

// moment is a state of the chain before a transaction, for rollbacks.
type moment struct {
	at    int64
	state State
	redo  func() error
}

// sealed is what the chain's history holds of a commit: its author can open it after losing the
// journal.
type sealed struct {
	task    voting.Key
	round   uint8
	judge   voting.Key
	opening voting.Opening
}

// execute runs a transaction now and tells all nodes when it changed something.
func (s *sim) execute(from int, tx func() error) error {
	var before State
	if s.opt.Ledger.Rollbacks > 0 {
		before = s.chain.State.Clone()
	}
	err := tx()
	var refusal *Refusal
	if err != nil && !errors.As(err, &refusal) {
		s.ref.fault("transaction of node %d: %v", from, err)
	}
	if err != nil {
		return err
	}
	if s.opt.Ledger.Rollbacks > 0 {
		s.past = append(s.past, moment{at: s.queue.now, state: before, redo: tx})
	}
	s.ref.conserved()
	s.broadcastLooks()
	return nil
}

// rollback takes the chain back by up to 32 slots. Some of the transactions that are undone land
// again.
func (s *sim) rollback() {
	since := s.queue.now - s.rng.Int64N(32*slotMs)
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
	s.chain.State = undone[0].state.Clone()
	s.chain.fork++
	s.ref.rolledBack()
	for _, m := range undone {
		if s.rng.IntN(2) == 0 {
			s.queue.in(s.rng.Int64N(3_000), "land again", func() { _ = s.execute(-1, m.redo) })
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
	incarnation := n.incarnation
	report := func(class voting.SubmitClass) {
		s.queue.in(s.between(s.opt.Ledger.Lag), "submit done", func() {
			n.event(incarnation, voting.SubmitDone{At: n.clock(), Op: e.Op, Task: e.Task, Round: e.Round, Seat: e.Seat, Class: class})
		})
	}
	if n.stranded(e.Task) {
		s.queue.in(2_000, "not taken", func() { report(voting.Failed) })
		return
	}
	if n.blind(e.Task) || s.chance(s.opt.Ledger.Drop) {
		n.drops = append(n.drops, opinionRun{task: e.Task, round: e.Round})
		s.queue.in(10_000, "dropped", func() { report(voting.Failed) })
		return
	}
	if e.Op == voting.OpCommit && s.sealedOf(e.Task, e.Round, n.judge, e.Commitment) == nil {
		s.sealed = append(s.sealed, sealed{e.Task, e.Round, n.judge, e.Opening})
	}
	if e.Op == voting.OpCarry || e.Op == voting.OpRelay {
		s.ref.favoured(n, e)
	}
	land := func() voting.SubmitClass {
		err := s.execute(n.id, func() error { return s.apply(n, e) })
		switch {
		case err == nil && e.Op == voting.OpRelay:
			s.result.Relayed++
		case err == nil && e.Op == voting.OpCarry:
			s.result.Carried++
		}
		return classify(err)
	}
	s.queue.in(s.between(s.opt.Ledger.Landing), "land "+e.Op.String(), func() { report(land()) })
	if s.chance(s.opt.Ledger.Duplicate) {
		s.queue.in(s.between(s.opt.Ledger.Landing), "land twice "+e.Op.String(), func() { land() })
	}
}

// apply executes a transaction.
func (s *sim) apply(n *node, e voting.Submit) error {
	switch e.Op {
	case voting.OpDraw:
		return s.chain.Draw(e.Task)
	case voting.OpCommit:
		return s.chain.Commit(e.Task, e.Round, n.judge, e.Commitment)
	case voting.OpCarry:
		return s.chain.RelayCommit(e.Relay)
	case voting.OpReveal, voting.OpRelay:
		return s.chain.Reveal(e.Task, e.Round, e.Judge, e.Opening)
	case voting.OpSettle:
		return s.chain.Settle(e.Task)
	case voting.OpExpire:
		return s.chain.ExpireCase(e.Task)
	case voting.OpSlash:
		err := s.chain.SlashEquivocation(e.Evidence)
		if err == nil {
			s.ref.slashed(e.Evidence.Judge)
		}
		return err
	case voting.OpClaim:
		return s.chain.Claim(e.Judge)
	}
	return hopeless("BadInstruction")
}

func classify(err error) voting.SubmitClass {
	var refusal *Refusal
	switch {
	case err == nil:
		return voting.Landed
	case errors.As(err, &refusal) && refusal.Hopeless:
		return voting.Hopeless
	}
	return voting.Moot
}

// sealedOf finds the sealed opening of a commitment.
func (s *sim) sealedOf(task voting.Key, round uint8, judge voting.Key, commitment voting.Hash) *voting.Opening {
	for i := range s.sealed {
		x := &s.sealed[i]
		if x.task == task && x.round == round && x.judge == judge &&
			s.chain.Domain.Commitment(task, round, judge, x.opening) == commitment {
			return &x.opening
		}
	}
	return nil
}
