//go:build unix

package node

import (
	"runtime"
	"testing"
	"time"

	"ojud/p2p/p2ptest/floor"
)

// idleness is the cost of a connected node while nothing happens.
type idleness struct{ memory, goroutines, cpu float64 } // bytes; processors

// idleFor measures n nodes for d after begin has started them.
func idleFor(b *testing.B, n int, d time.Duration, begin func()) (i idleness) {
	b.Helper()
	grown, before, busy := memory(b), runtime.NumGoroutine(), floor.Idle(b, d/2)
	begin()
	time.Sleep(d / 2) // dials and tables settle
	i.cpu = (floor.Idle(b, d) - busy) / float64(n)
	i.goroutines = float64(runtime.NumGoroutine()-before) / float64(n)
	i.memory = grown() / float64(n)
	return i
}
