package evidence

import (
	"context"
	"sync"
)

// gate runs functions on goroutines of their own, a bounded number at a time.
type gate struct {
	room    chan struct{}
	running sync.WaitGroup
}

func newGate(limit int) *gate { return &gate{room: make(chan struct{}, limit)} }

// run waits for room, starts f, and gives the room back when f calls leave or returns. It is false
// if ctx ended before.
func (g *gate) run(ctx context.Context, f func(leave func())) bool {
	select {
	case g.room <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	g.running.Go(func() {
		leave := sync.OnceFunc(func() { <-g.room })
		defer leave()
		f(leave)
	})
	return true
}

// wait returns when all functions have returned.
func (g *gate) wait() { g.running.Wait() }
