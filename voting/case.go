package voting

// SeatsRound is the round that the seats in c belong to: 0 if there are none. Until the next draw
// they are still those of the round before (protocol section 5): the seed slot is then newer than
// the slot that was drawn from.
func (c *Case) SeatsRound() uint8 {
	switch {
	case len(c.Seats) == 0:
		return 0
	case c.DrawnSlot < c.SeedSlot:
		return c.Round - 1
	}
	return c.Round
}

// Live reports whether a round is running: drawn and not settled.
func (c *Case) Live() bool { return c.Status == Committing || c.Status == Revealing }

// CanDraw reports whether a draw can succeed in that slot, as long as CanExpire is false: an entry
// of SlotHashes is always of an earlier slot.
func (c *Case) CanDraw(slot uint64) bool { return c.Status == AwaitingDraw && slot > c.SeedSlot }

// CanCommit reports whether a seat may commit at time now.
func (c *Case) CanCommit(now int64) bool { return c.Status == Committing && now < c.CommitEnds }

// CommitsOver reports whether the time to commit is over, so that votes may be shown.
func (c *Case) CommitsOver(now int64) bool {
	return c.Status == Revealing || c.Status == Committing && now >= c.CommitEnds
}

// CanReveal reports whether a seat may be revealed at time now.
func (c *Case) CanReveal(now int64) bool { return c.CommitsOver(now) && now < c.RevealEnds }

// CanSettle reports whether the round may be settled at time now: the time is over, or nothing more
// can come.
func (c *Case) CanSettle(now int64) bool {
	if !c.Live() {
		return false
	}
	return now >= c.RevealEnds || c.CommitsOver(now) && c.allRevealed()
}

// CanExpire reports whether the case may be ended for want of a draw.
func (c *Case) CanExpire(now int64) bool {
	const _ = uint(6 - Statuses) // a seventh status may be live, or end by time
	return c.Status == AwaitingDraw && now >= c.DrawBy
}

// Finished reports whether the case is over and the time for evidence too.
func (c *Case) Finished(now int64) bool {
	return c.Status.Over() && now >= c.SettledAt+int64(c.Rules.EvidenceSeconds)
}

// allRevealed reports whether every seat that committed and did not equivocate has revealed.
func (c *Case) allRevealed() bool {
	for i := range c.Seats {
		s := &c.Seats[i]
		if s.Committed && !s.Revealed && !s.Equivocated {
			return false
		}
	}
	return true
}

// SeatOf returns the number of judge's seat, or −1.
func (c *Case) SeatOf(judge Key) int {
	for i := range c.Seats {
		if c.Seats[i].Judge == judge {
			return i
		}
	}
	return -1
}
