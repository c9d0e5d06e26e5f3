package voting

import (
	"fmt"
	"slices"
)

// caseSeen adopts a look at a case, unless a newer one came already.
func (m *Machine) caseSeen(e CaseSeen) error {
	chain := e.Case
	if err := checkCase(&chain); err != nil {
		return err
	}
	c := m.cases.find(chain.Task)
	if c != nil && chain.Slot < c.chain.Slot {
		return nil
	}
	added := c == nil
	if added {
		if chain.Finished(m.now) {
			return nil
		}
		c = &caseState{task: chain.Task}
		m.cases.add(c)
	}
	m.blind = false
	before := m.capacity.importance(c)
	chain.Seats, chain.First = slices.Clone(chain.Seats), slices.Clone(chain.First)
	c.chain, c.seen, c.gone = chain, true, false
	if (added || m.capacity.importance(c) != before) && !m.capacity.fits(c, added) {
		return nil
	}
	c.drawAt = m.cfg.Params.drawableAt(&chain, m.now)
	c.trim()
	c.redraw()
	m.drive(c)
	return nil
}

// checkLook refuses what the program cannot have written.
func checkCase(c *Case) error {
	const _ = uint(6 - Statuses) // which seats has a case with a seventh status?
	switch {
	case c.Status < AwaitingDraw || c.Status > Appealable:
		return fmt.Errorf("%w: case with %s", errEvent, c.Status)
	case c.Round == 0 || c.Round > MaxRound:
		return fmt.Errorf("%w: case in round %d", errEvent, c.Round)
	case len(c.Seats) > MaxSeats || len(c.First) > MaxSeats:
		return fmt.Errorf("%w: case with %d and %d seats", errEvent, len(c.First), len(c.Seats))
	case c.Appealed() && (c.FirstRound == 0 || c.FirstRound >= c.Round):
		return fmt.Errorf("%w: first panel of round %d in round %d", errEvent, c.FirstRound, c.Round)
	case c.Round == 1 && c.Status == AwaitingDraw && len(c.Seats) > 0, c.Live() && len(c.Seats) == 0:
		return fmt.Errorf("%w: case in %s of round %d with %d seats", errEvent, c.Status, c.Round, len(c.Seats))
	}
	return nil
}

// caseGone learns that the chain does not show the case. This node's statements in it are kept for
// a while, because the case can come back after a rollback with the same rounds.
func (m *Machine) caseGone(e CaseGone) {
	c := m.cases.find(e.Task)
	if c == nil || e.Slot < c.chain.Slot {
		return
	}
	c.chain.Slot = e.Slot
	if !c.gone {
		c.gone, c.goneAt = true, m.now
	}
	m.drive(c)
}

// retire forgets a case when nothing can come of it any more.
func (m *Machine) retire(c *caseState) {
	over := c.seen && c.chain.Status.Over()
	if !over && !c.gone {
		return
	}
	end := c.goneAt + int64(m.cfg.Params.KeepGone)
	if finish := c.chain.SettledAt + int64(c.chain.Rules.EvidenceSeconds); over && (!c.gone || finish < end) {
		end = finish
	}
	if m.now < end {
		c.wakeAt(end)
		return
	}
	m.cases.remove(c)
	m.emit(Forget{Task: c.task})
}
