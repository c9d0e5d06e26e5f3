package rpc

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// throttle bounds the requests to the node: how many are under way, how many start in a second, and
// none during a pause that the node asked for. Providers limit some methods more than others, so a
// pause holds only the method that was refused. If a second one is refused meanwhile, it holds all.
type throttle struct {
	slots   chan struct{}
	limiter *rate.Limiter

	mu    sync.Mutex
	until map[string]time.Time // no request of that method starts before; "": none at all
}

func newThrottle(cfg Calls) *throttle {
	limit := rate.Limit(cfg.Rate)
	if cfg.Rate == 0 {
		limit = rate.Inf
	}
	return &throttle{
		slots: make(chan struct{}, cfg.MaxInFlight), limiter: rate.NewLimiter(limit, max(cfg.Burst, 1)),
		until: make(map[string]time.Time),
	}
}

// enter waits until a request may start. The caller must call leave. If the pause lasts longer than
// ctx, enter fails at once, and again is the rest of the pause.
func (g *throttle) enter(ctx context.Context, method string) (again time.Duration, err error) {
	for pause := g.pause(method); pause > 0; pause = g.pause(method) {
		if end, ok := ctx.Deadline(); ok && time.Until(end) < pause {
			return pause, fmt.Errorf("%w: it asked to be left alone for %v", ErrRateLimited, pause.Round(time.Second))
		}
		if err := Wait(ctx, pause); err != nil {
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

func (g *throttle) leave() { <-g.slots }

// hold starts a pause because the node said when it will accept requests again.
func (g *throttle) hold(d time.Duration, method string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	for other, until := range g.until {
		switch {
		case !until.After(now):
			delete(g.until, other)
		case other != method && other != ListMethod && method != ListMethod:
			method = ""
		}
	}
	if until := now.Add(d); until.After(g.until[method]) {
		g.until[method] = until
	}
}

func (g *throttle) pause(method string) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(time.Until(g.until[""]), time.Until(g.until[method]))
}

// maxRetryAfter bounds how long a node may make us wait.
const maxRetryAfter = 2 * time.Minute

// Backoff returns the wait after failure n (from 0): least doubled n times, at most most. Half of
// it is random, so the nodes of a network do not return at the same time.
func Backoff(n int, least, most time.Duration) time.Duration {
	d := most
	if n < 32 && least<<n < most && least<<n > 0 {
		d = least << n
	}
	return d/2 + rand.N(d/2+1)
}

// retryAfter reads the header of that name (RFC 9110, section 10.2.3): seconds, or a date. 0: none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	d := time.Duration(0)
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		d = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		d = at.Sub(now)
	}
	return min(max(d, 0), maxRetryAfter)
}

// Wait sleeps, or returns why it must not.
func Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
