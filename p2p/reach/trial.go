package reach

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/pb"
	libp2pquic "github.com/libp2p/go-libp2p/p2p/transport/quic"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	ma "github.com/multiformats/go-multiaddr"
)

// A place at a relay that nobody tries may be worth nothing: the relay may have lost it, or carry
// nothing. So a node links to itself through each of its relays, as a stranger would. A link of
// another judge counts as well.
const (
	trialEvery = 10 * time.Minute // between two trials of a relay that works
	trialAgain = 30 * time.Second // after one that failed
	trialFails = 2                // in a row, and another relay is looked for
	trialDial  = 10 * time.Second
	shunFor    = 30 * time.Minute // that a relay which carried nothing is not asked again
	lately     = 2*trialEvery + time.Minute
	shunMost   = 256 // relays that are remembered so
)

// trials are the relays of this node, and what became of links through them.
type trials struct {
	mu   sync.Mutex
	have map[peer.ID]*place
	shun map[peer.ID]time.Time // until when
}

// place is a place at a relay.
type place struct {
	at    []ma.Multiaddr // the addresses of this node through it
	due   time.Time      // of the next trial; zero: now
	came  time.Time      // when a link through it came last
	fails int
}

func newTrials() *trials {
	return &trials{have: map[peer.ID]*place{}, shun: map[peer.ID]time.Time{}}
}

// relayOf returns the relay in an address; empty: there is none.
func relayOf(a ma.Multiaddr) peer.ID {
	front, _ := ma.SplitFunc(a, func(c ma.Component) bool { return c.Protocol().Code == ma.P_CIRCUIT })
	if info, err := peer.AddrInfoFromP2pAddr(front); circuit(a) && err == nil {
		return info.ID
	}
	return ""
}

// set takes the addresses of this node through its relays.
func (t *trials) set(addrs []ma.Multiaddr) {
	next := map[peer.ID]*place{}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range addrs {
		p := relayOf(a)
		if p == "" {
			continue
		}
		if next[p] == nil {
			next[p] = &place{}
			if old := t.have[p]; old != nil {
				next[p].due, next[p].came, next[p].fails = old.due, old.came, old.fails
			}
		}
		next[p].at = append(next[p].at, a)
	}
	t.have = next
}

// addrs returns the addresses of this node through its relays.
func (t *trials) addrs() (out []ma.Multiaddr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.have {
		out = append(out, p.at...)
	}
	return out
}

// carried notes that a link came through the relay in an address.
func (t *trials) carried(a ma.Multiaddr, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.have[relayOf(a)]; p != nil {
		p.came, p.due, p.fails = now, now.Add(trialEvery), 0
	}
}

// proven counts the relays through which a link came lately.
func (t *trials) proven(now time.Time) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.have {
		if !p.came.IsZero() && now.Sub(p.came) < lately {
			n++
		}
	}
	return n
}

// due returns the relays to try now, and puts off their next trial.
func (t *trials) due(now time.Time) (out []peer.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, p := range t.have {
		if !now.Before(p.due) {
			out, p.due = append(out, id), now.Add(trialEvery)
		}
	}
	return out
}

// failed notes that a relay carried nothing, and reports whether another one is needed.
func (t *trials) failed(id peer.ID, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.have[id]
	if p == nil {
		return false
	}
	p.due = now.Add(trialAgain)
	if p.fails++; p.fails < trialFails {
		return false
	}
	if len(t.shun) >= shunMost {
		clear(t.shun)
	}
	t.shun[id] = now.Add(shunFor)
	return true
}

// shunned reports whether a relay is not asked now, because it carried nothing.
func (t *trials) shunned(id peer.ID, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return now.Before(t.shun[id])
}

// try links to this node through some of its relays. One through which no link comes twice is left,
// so that the library looks for another.
func (r *Reach) try(ctx context.Context, h host.Host, relays []peer.ID) {
	other, err := libp2p.New(libp2p.NoListenAddrs, libp2p.EnableRelay(), libp2p.DisableMetrics(), libp2p.DisableIdentifyAddressDiscovery(), libp2p.Ping(false),
		libp2p.Transport(tcp.NewTCPTransport), libp2p.Transport(libp2pquic.NewTransport), libp2p.ResourceManager(&network.NullResourceManager{}))
	if err != nil {
		r.parts.Log.Debug("trying the relays of this node", "error", err)
		return
	}
	defer r.end("trying relays", other.Close)
	for _, id := range relays {
		at := slices.DeleteFunc(r.relays.addrs(), func(a ma.Multiaddr) bool { return relayOf(a) != id })
		if len(at) == 0 {
			continue // it was left meanwhile
		}
		one, cancel := context.WithTimeout(ctx, trialDial)
		err := other.Connect(one, peer.AddrInfo{ID: h.ID(), Addrs: at})
		cancel()
		switch now := time.Now(); {
		case err == nil:
			r.relays.carried(at[0], now)
			r.end("a trial", func() error { return other.Network().ClosePeer(h.ID()) })
		case ctx.Err() != nil:
			return
		case refused(err):
			r.parts.Log.Debug("a relay of this node carries no link of a stranger", "relay", id, "error", err)
		case r.relays.failed(id, now):
			r.parts.Log.Warn("no link comes to this node through its relay; another one is looked for", "relay", id, "error", err)
			r.end("the link to a relay", func() error { return h.Network().ClosePeer(id) })
		}
	}
}

// refused reports whether a relay said that it does not serve the one who asked. Then the trial
// says nothing about the place of this node.
func refused(err error) bool {
	return slices.ContainsFunc([]pb.Status{pb.Status_PERMISSION_DENIED, pb.Status_RESOURCE_LIMIT_EXCEEDED}, func(s pb.Status) bool {
		return strings.Contains(err.Error(), s.String())
	})
}
