package cluster

import (
	"context"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// The clock is moved to the end of a phase if the case has not changed for stillDone after all
// running judges have acted, or for stillSlow, because a judge may only be slow.
const (
	stillDone = time.Second
	stillSlow = 45 * time.Second
	warpEvery = 250 * time.Millisecond
)

// warp moves the chain's clock to the next deadline of the case if nothing happens any more. It
// ends with ctx.
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
			continue // no case yet, or ctx ended
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
			p.say("All judges that run have acted: the chain's clock is moved by %s.", by)
			since = time.Now()
		}
	}
}

// moved reports whether a case changed.
func moved(a, b *program.Case) bool {
	return a.Status != b.Status || a.Round != b.Round || a.Committed != b.Committed || a.Revealed != b.Revealed ||
		a.SeedSlot != b.SeedSlot
}

// idle returns how far the clock may be moved: 0 if a judge may still act.
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
		return 0 // a model may be slow, but its judge votes in time
	}
	if !acted && p.cfg.Warp != WarpStill || acted && !p.waits(c) {
		return 0
	}
	if !known || still < stillDone || !acted && still < stillSlow {
		return 0
	}
	return max(0, time.Duration(ends-at.Unix)*time.Second)
}

// waits reports whether the round waits for a judge that does not act. Otherwise the nodes end the
// phase themselves.
func (p *play) waits(c *program.Case) bool {
	const _ = uint(6 - voting.Statuses) // a seventh status may wait for a judge
	if c.Status == voting.Revealing || c.Revealed > 0 {
		return c.Revealed < c.Committed
	}
	return int(c.Committed) < len(c.Seats)
}

// seated returns how many seats should act: all except the cluster's own judges that do not run or
// equivocate. A judge from another process counts, because its node may run.
func (p *play) seated(c *program.Case) int {
	out := map[onchain.Address]bool{}
	for _, m := range p.members {
		out[m.Authority()] = m.node == nil || m.Part == Equivocating
	}
	n := 0
	for _, s := range c.Seats {
		if !out[s.Judge] {
			n++
		}
	}
	return n
}
