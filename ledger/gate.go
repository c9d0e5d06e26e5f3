package ledger

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// gate bounds the requests to the node: how many are under way, how many start in a second, and none during a pause that the
// node asked for. Providers limit lists of accounts on their own, so a pause after a refused list holds only lists.
type gate struct {
	slots   chan struct{}
	limiter *rate.Limiter

	mu    sync.Mutex
	until map[bool]time.Time // no request starts before; true: lists, false: all other requests
}

func newGate(cfg Calls) *gate {
	limit := rate.Limit(cfg.Rate)
	if cfg.Rate == 0 {
		limit = rate.Inf
	}
	return &gate{
		slots: make(chan struct{}, cfg.MaxInFlight), limiter: rate.NewLimiter(limit, max(cfg.Burst, 1)),
		until: make(map[bool]time.Time),
	}
}

// enter waits until a request may start. The caller must call leave. If the pause lasts longer than ctx, enter fails at once, and
// again is the rest of the pause.
func (g *gate) enter(ctx context.Context, list bool) (again time.Duration, err error) {
	for pause := g.pause(list); pause > 0; pause = g.pause(list) {
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

// hold starts a pause because the node said when it will accept requests again.
func (g *gate) hold(d time.Duration, list bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(d); until.After(g.until[list]) {
		g.until[list] = until
	}
}

func (g *gate) pause(list bool) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(time.Until(g.until[false]), time.Until(g.until[list]))
}
