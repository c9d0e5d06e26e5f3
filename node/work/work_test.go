package work_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ojud/node/work"
)

// TestGroup: the first failure is reported, a job that ends with its context is no failure, and
// Wait waits for all jobs.
func TestGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		g, broken, ended := work.NewGroup(), errors.New("broken"), atomic.Int32{}
		until := func(d time.Duration, err error) func(context.Context) error {
			return func(ctx context.Context) error {
				work.Pause(ctx, d)
				ended.Add(1)
				return err
			}
		}
		g.Start(ctx, work.Job{Name: "late", Run: until(2*time.Second, errors.New("too late"))}, work.Job{Name: "early", Run: until(time.Second, broken)},
			work.Job{Name: "stopped", Run: until(time.Hour, context.Canceled)})
		if err := <-g.Failed(); !errors.Is(err, broken) {
			t.Error(err)
		}
		stop()
		g.Wait()
		if n := ended.Load(); n != 3 {
			t.Errorf("%d of 3 jobs ended", n)
		}
		select {
		case err := <-g.Failed():
			t.Errorf("a second failure: %v", err)
		default:
		}
		if work.Pause(ctx, time.Hour) {
			t.Error("a pause goes on although its context has ended")
		}
	})
}
