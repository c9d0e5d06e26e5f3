package p2p

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	ma "github.com/multiformats/go-multiaddr"

	"ojud/p2p/reach"
)

// Constants of the re-dialler.
const (
	keepTag = "oju-keep" // protects a peer in the connection manager
	// redialLong is how long a peer is dialled eagerly. It is longer than a round. After that the
	// delay may grow to redialRare.
	redialLong = 15 * time.Minute
	redialRare = 2 * time.Minute
	// lookupEvery is the number of failures after which the DHT is asked for the peer's addresses.
	lookupEvery = 4
	// steady is how long a link must last to count.
	steady = 5 * time.Second
)

// keeper restores the links to the kept peers. Neither gossipsub nor libp2p does: after a cut of a
// minute nothing reconnects.
type keeper struct {
	h *Host

	mu     sync.Mutex
	peers  map[peer.ID]*kept
	exempt *exempt
	wake   chan struct{}
}

type kept struct {
	info    peer.AddrInfo
	lost    time.Time // when it was last seen connected, or added
	up      bool      // the last event said that it is connected
	since   time.Time // when that began; zero: before it was kept
	due     time.Time // of the next attempt
	fails   int
	brief   int // links in a row that were not steady
	dialing bool
}

func newKeeper(h *Host) *keeper {
	return &keeper{h: h, peers: map[peer.ID]*kept{}, exempt: newExempt(h.net.Network().ResourceManager()), wake: make(chan struct{}, 1)}
}

// Keep sets the peers to which this host must stay connected, for instance the judges of the live
// rounds. The connection manager does not close their links. They have room beside Limits.Conns at
// the addresses that we know of them (exempt). If a link is lost, the host dials again: at the
// addresses given here, those in the directory, and those that others know. The new set replaces
// the earlier one. Our own peer is left out.
func (h *Host) Keep(peers []peer.AddrInfo) {
	k := h.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	next := make(map[peer.ID]*kept, len(peers))
	for _, ai := range peers {
		if ai.ID == h.ID() || ai.ID == "" {
			continue
		}
		next[ai.ID] = k.take(ai)
	}
	for p := range k.peers {
		if next[p] == nil {
			h.net.ConnManager().Unprotect(p, keepTag)
		}
	}
	k.peers = next
	if err := k.exempt.set(k.places()); err != nil {
		h.log.Error("keeping room for the peers to keep", "error", err)
	}
	signal(k.wake)
}

// places returns the kept peers with every known address of them.
func (k *keeper) places() []peer.AddrInfo {
	out := make([]peer.AddrInfo, 0, 2*len(k.peers))
	for p, e := range k.peers {
		out = append(out, e.info)
		if known, ok := k.h.directory.AddrInfo(p); ok {
			out = append(out, known)
		}
	}
	return out
}

func (k *keeper) take(ai peer.AddrInfo) *kept {
	if old := k.peers[ai.ID]; old != nil {
		old.info = ai
		return old
	}
	k.h.net.ConnManager().Protect(ai.ID, keepTag)
	now := time.Now()
	return &kept{info: ai, lost: now, due: now.Add(k.first(ai.ID)), up: k.h.connected(ai.ID)}
}

// first returns the delay before the first attempt. If two peers look for each other, the one with
// the lower ID begins, which avoids most double links. The other waits only for the time of a
// handshake, because a peer that is up again should have all votes within 2 s.
func (k *keeper) first(p peer.ID) time.Duration {
	delay := rand.N(k.h.cfg.Redial.Interval/8 + 1)
	if k.h.ID() > p {
		delay += k.h.cfg.Redial.Interval / 4
	}
	return delay
}

// Kept returns the peers given to Keep, and of them those not connected.
func (h *Host) Kept() (all, missing []peer.ID) {
	h.keeper.mu.Lock()
	defer h.keeper.mu.Unlock()
	for p := range h.keeper.peers {
		all = append(all, p)
		if !h.connected(p) {
			missing = append(missing, p)
		}
	}
	slices.Sort(all)
	slices.Sort(missing)
	return all, missing
}

func (h *Host) connected(p peer.ID) bool {
	return h.net.Network().Connectedness(p) == network.Connected
}

// event notes a link that came or went, and reports whether the peer is kept.
func (k *keeper) event(ev PeerEvent) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.peers[ev.Peer]
	if e == nil {
		return false
	}
	now := time.Now()
	if ev.Connected && !e.up {
		e.since = now
	}
	if !ev.Connected {
		e.due = now.Add(k.first(ev.Peer) + e.pause(now, k.h.cfg.Redial.Interval))
		signal(k.wake)
	}
	e.lost, e.fails, e.up = now, 0, ev.Connected
	return true
}

