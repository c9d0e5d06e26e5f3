package voting

import "fmt"

// hear takes a notice that View.Check let pass. The case may have moved on since: what does not fit any more is dropped.
func (m *Machine) hear(e NoticeReceived) error {
	if e.Notice.notice == nil {
		return fmt.Errorf("%w: notice that View.Check did not pass", ErrEvent)
	}
	task, round, judge := e.Notice.notice.Seat()
	c := m.find(task)
	if c == nil || !c.seen || c.gone || round != c.look.SeatsRound() {
		return nil
	}
	i := c.look.SeatOf(judge)
	if i < 0 {
		return nil
	}
	h := c.hearing(round)
	switch n := e.Notice.notice.(type) {
	case Commit:
		m.hearCommit(c, h, &c.look.Seats[i], n)
	case Vote:
		m.hearVote(c, h, n)
	case Relay:
		m.hearRelay(c, h, &c.look.Seats[i], n)
	}
	m.drive(c)
	return nil
}

func (m *Machine) hearCommit(c *docket, h *hearing, seat *Seat, n Commit) {
	if n.Judge == m.cfg.Judge {
		m.hearOwn(c, h, n)
		return
	}
	before := len(h.of(n.Judge).commits)
	h.addCommit(n)
	known := h.of(n.Judge).commits
	if before == 0 {
		m.emit(Persist{Heard{At: m.now, Commit: n}})
	}
	if len(known) < 2 || h.proven(n.Judge) {
		return
	}
	p := Proof{At: m.now, Evidence: Evidence{
		Task: n.Task, Round: n.Round, Judge: n.Judge, Peer: seat.Peer, A: known[0].Signed, B: known[1].Signed,
	}}
	h.proofs = append(h.proofs, p)
	m.emit(Persist{p})
	m.emit(Testify{Kind: TestifyEquivocation, Task: n.Task, Round: n.Round, Evidence: p.Evidence})
}

// hearVote keeps a judge's first vote. The own one is in the journal already. One that comes too early is kept aside.
func (m *Machine) hearVote(c *docket, h *hearing, n Vote) {
	old := h.of(n.Judge)
	switch {
	case old.vote != nil:
		return
	case c.look.Live() && !c.look.CommitsOver(m.now):
		if old.early == nil {
			old.early = &n
			h.set(old)
		}
		return
	}
	h.addVote(n)
	if n.Judge != m.cfg.Judge {
		m.emit(Persist{HeardVote{At: m.now, Task: n.Task, Round: n.Round, Judge: n.Judge, Opening: n.Opening, Vote: n.Raw}})
	}
}

// ripen takes the votes that were kept aside, once the commits are over, if they open what the chain shows.
func (m *Machine) ripen(c *docket) {
	h := c.rounds[c.look.SeatsRound()]
	if h == nil || c.look.Live() && !c.look.CommitsOver(m.now) {
		return
	}
	for _, n := range h.notices { // as they were: set replaces the slice
		if n.early == nil {
			continue
		}
		early := *n.early
		n.early = nil
		h.set(n)
		if i := c.look.SeatOf(n.judge); i >= 0 && c.look.Seats[i].opened(m.cfg.Domain.Commitment(c.task, h.number, n.judge, early.Opening)) {
			m.hearVote(c, h, early)
		}
	}
}

// hearOwn deals with a statement that carries this node's own signature. One that the journal does not know was signed by
// another copy of the node, or before the journal was lost: either way nothing is signed in that round any more.
func (m *Machine) hearOwn(c *docket, h *hearing, n Commit) {
	if h.cast != nil && h.cast.Commitment == n.Commitment || h.foreign != nil {
		return
	}
	h.foreign = &Foreign{At: m.now, Commit: n}
	h.addCommit(n)
	m.emit(Persist{*h.foreign})
	m.stop(c, h)
	if h.cast == nil && m.distrusts(c) {
		return // the statement of the time before the journal was lost
	}
	h.conflicted = true
	m.emit(Conflict{Task: c.task, Round: h.number, Evidence: "a statement of this node that it did not sign: " + n.String(), Signed: h.cast != nil, Proven: true})
}

// proven reports whether evidence against judge is there.
func (h *hearing) proven(judge Key) bool {
	for i := range h.proofs {
		if h.proofs[i].Judge == judge {
			return true
		}
	}
	return false
}
