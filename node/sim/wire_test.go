package sim

import (
	"math/rand/v2"
	"sync"
	"time"

	"ojud/p2p/p2ptest"
)

// wire decides the fate of each packet.
type wire struct {
	cov *coverage

	mu     sync.Mutex
	rng    *rand.Rand
	nodes  int
	silent map[int]int // unreachable nodes, with the number of reasons
	now    *event      // the current fault of the wire
	began  time.Time
}

func newWire(net *p2ptest.Net, p plan, cov *coverage) *wire {
	w := &wire{cov: cov, rng: rand.New(rand.NewPCG(p.seed, 0x317e)), nodes: len(p.stakes), silent: map[int]int{}}
	net.Cut(w.lost)
	net.Slow(w.late)
	return w
}

// silence takes a node off the network, or lets it back.
func (w *wire) silence(node int, off bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if off {
		w.silent[node]++
	} else {
		w.silent[node]--
	}
}

// hold begins a fault; nil ends it.
func (w *wire) hold(e *event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now, w.began = e, time.Now()
}

// lost implements the function for p2ptest.Net.Cut.
func (w *wire) lost(from, to int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.silent[from] > 0 || w.silent[to] > 0 {
		return true
	}
	if w.now == nil || !w.takes(*w.now, from, to) {
		return false
	}
	w.cov.effect(string(w.now.kind))
	return true
}

func (w *wire) takes(e event, from, to int) bool {
	across := p2ptest.Halves(from, to)
	switch e.kind {
	case loss:
		return w.rng.Float64() < 0.02+0.23*e.dose
	case halves:
		return across
	case bridge: // one node has links to both halves
		return across && from != e.node && to != e.node
	case star: // all links go through one node
		return from != e.node && to != e.node
	case oneWay: // the odd hear the even, and not the other way round
		return across && from%2 == 1
	case flapping:
		period := time.Duration(2+int(6*e.dose)) * time.Second
		return across && time.Since(w.began)/period%2 == 0
	}
	return false
}

// late implements the function for p2ptest.Net.Slow.
func (w *wire) late(int, int) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now == nil {
		return 0
	}
	switch w.now.kind {
	case delay:
		w.cov.effect(string(delay))
		return time.Duration((0.2 + 1.8*w.now.dose) * float64(time.Second))
	case reorder:
		w.cov.effect(string(reorder))
		return time.Duration(w.rng.Float64() * (0.05 + w.now.dose) * float64(time.Second))
	}
	return 0
}
