package p2p

import (
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p/wire"
)

// guard admits the streams of one protocol: so many at once, so many at once for
// one peer, so many a second from one peer.
type guard struct {
	limits Limits
	rates  *limiters
	slots  chan struct{}

	mu     sync.Mutex
	active map[peer.ID]int
}

func newGuard(lim Limits) *guard {
	return &guard{
		limits: lim, rates: newLimiters(lim.RatePerPeer, lim.Burst),
		slots: make(chan struct{}, lim.Concurrency), active: map[peer.ID]int{},
	}
}

// enter takes a place for a stream of p, which leave gives back.
func (g *guard) enter(p peer.ID) (leave func(), ok bool) {
	if !g.rates.of(p).Allow() || !g.join(p) {
		return nil, false
	}
	select {
	case g.slots <- struct{}{}:
	default:
		g.part(p)
		return nil, false
	}
	return func() { <-g.slots; g.part(p) }, true
}

func (g *guard) join(p peer.ID) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.active[p] >= g.limits.PerPeer {
		return false
	}
	g.active[p]++
	return true
}

func (g *guard) part(p peer.ID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.active[p]--; g.active[p] == 0 {
		delete(g.active, p)
	}
}

// refuse tells the other side that we are busy, without reading what it sent.
func refuse(s network.Stream, timeout time.Duration) {
	if s.SetWriteDeadline(time.Now().Add(min(timeout, time.Second))) != nil {
		reset(s)
		return
	}
	if _, err := s.Write(wire.AppendFrame(nil, wire.Busy, nil)); err != nil || s.Close() != nil {
		reset(s)
	}
}

// reset ends a stream that is of no more use. Its error is of none either: the
// stream is gone in any case.
func reset(s network.Stream) { _ = s.Reset() }
