package schema

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ojud/test/longtest"
)

// TestHostile: each hostile schema is either refused or checked within a second of processor time.
func TestHostile(t *testing.T) {
	longtest.Only(t)
	for name, c := range hostile() {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			before := processor(t)
			s, err := Compile([]byte(c[0]), most())
			if err != nil {
				t.Fatalf("not compiled, so nothing is tested: %v", err)
			}
			compiled := processor(t)
			bad, err := s.Check(t.Context(), []byte(c[1]))
			took := processor(t) - compiled
			if err != nil && !strings.Contains(err.Error(), errCost.Error()) {
				t.Error(err)
			}
			t.Logf("compiled in %s, checked in %s: %d violations, %v", compiled-before, took, len(bad), err)
			if compiled-before > time.Second || took > time.Second {
				t.Errorf("compiled in %s, checked in %s", compiled-before, took)
			}
		})
	}
}

// processor returns the processor time of this thread. The test must lock the thread.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var used unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Nano())
}

// countdown is a context that ends after a number of looks. It notes the longest processor time
// that the validator works between two looks.
type countdown struct {
	context.Context
	t     *testing.T
	left  int
	last  time.Duration
	worst time.Duration
}

func (c *countdown) Err() error {
	now := processor(c.t)
	if c.last > 0 {
		c.worst = max(c.worst, now-c.last)
	}
	c.last = now
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestStops: between two looks at its context, a check works for less than 10 ms, even at the
// limits. If the context has ended, the check ends at the next look.
func TestStops(t *testing.T) {
	longtest.Only(t)
	const never, atMost = 1 << 30, 10 * time.Millisecond
	for name, c := range hostile() {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			s, err := Compile([]byte(c[0]), most())
			if err != nil {
				t.Fatal(err)
			}
			doc, err := most().Decode([]byte(c[1]))
			if err != nil {
				t.Fatal(err)
			}
			ctx := &countdown{Context: t.Context(), t: t, left: never}
			worst := time.Hour
			for range 20 { // it may have to help the garbage collector
				*ctx = countdown{Context: t.Context(), t: t, left: never}
				_, _ = s.Validate(ctx, doc)
				worst = min(worst, max(ctx.worst, processor(t)-ctx.last))
				if worst <= atMost {
					break
				}
			}
			looks := never - ctx.left
			t.Logf("%d looks, at most %s between two", looks, worst)
			if worst > atMost {
				t.Errorf("%s between two looks", worst)
			}
			end := &countdown{Context: t.Context(), t: t, left: looks / 2}
			if _, err := s.Validate(end, doc); !errors.Is(err, context.Canceled) && err == nil {
				t.Errorf("not stopped: %v", err)
			} else if end.left < -2 {
				t.Errorf("%d looks after the end", -2-end.left)
			}
		})
	}
}
