package voting

// opinionDeadline is when the judge must have an opinion: the margin, at most a quarter of the
// commit time, before the commits end.
func (p *Params) opinionDeadline(c *Case) int64 {
	return c.CommitEnds - int64(min(p.OpinionMargin, c.Rules.CommitSeconds/4))
}

// relayFrom is when nodes begin to reveal for seats that have not.
func (p *Params) relayFrom(c *Case) int64 { return c.RevealEnds - p.relayMargin(c) }

func (p *Params) relayMargin(c *Case) int64 {
	return int64(min(p.RelayMargin, c.Rules.RevealSeconds/2))
}

// relayRequestFrom is when a judge asks others to bring its commitment to the chain, if the chain
// does not show it, even if it heard of no failure of its own transaction. An opinion at its
// deadline leaves some time to the end of commits. The judge asks after half of that time.
func (p *Params) relayRequestFrom(c *Case) int64 {
	return c.CommitEnds - int64(min(p.OpinionMargin, c.Rules.CommitSeconds/4)/2)
}

// relayDelay is how long a node that was asked leaves the judge to commit after all.
func (p *Params) relayDelay(c *Case, now int64) int64 {
	return min(int64(p.RelayDelay), (c.CommitEnds-now)/4)
}

// revealDelay is the same for a vote.
func (p *Params) revealDelay(c *Case) int64 { return int64(min(p.RelayDelay, c.Rules.RevealSeconds/8)) }

// drawableAt guesses, from a look at time now, when the seed slot is or was over. A turn counts
// from then: a node that is started again and again would never have one that counts from its
// start.
func (p *Params) drawableAt(c *Case, now int64) int64 {
	if c.CanDraw(c.Slot) {
		return now - p.lasts(c.Slot-c.SeedSlot-1)
	}
	return now + p.lasts(c.SeedSlot-c.Slot+1)
}

// lasts is how many seconds so many slots take, rounded up. Far more than the 512 in which a draw
// is possible must not overflow.
func (p *Params) lasts(slots uint64) int64 {
	return int64((min(slots, 1<<20)*uint64(p.SlotMillis) + 999) / 1000)
}

// timer is a point in time that also counts as reached when the clock has gone back to before it
// was set: a rollback must not put anything off for hours.
type timer struct{ set, at int64 }

func after(now int64, seconds uint32) timer { return timer{now, now + int64(seconds)} }

func (t timer) due(now int64) bool { return now >= t.at || now < t.set }

// backoff is the wait after the given number of failures in a row.
func (p *Params) backoff(tries int, urgent bool) uint32 {
	limit := p.RetryMax
	if urgent { // a commit or reveal has minutes, not hours
		limit = min(limit, 4*p.RetryMin)
	}
	wait := p.RetryMin
	for range min(tries, 16) {
		wait = min(2*wait, limit)
	}
	return min(wait, limit)
}
