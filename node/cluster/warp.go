package cluster

import (
	"context"
	"time"

	"ojud/ledger/program"
	"ojud/voting"
)

// How long the case must stand still before the clock is moved to the end of a phase: a moment when everybody who can has acted,
// longer when somebody may only be slow.
const (
	stillDone = time.Second
	stillSlow = 15 * time.Second
	warpEvery = 250 * time.Millisecond
)

// warp moves the chain's clock to the next deadline of the case whenever nothing happens any more. It ends with ctx.
func (p *play) warp(ctx context.Context) {
	tick := time.NewTicker(warpEvery)
	defer tick.Stop()
	var last program.Case
	since := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, _, err := p.treasury.client.Case(ctx, p.task)
		if err != nil {
			continue // not there yet, or ctx ended
		}
		if moved(&last, now) {
			last, since = *now, time.Now()
			continue
		}
		if by := p.idle(now, time.Since(since)); by > 0 {
			if err := p.chain.server.Warp(by); err != nil {
				p.log.Warn("the clock was not moved", "err", err)
				continue
			}
			p.say("Nobody else can act now: the clock is moved by %s.", by)
			since = time.Now()
		}
	}
}

// moved reports whether something happened in a case.
func moved(a, b *program.Case) bool {
	return a.Status != b.Status || a.Round != b.Round || a.Committed != b.Committed || a.Revealed != b.Revealed ||
		a.SeedSlot != b.SeedSlot || a.Pot != b.Pot
}

// idle is by how much the clock may be moved, 0 when somebody may still act.
func (p *play) idle(c *program.Case, still time.Duration) time.Duration {
	at, known := p.treasury.client.Clock().Last()
	var ends int64
	var acted bool
	switch c.Status {
	case voting.AwaitingDraw:
		ends, acted = c.DrawBy, false
	case voting.Committing:
		ends, acted = c.CommitEnds, int(c.Committed) >= p.seated(c)
	case voting.Revealing:
		ends, acted = c.RevealEnds, int(c.Revealed) >= p.seated(c)
	default:
		return 0
	}
	if c.Status == voting.Committing && at.Unix >= ends { // the chain says Commit until the first reveal
		ends, acted = c.RevealEnds, false
	}
	if thinks := p.cfg.Story == StoryJudges && c.Status == voting.Committing && !acted; thinks && at.Unix < ends {
		return 0 // a model takes as long as it takes, and its judge votes in time
	}
	if !known || still < stillDone || !acted && still < stillSlow {
		return 0
	}
	return max(0, time.Duration(ends-at.Unix)*time.Second)
}

// seated is how many seats have a node that runs and does what it should.
func (p *play) seated(c *program.Case) (n int) {
	for _, s := range c.Seats {
		for _, m := range p.running() {
			if m.Part != Equivocating && m.Authority() == s.Judge {
				n++
			}
		}
	}
	return n
}
