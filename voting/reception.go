package voting

import (
	"fmt"
	"slices"
)

// reception takes notices of other judges. It owns what was heard of each judge, and the evidence.
type reception struct {
	*self
	judging *judging
}

// noticeReceived takes a notice that View.Check let pass. The case may have moved on since, so a
// notice that does not fit any more is dropped.
func (m *Machine) noticeReceived(e NoticeReceived) error {
	if e.Notice.notice == nil {
		return fmt.Errorf("%w: notice that View.Check did not pass", errEvent)
	}
	task, round, judge := e.Notice.notice.Seat()
	c := m.cases.find(task)
	if c == nil || !c.seen || c.gone {
		return nil
	}
	seats := c.chain.Panel(round)
	i := seatIn(seats, judge)
	if i < 0 {
		return nil
	}
	h := c.round(round)
	switch n := e.Notice.notice.(type) {
	case Commit:
		m.reception.takeCommit(c, h, &seats[i], n)
	case Vote:
		m.reception.takeVote(c, h, n)
	case Relay:
		m.reception.takeRelay(c, h, &seats[i], n)
	}
	m.drive(c)
	return nil
}

func (r *reception) takeCommit(c *caseState, h *roundState, seat *Seat, n Commit) {
	if n.Judge == r.cfg.Judge {
		r.takeOwnCommit(c, h, n)
		return
	}
	before := len(h.of(n.Judge).commits)
	h.addCommit(n)
	known := h.of(n.Judge).commits
	if before == 0 {
		r.emit(Persist{Heard{At: r.now, Commit: n}})
	}
	if len(known) < 2 || h.proven(n.Judge) {
		return
	}
	p := Proof{At: r.now, Evidence: Evidence{
		Task: n.Task, Round: n.Round, Judge: n.Judge, Peer: seat.Peer, A: known[0].Signed, B: known[1].Signed,
	}}
	h.proofs = append(h.proofs, p)
	r.emit(Persist{p})
	r.emit(Testify{Kind: TestifyEquivocation, Task: n.Task, Round: n.Round, Evidence: p.Evidence})
}

// takeVote keeps a judge's first vote. The own one is in the journal already. One that comes too
// early is kept aside.
func (r *reception) takeVote(c *caseState, h *roundState, n Vote) {
	old := h.of(n.Judge)
	switch {
	case old.vote != nil:
		return
	case c.live() == h && !c.chain.CommitsOver(r.now):
		if old.early == nil {
			old.early = &n
			h.set(old)
		}
		return
	}
	h.addVote(n)
	if n.Judge != r.cfg.Judge {
		r.emit(Persist{HeardVote{At: r.now, Task: n.Task, Round: n.Round, Judge: n.Judge, Opening: n.Opening, Vote: n.Raw}})
	}
}

// takeEarlyVotes takes the votes that were kept aside, once the commits are over, if they open what
// the chain shows.
func (r *reception) takeEarlyVotes(c *caseState) {
	h := c.rounds[c.chain.SeatsRound()]
	if h == nil || c.chain.Live() && !c.chain.CommitsOver(r.now) {
		return
	}
	for _, n := range h.heard { // as they were: set replaces the slice
		if n.early == nil {
			continue
		}
		early := *n.early
		n.early = nil
		h.set(n)
		if i := c.chain.SeatOf(n.judge); i >= 0 && c.chain.Seats[i].opened(r.cfg.Domain.Commitment(c.task, h.number, n.judge, early.Opening)) {
			r.takeVote(c, h, early)
		}
	}
}

// takeOwnCommit deals with a statement that carries this node's own signature. One that the journal
// does not know was signed by another copy of the node, or before the journal was lost: either way
// nothing is signed in that round any more.
func (r *reception) takeOwnCommit(c *caseState, h *roundState, n Commit) {
	if h.cast != nil && h.cast.Commitment == n.Commitment || h.foreign != nil {
		return
	}
	h.foreign = &Foreign{At: r.now, Commit: n}
	h.addCommit(n)
	r.emit(Persist{*h.foreign})
	r.judging.stop(c, h)
	if h.cast == nil && r.distrusts(c) {
		return // the statement of the time before the journal was lost
	}
	h.conflicted = true
	r.emit(Conflict{Task: c.task, Round: h.number, Evidence: "a statement of this node that it did not sign: " + n.String(), Signed: h.cast != nil, Proven: true})
}

// proven reports whether evidence against judge is there.
func (h *roundState) proven(judge Key) bool {
	return slices.ContainsFunc(h.proofs, func(p Proof) bool { return p.Judge == judge })
}

// takeRelay takes a request, and the statement in it. It does not help a judge with two known
// statements.
func (r *reception) takeRelay(c *caseState, h *roundState, seat *Seat, n Relay) {
	r.takeCommit(c, h, seat, n.Commit)
	known := h.of(n.Judge)
	if n.Judge == r.cfg.Judge || known.request != nil || len(known.commits) != 1 || known.commits[0].Commitment != n.Commitment {
		return
	}
	known.request = &n
	h.set(known)
}
