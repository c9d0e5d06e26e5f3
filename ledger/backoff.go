package ledger

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// maxRetryAfter bounds how long a node may make us wait.
const maxRetryAfter = 2 * time.Minute

// backoff returns the wait after the n-th failure, from 0: least doubled n times, at most most, half of it jitter, so that the
// nodes of a network do not come back in step.
func backoff(n int, least, most time.Duration) time.Duration {
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

// wait sleeps, or returns why it must not.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
