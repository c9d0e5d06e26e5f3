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

// Panel returns the seats of a round that the chain shows: the latest, or the one appealed.
func (c *Case) Panel(round uint8) []Seat {
	switch {
	case round == 0:
	case round == c.SeatsRound():
		return c.Seats
	case c.Appealed() && round == c.FirstRound:
		return c.First
	}
	return nil
}

// Panels returns the numbers of the rounds that Panel knows, in their order.
func (c *Case) Panels() []uint8 {
	var out []uint8
	if c.Appealed() {
		out = append(out, c.FirstRound)
	}
	if round := c.SeatsRound(); round > 0 {
		out = append(out, round)
	}
	return out
}

// number is the program's number of a seat. Those of an appeal come behind the first panel's.
func (c *Case) number(round uint8, seat int) uint8 {
	if round > c.Rules.MaxRounds {
		return c.Rules.PanelSeats + uint8(seat)
	}
	return uint8(seat)
}

// Appealed reports whether the verdict of the first panel was appealed.
func (c *Case) Appealed() bool { return len(c.First) > 0 }

// Sat reports whether judge has a seat in a panel that the chain shows.
func (c *Case) Sat(judge Key) bool { return c.SeatOf(judge) >= 0 || seatIn(c.First, judge) >= 0 }

// decided reports whether a round that Panel knows has ended a level of the case.
func (c *Case) decided(round uint8) bool {
	return c.Status == Appealable || c.Status.Over() || c.Appealed() && round == c.FirstRound
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
func (c *Case) SeatOf(judge Key) int { return seatIn(c.Seats, judge) }

// seatIn returns the number of judge's seat in a panel, or −1.
func seatIn(seats []Seat, judge Key) int {
	for i := range seats {
		if seats[i].Judge == judge {
			return i
		}
	}
	return -1
}
