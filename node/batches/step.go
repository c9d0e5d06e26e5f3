package batches

import (
	"ojud/golden/proctor"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// step is how far a leaf is.
type step uint8

// The steps of a leaf. From judging on its case is over, or will be.
const (
	unposted  step = iota // its task is not on the chain yet
	posted                // on the market
	taken                 // a stranger has claimed it; the leaf will be void, unless the stranger gives it back
	claimed               // by a worker of the proctor
	submitted             // the result is there
	objected              // the objection is there
	judging               // the case is open
	decided               // the case is over, and the leaf may be opened
	lost                  // no golden case will follow: it is void when it is opened
	open                  // the answer is in the case
	void                  // it is open, and no seat wins or loses by it
	applied               // the seats were paid by the answer
	steps
)

// names of the steps for people and for JSON.
func (s step) String() string {
	return [steps]string{"not posted", "on the market", "taken by a stranger", "claimed", "submitted", "objected", "before the court", "decided", "lost",
		"open", "void", "applied"}[s]
}

// least is how many seconds a leaf without a result needs for a golden case. A leaf is not posted
// if its case may take too long. One that waits for its worker may be over after a round.
func (s step) least(p program.Params) int64 {
	if s == unposted {
		return longest(p)
	}
	return int64(p.DrawSeconds) + int64(p.CommitSeconds) + int64(p.RevealSeconds)
}

// isOpen reports whether bit i of the batch is set.
func isOpen(b *program.Batch, i int) bool {
	return b != nil && b.Open[i/8]>>(i%8)&1 == 1
}

// step says how far a leaf is. ours tells the proctor's own workers from strangers; nil: nobody is
// one.
func (r *reading) step(i int, leaf proctor.Leaf, ours func(onchain.Address) bool) step {
	t, k := r.tasks[i], r.cases[i]
	if isOpen(r.batch, i) {
		switch {
		case k != nil && k.Golden != 0 && k.Batch == r.number && k.Applied == 1:
			return applied
		case k != nil && k.Golden != 0 && k.Batch == r.number, k == nil && t == nil:
			return open
		}
		return void
	}
	if t == nil {
		if a := r.agents[onchain.Address(leaf.Creator)]; a != nil && a.TasksCreated > leaf.Number {
			return lost // closed, or not of this batch
		}
		return unposted
	}
	if t.Seal != leaf.Hash() || !t.Engine.IsZero() || t.TaskHash != leaf.Task || r.batch != nil && t.CreatedAt < r.batch.CommittedAt {
		return lost // another task has the number
	}
	as := func(s step, holds bool) step {
		if holds {
			return s
		}
		return lost
	}
	result := t.ResultHash == leaf.Result
	objection := result && t.ObjectionHash == leaf.Objection
	counter := objection && t.CounterHash == leaf.Counter
	const _ = uint(11 - program.Undecided) // a later status may be another step
	switch t.Status {
	case program.Created:
		return posted
	case program.Claimed, program.InProgress:
		if ours != nil && !ours(t.Worker) {
			return taken
		}
		return claimed
	case program.Verification:
		return as(submitted, result)
	case program.Disputed:
		return as(objected, objection)
	case program.Judiciary:
		return as(judging, counter)
	}
	return as(decided, counter && k != nil && k.Status.Over())
}
