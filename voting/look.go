package voting

import (
	"fmt"
	"slices"
)

// see adopts a look at a case, whatever was seen before, unless a newer one came already.
func (m *Machine) see(e CaseSeen) error {
	look := e.Case
	if err := checkLook(&look); err != nil {
		return err
	}
	c := m.find(look.Task)
	if c != nil && look.Slot < c.look.Slot {
		return nil
	}
	if c == nil {
		if look.Finished(m.now) {
			return nil
		}
		c = &docket{task: look.Task}
		if err := m.makeRoom(&look); err != nil || len(m.dockets) >= m.cfg.Params.MaxCases {
			return err
		}
		m.add(c)
	}
	m.blind = false
	look.Seats = slices.Clone(look.Seats)
	c.look, c.seen, c.gone = look, true, false
	c.drawAt = m.cfg.Params.drawableAt(&look, m.now)
	c.trim()
	c.redraw()
	m.drive(c)
	return nil
}

// checkLook refuses what the program cannot have written.
func checkLook(c *Case) error {
	switch {
	case c.Status < AwaitingDraw || c.Status > EndedUndecided:
		return fmt.Errorf("%w: case with %s", ErrEvent, c.Status)
	case c.Round == 0 || c.Round > MaxRounds:
		return fmt.Errorf("%w: case in round %d", ErrEvent, c.Round)
	case len(c.Seats) > MaxSeats:
		return fmt.Errorf("%w: case with %d seats", ErrEvent, len(c.Seats))
	case c.Round == 1 && c.Status == AwaitingDraw && len(c.Seats) > 0, c.Live() && len(c.Seats) == 0:
		return fmt.Errorf("%w: case in %s of round %d with %d seats", ErrEvent, c.Status, c.Round, len(c.Seats))
	}
	return nil
}

// miss learns that the chain does not show the case. What this node signed in it is kept for a while: the case can come back
// after a rollback, and then the same rounds with it.
func (m *Machine) miss(e CaseGone) {
	c := m.find(e.Task)
	if c == nil || e.Slot < c.look.Slot {
		return
	}
	c.look.Slot = e.Slot
	if !c.gone {
		c.gone, c.goneAt = true, m.now
	}
	m.drive(c)
}

// The ranks of cases when there is no room for all.
const (
	overAndDone = iota // nothing left to do in it
	others             // this node has no seat
	ours               // a seat, a vote or evidence of this node
)

// importance ranks a case that is followed.
func (m *Machine) importance(c *docket) int {
	for _, h := range c.rounds {
		if h != nil && (h.cast != nil || h.foreign != nil || h.recovered != nil || len(h.proofs) > 0) {
			return ours
		}
	}
	return m.importanceOf(&c.look)
}

// importanceOf ranks a case by a look.
func (m *Machine) importanceOf(look *Case) int {
	switch {
	case look.SeatOf(m.cfg.Judge) >= 0:
		return ours
	case look.Status.Over():
		return overAndDone
	}
	return others
}

// makeRoom gives up the least important case, the oldest of several, if all places are taken and the new one matters more.
func (m *Machine) makeRoom(look *Case) error {
	if len(m.dockets) < m.cfg.Params.MaxCases {
		return nil
	}
	var least *docket
	rank := m.importanceOf(look)
	for _, c := range m.dockets {
		r := m.importance(c)
		if r < rank || r == rank && least != nil && m.importance(least) == r && c.look.OpenedAt < least.look.OpenedAt {
			least, rank = c, r
		}
	}
	switch {
	case least != nil:
		m.stopAll(least)
		m.remove(least)
		m.emit(Forget{Task: least.task})
	case rank == ours:
		return fmt.Errorf("%w: %d", ErrTooManyCases, len(m.dockets))
	}
	return nil
}

// retire forgets a case when nothing can come of it any more.
func (m *Machine) retire(c *docket) {
	over := c.seen && c.look.Status.Over()
	if !over && !c.gone {
		return
	}
	end := c.goneAt + int64(m.cfg.Params.KeepGone)
	if finish := c.look.SettledAt + int64(c.look.Rules.EvidenceSeconds); over && (!c.gone || finish < end) {
		end = finish
	}
	if m.now < end {
		c.wakeAt(end)
		return
	}
	m.remove(c)
	m.emit(Forget{Task: c.task})
}
