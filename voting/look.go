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
	added := c == nil
	if added {
		if look.Finished(m.now) {
			return nil
		}
		c = &docket{task: look.Task}
		m.add(c)
	}
	m.blind = false
	before := m.importance(c)
	look.Seats = slices.Clone(look.Seats)
	c.look, c.seen, c.gone = look, true, false
	if (added || m.importance(c) != before) && !m.fits(c, added) {
		return nil
	}
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
