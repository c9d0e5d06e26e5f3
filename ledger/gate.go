package ledger

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// gate lets requests out: so many at once, so many a second, and none while the node asked for a pause.
type gate struct {
	slots   chan struct{}
	limiter *rate.Limiter

	mu    sync.Mutex
	until time.Time // nobody leaves before
}

func newGate(cfg Calls) *gate {
	limit := rate.Limit(cfg.Rate)
	if cfg.Rate == 0 {
		limit = rate.Inf
	}
	return &gate{slots: make(chan struct{}, cfg.MaxInFlight), limiter: rate.NewLimiter(limit, max(cfg.Burst, 1))}
}

// enter waits for its turn; the caller must leave. If the turn comes after ctx ends it fails at once, and again says when to come
// back.
func (g *gate) enter(ctx context.Context) (again time.Duration, err error) {
	for pause := g.pause(); pause > 0; pause = g.pause() {
		if end, ok := ctx.Deadline(); ok && time.Until(end) < pause {
			return pause, fmt.Errorf("%w: it asked to be left alone for %v", ErrRateLimited, pause.Round(time.Second))
		}
		if err := wait(ctx, pause); err != nil {
			return 0, err
		}
	}
	if err := g.limiter.Wait(ctx); err != nil {
		return 0, fmt.Errorf("%w: calls.rate lets no request out in time: %w", ErrRateLimited, err)
	}
	select {
	case g.slots <- struct{}{}:
		return 0, nil
	case <-ctx.Done():
		return 0, fmt.Errorf("%w: %d requests wait for an answer: %w", ErrUnavailable, cap(g.slots), context.Cause(ctx))
	}
}

func (g *gate) leave() { <-g.slots }

// hold lets nobody out for a while: the node said when it wants to hear from us again.
func (g *gate) hold(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(d); until.After(g.until) {
		g.until = until
	}
}

func (g *gate) pause() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Until(g.until)
}
