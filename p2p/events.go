package p2p

import (
	"context"
	"sync"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

// PeerEvent says that a link came up or that the last one to a peer went down.
//
// Connected may come again for a peer that is already connected: after a cut one side can notice
// the new link before it notices that the old one is dead. The caller should catch up on every
// Connected, and make that cheap to repeat.
type PeerEvent struct {
	Peer      peer.ID
	Connected bool
	Kept      bool // in the set given to Keep
}

// events turns the network's notifications into PeerEvents, in order for each peer, on its own
// goroutine. Between two deliveries it keeps only the newest state of a peer, so the bound on
// connections bounds it too.
type events struct {
	mu    sync.Mutex
	state map[peer.ID]bool
	order []peer.ID
	wake  chan struct{}
}

var _ network.Notifiee = (*events)(nil)

func newEvents() *events {
	return &events{state: map[peer.ID]bool{}, wake: make(chan struct{}, 1)}
}

// Listen, ListenClose, Connected and Disconnected implement network.Notifiee.
func (e *events) Listen(network.Network, ma.Multiaddr)      {}
func (e *events) ListenClose(network.Network, ma.Multiaddr) {}

func (e *events) Connected(_ network.Network, c network.Conn) { e.put(c.RemotePeer(), true) }

func (e *events) Disconnected(n network.Network, c network.Conn) {
	if p := c.RemotePeer(); n.Connectedness(p) != network.Connected {
		e.put(p, false)
	}
}

func (e *events) put(p peer.ID, connected bool) {
	e.mu.Lock()
	if _, pending := e.state[p]; !pending {
		e.order = append(e.order, p)
	}
	e.state[p] = connected
	e.mu.Unlock()
	poke(e.wake)
}

// take returns the events since the last call.
func (e *events) take() []PeerEvent {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]PeerEvent, 0, len(e.order))
	for _, p := range e.order {
		out = append(out, PeerEvent{Peer: p, Connected: e.state[p]})
	}
	clear(e.state)
	e.order = e.order[:0]
	return out
}

// run delivers events until ctx ends.
func (e *events) run(ctx context.Context, deliver func(PeerEvent)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
			for _, ev := range e.take() {
				deliver(ev)
			}
		}
	}
}

// poke wakes the reader of a channel of capacity one, or finds it woken.
func poke(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}