// pause returns how long a peer that hung up is left alone. It doubles with every link in a row
// that did not last. A peer that refuses us first accepts the link for a moment, too. If all others
// refuse a judge, its handshakes would otherwise cost them more than the court does.
func (e *kept) pause(now time.Time, interval time.Duration) time.Duration {
	if e.up && now.Sub(e.since) >= steady {
		e.brief = 0
		return 0
	}
	e.brief++
	return min(interval<<min(e.brief-1, 10)-interval, redialRare)
}

// delay returns the pause after a failed attempt. It grows with the time since the peer was lost,
// so that a short cut heals in seconds and a dead judge costs little.
func (r Redial) delay(gone time.Duration) time.Duration {
	most := r.Max
	if gone > redialLong {
		most = max(redialRare, r.Max)
	}
	d := min(max(gone/16, r.Interval), most)
	return d*9/10 + rand.N(d/5+1)
}

const redialAtOnce = 32

func (k *keeper) loop(ctx context.Context) {
	tick := time.NewTicker(max(k.h.cfg.Redial.Interval/8, 50*time.Millisecond))
	defer tick.Stop()
	slots := make(chan struct{}, redialAtOnce)
	for {
		for _, ai := range k.overdue(time.Now(), redialAtOnce-len(slots)) {
			slots <- struct{}{}
			k.h.run(func(ctx context.Context) {
				defer func() { <-slots }()
				k.attempt(ctx, ai)
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		case <-tick.C:
		}
	}
}

// overdue marks up to n missing peers as being dialled and returns them.
func (k *keeper) overdue(now time.Time, n int) []peer.AddrInfo {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []peer.AddrInfo
	for p, e := range k.peers {
		if len(out) >= n {
			break
		}
		if e.dialing || now.Before(e.due) {
			continue
		}
		// A lost link is due by its event. Asking the library at every tick is a tenth of an idle
		// node's work.
		if k.h.connected(p) {
			e.due = now.Add(k.h.cfg.Redial.Interval)
			continue
		}
		if k.h.book.banned(p) {
			continue
		}
		e.dialing = true
		out = append(out, e.info)
	}
	return out
}

// attempt dials once and sets the time of the next attempt.
func (k *keeper) attempt(ctx context.Context, ai peer.AddrInfo) {
	k.h.count.links.dials.Add(1)
	err := k.dial(ctx, ai)
	k.mu.Lock()
	e := k.peers[ai.ID]
	fails := 0
	if e != nil {
		e.dialing = false
		if err != nil {
			e.fails++
			if next := time.Now().Add(k.h.cfg.Redial.delay(time.Since(e.lost))); next.After(e.due) { // it may have hung up since
				e.due = next
			}
		}
		fails = e.fails
	}
	k.mu.Unlock()
	if err == nil || ctx.Err() != nil {
		return
	}
	k.h.count.links.failed.Add(1)
	k.h.log.Debug("dialling a kept peer", "peer", ai.ID, "error", err, "failures", fails)
	if fails%lookupEvery == 1 {
		k.lookup(ctx, ai.ID)
	}
}

// dial connects without the library's own back-off, because ours is shorter.
func (k *keeper) dial(ctx context.Context, ai peer.AddrInfo) error {
	ctx, cancel := context.WithTimeout(ctx, k.h.cfg.Redial.Timeout)
	defer cancel()
	if known, ok := k.h.directory.AddrInfo(ai.ID); ok {
		k.h.net.Peerstore().AddAddrs(ai.ID, known.Addrs, peerstore.TempAddrTTL)
	}
	if k.h.reach.Active() {
		return reach.Dial(ctx, k.h.net, ai)
	}
	return k.h.net.Connect(network.WithForceDirectDial(ctx, "keep"), ai)
}

// lookup asks the DHT for addresses. They go to the peerstore, for the next attempt.
func (k *keeper) lookup(ctx context.Context, p peer.ID) {
	ctx, cancel := context.WithTimeout(ctx, k.h.cfg.Redial.Timeout)
	defer cancel()
	ai, err := k.h.FindPeer(ctx, p)
	if err != nil {
		k.h.log.Debug("looking for a kept peer", "peer", p, "error", err)
		return
	}
	k.h.net.Peerstore().AddAddrs(p, k.h.cfg.filter(ai.Addrs), peerstore.TempAddrTTL)
}

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
func (e *events) Listen(network.Network, ma.Multiaddr)        {}
func (e *events) ListenClose(network.Network, ma.Multiaddr)   {}
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
	signal(e.wake)
}

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

func signal(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}
