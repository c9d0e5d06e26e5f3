package reach

import (
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/discovery/mdns"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// Anybody on the local network may say anything by mDNS. So only judges on the Roster are dialled,
// and they prove their key. The others wait until they are judges, as far as there is room.
const (
	nearMost  = 64              // nodes of the local network
	nearAddrs = 4               // addresses that one message names
	nearWords = 3               // messages about one node that differ
	nearAgain = time.Minute     // between two dials to one
	nearDial  = 5 * time.Second // for a dial
	nearFor   = 24 * time.Hour  // that a node is remembered
)

// local finds judges on the local network.
type local struct {
	member  func(peer.ID) bool
	machine func() ([]netip.Prefix, error)
	dial    func(context.Context, peer.AddrInfo) error
	wake    chan struct{}
	log     *slog.Logger

	mu     sync.Mutex
	near   map[peer.ID]neighbour
	nets   []netip.Prefix // of this machine
	looked time.Time      // when they were looked up
}

// neighbour is a node of the local network. Several may say where it is, and the first ones keep
// their word, until no dial succeeds.
type neighbour struct {
	said   [][]ma.Multiaddr
	seen   time.Time // when somebody named it last
	dialed time.Time
	silent bool // the last dial failed
}

func (n neighbour) addrs() []ma.Multiaddr { return ma.Unique(slices.Concat(n.said...)) }

// told takes one more message about a node.
func (n neighbour) told(addrs []ma.Multiaddr, now time.Time) neighbour {
	n.seen = now
	if slices.ContainsFunc(n.said, func(old []ma.Multiaddr) bool { return slices.EqualFunc(old, addrs, ma.Multiaddr.Equal) }) {
		return n
	}
	switch {
	case len(n.said) < nearWords:
		n.said = append(slices.Clone(n.said), addrs)
	case n.silent:
		n.said, n.silent = append(slices.Clone(n.said[1:]), addrs), false
	}
	return n
}

var _ mdns.Notifee = (*local)(nil)

func newLocal(member func(peer.ID) bool, machine func() ([]netip.Prefix, error)) *local {
	return &local{member: member, machine: machine, near: map[peer.ID]neighbour{}, wake: make(chan struct{}, 1)}
}

// start tells this node on the local network and listens for others. The returned function stops
// it; nil: this machine has no such network.
func (l *local) start(ctx context.Context, h host.Host, court string, log *slog.Logger) (stop func() error) {
	l.log = log
	l.dial = func(ctx context.Context, ai peer.AddrInfo) error {
		if Straight(h, ai.ID) {
			return nil
		}
		return h.Connect(network.WithForceDirectDial(ctx, "local network"), ai)
	}
	s := mdns.NewMdnsService(h, "_oju-"+court+"._udp", l)
	if err := s.Start(); err != nil {
		log.Info("judges on the local network are not looked for", "reason", err)
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	var loop sync.WaitGroup
	loop.Go(func() { l.run(ctx) })
	return func() error {
		err := s.Close()
		cancel()
		loop.Wait()
		return err
	}
}

// HandlePeerFound takes what somebody on the local network says.
func (l *local) HandlePeerFound(ai peer.AddrInfo) {
	if l.take(ai, time.Now()) {
		select {
		case l.wake <- struct{}{}:
		default: // run has not taken the last one yet, and will see both
		}
	}
}

// take remembers a node at its first few addresses on the local network.
func (l *local) take(ai peer.AddrInfo, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	var addrs []ma.Multiaddr
	for _, a := range ai.Addrs {
		if len(addrs) < nearAddrs && !circuit(a) && l.here(a, now) {
			addrs = append(addrs, a)
		}
	}
	if len(addrs) == 0 {
		return false
	}
	n, known := l.near[ai.ID]
	if !known && !l.room(now) {
		return false
	}
	l.near[ai.ID] = n.told(addrs, now)
	return true
}

// here reports whether an address is one of a network that this machine is in. A private address
// elsewhere may be anybody's, for instance behind a VPN.
func (l *local) here(a ma.Multiaddr, now time.Time) bool {
	ip, err := manet.ToIP(a)
	at, ok := netip.AddrFromSlice(ip)
	if at = at.Unmap(); err != nil || !ok || !home(at) {
		return false
	}
	if l.looked.IsZero() || now.Sub(l.looked) >= nearAgain {
		if l.nets, err = l.machine(); err != nil {
			return false
		}
		l.looked = now
	}
	return slices.ContainsFunc(l.nets, func(p netip.Prefix) bool { return p.Contains(at) })
}

// room forgets old nodes, and if there is still no room, those that are no judges, and then those
// that did not answer.
func (l *local) room(now time.Time) bool {
	for p, n := range l.near {
		if now.Sub(n.seen) > nearFor {
			delete(l.near, p)
		}
	}
	for _, useless := range []func(peer.ID, neighbour) bool{
		func(p peer.ID, _ neighbour) bool { return !l.member(p) },
		func(_ peer.ID, n neighbour) bool { return n.silent },
	} {
		for p, n := range l.near {
			if len(l.near) < nearMost {
				break
			}
			if useless(p, n) {
				delete(l.near, p)
			}
		}
	}
	return len(l.near) < nearMost
}

// due returns the judges that should be dialled now.
func (l *local) due(now time.Time) (out []peer.AddrInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p, n := range l.near {
		if now.Sub(n.dialed) >= nearAgain && l.member(p) {
			out = append(out, peer.AddrInfo{ID: p, Addrs: n.addrs()})
			n.dialed = now
			l.near[p] = n
		}
	}
	return out
}

// run dials the judges of the local network, one after the other, until ctx ends.
func (l *local) run(ctx context.Context) {
	tick := time.NewTicker(nearAgain)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		case <-tick.C:
		}
		for _, ai := range l.due(time.Now()) {
			one, cancel := context.WithTimeout(ctx, nearDial)
			err := l.dial(one, ai)
			if err != nil {
				l.log.Debug("dialling a judge on the local network", "peer", ai.ID, "error", err)
			}
			l.answered(ai.ID, err == nil)
			cancel()
		}
	}
}

// answered notes what became of a dial.
func (l *local) answered(p peer.ID, yes bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n, ok := l.near[p]; ok {
		n.silent = !yes
		l.near[p] = n
	}
}

// knows reports whether a judge was found at an address.
func (l *local) knows(p peer.ID, a ma.Multiaddr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.near[p].addrs(), a.Equal) && l.member(p)
}
