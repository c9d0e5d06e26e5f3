package model

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ojud/agent"
)

// Session is the ladder for one case, within a budget. Several goroutines may use it.
type Session struct {
	ladder *Ladder
	meter  *meter
	met    sync.Map // rungs that were asked
}

var _ agent.Model = (*Session)(nil)

// Session returns the ladder with its own budget. With a Cost of zero, free models are asked.
func (l *Ladder) Session(b Budget) *Session { return &Session{ladder: l, meter: &meter{budget: b}} }

// Budget returns the configured budget of one case.
func (l *Ladder) Budget() Budget { return l.config.Budget }

// Usage returns the cost of the case so far, with failed requests.
func (c *Session) Usage() agent.Usage { return c.meter.usage() }

// Take takes tokens and money out of the budget that something else than the ladder's models
// spends. The error wraps agent.ErrSpent if less is left, and then nothing is taken.
func (c *Session) Take(u agent.Usage) error {
	aside, err := c.meter.reserve(agent.Usage{Prompt: u.Prompt, Completion: u.Completion, Cost: u.Cost})
	if err == nil {
		c.meter.settle(aside, aside)
	}
	return err
}

// Name implements agent.Model.
func (c *Session) Name() string { return c.ladder.Name() }

// Generate implements agent.Model. It asks the models in order until one answers. Its error wraps
// the faults of all that were asked. If agent.ErrSpent is among them, the budget was too small for
// at least one of them. The reply's usage is set even with an error.
func (c *Session) Generate(ctx context.Context, p agent.Prompt) (agent.Reply, error) {
	if err := check(p); err != nil {
		return agent.Reply{}, err
	}
	climb := c.ladder.order(p, time.Now())
	if len(climb) == 0 {
		return agent.Reply{}, agent.ErrTools
	}
	var used agent.Usage
	var faults []error
	for len(climb) > 0 {
		var r *rung
		var limit time.Duration
		if r, climb, limit = c.next(ctx, climb, len(faults) == 0); r == nil {
			break
		}
		reply, err := c.try(ctx, r, p, limit)
		used.Add(reply.Usage)
		reply.Usage = used
		if err == nil {
			reply.Family = r.entry.Family
			return reply, nil
		}
		faults = append(faults, fmt.Errorf("%s: %w", r.entry.Name, err))
	}
	return agent.Reply{Usage: used}, c.verdict(ctx, faults)
}

func (c *Session) try(ctx context.Context, r *rung, p agent.Prompt, limit time.Duration) (agent.Reply, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if _, again := c.met.LoadOrStore(r, true); !again {
		r.tally.session()
	}
	return r.generate(limited, p, c.meter)
}

// verdict joins the faults.
func (c *Session) verdict(ctx context.Context, faults []error) error {
	if err := ctx.Err(); err != nil {
		faults = append(faults, fmt.Errorf("%w: %w", agent.ErrDown, err))
	}
	if len(faults) == 0 {
		return fmt.Errorf("%w: no model answers in the time that is left", agent.ErrDown)
	}
	return errors.Join(faults...)
}

// next picks the next model that usually answers in the time left, its time limit, and the models
// after it. If there is none and nothing was asked yet, it picks one that answers in time at least
// half of the time.
func (c *Session) next(ctx context.Context, climb []*rung, first bool) (*rung, []*rung, time.Duration) {
	left, now := remaining(ctx), time.Now()
	if left <= 0 {
		return nil, nil, 0
	}
	for i, r := range climb {
		rest := climb[i+1:]
		if _, most := r.pace.measured(now); most < left {
			return r, rest, max(left-reserve(rest, left, now), min(roomy(most), left))
		}
		c.ladder.log.DebugContext(ctx, "a model is too slow for the time left", "model", r.entry.Name, "left", left)
		r.metrics.slow(r.entry.Name)
	}
	if !first {
		return nil, nil, 0
	}
	return quickest(climb, left, now), nil, left
}

// quickest returns the model with the shortest median that fits into the time left, or nil.
func quickest(climb []*rung, left time.Duration, now time.Time) *rung {
	var best *rung
	for _, r := range climb {
		if median, _ := r.pace.measured(now); median < left {
			best, left = r, median
		}
	}
	return best
}

// unbounded is the time left of a call without a deadline.
const unbounded = 24 * time.Hour

func remaining(ctx context.Context) time.Duration {
	if ctx.Err() != nil {
		return 0
	}
	if end, ok := ctx.Deadline(); ok {
		return time.Until(end)
	}
	return unbounded
}

// reserve is the time that a model leaves to those after it, unless it usually needs it: the median
// of the quickest of them, or half of the time left if that is unknown, and never more than half.
func reserve(rest []*rung, left time.Duration, now time.Time) time.Duration {
	if len(rest) == 0 {
		return 0
	}
	least := left / 2
	for _, r := range rest {
		if _, most := r.pace.measured(now); most > 0 {
			least = min(least, roomy(most))
		}
	}
	return least
}

// roomy returns enough time for answers that usually take so long.
func roomy(most time.Duration) time.Duration { return most * 3 / 2 }
