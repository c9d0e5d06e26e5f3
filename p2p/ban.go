package p2p

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/control"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

// maxReasons bounds the number of different reasons counted. Further reasons count as reasonOther.
const (
	maxReasons  = 64
	reasonOther = "other"
)

// book keeps the points of peers that misbehaved. Points halve every HalfLife. A peer with BanAt
// points is banned for BanFor, and starts at half BanAt afterwards.
type book struct {
	cfg Scores

	mu      sync.Mutex
	entries map[peer.ID]entry
	reasons map[string]uint64
	bans    uint64
}

type entry struct {
	points float64
	at     time.Time // time at which points was computed
	until  time.Time // end of the ban, zero if none
}

func newBook(cfg Scores) *book {
	return &book{cfg: cfg, entries: map[peer.ID]entry{}, reasons: map[string]uint64{}}
}

// add gives points to p and reports whether that banned it just now.
func (b *book) add(p peer.ID, points float64, reason string) bool {
	if !(points > 0) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count(reason)
	now := time.Now()
	e := b.entries[p]
	if now.Before(e.until) {
		return false
	}
	e = entry{points: math.Min(b.decayed(e, now)+points, b.cfg.BanAt), at: now}
	ban := e.points >= b.cfg.BanAt
	if ban {
		b.bans++
		e.until = now.Add(b.cfg.BanFor)
		e.points, e.at = b.cfg.BanAt/2, e.until
	}
	b.entries[p] = e
	b.trim(now)
	return ban
}

func (b *book) count(reason string) {
	if _, known := b.reasons[reason]; !known && len(b.reasons) >= maxReasons {
		reason = reasonOther
	}
	b.reasons[reason]++
}

func (b *book) decayed(e entry, now time.Time) float64 {
	age := now.Sub(e.at)
	if age <= 0 {
		return e.points
	}
	return e.points * math.Exp2(-age.Seconds()/b.cfg.HalfLife.Seconds())
}

// trim keeps the book within MaxPeers. It forgets an eighth at a time, the peers with the fewest
// points first, so that the cost is spread over many additions.
func (b *book) trim(now time.Time) {
	if len(b.entries) <= b.cfg.MaxPeers {
		return
	}
	weight := func(p peer.ID) float64 {
		e := b.entries[p]
		if now.Before(e.until) {
			return b.cfg.BanAt
		}
		return b.decayed(e, now)
	}
	ids := slices.SortedFunc(maps.Keys(b.entries), func(x, y peer.ID) int { return cmp.Compare(weight(x), weight(y)) })
	for _, p := range ids[:len(ids)-b.cfg.MaxPeers+b.cfg.MaxPeers/8] {
		delete(b.entries, p)
	}
}

func (b *book) banned(p peer.ID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.entries[p]
	return ok && time.Now().Before(e.until)
}

// points returns the points of p now, BanAt while it is banned.
func (b *book) points(p peer.ID) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.entries[p]
	now := time.Now()
	switch {
	case !ok:
		return 0
	case now.Before(e.until):
		return b.cfg.BanAt
	}
	return b.decayed(e, now)
}

// snapshot returns the penalties by reason and the number of bans.
func (b *book) snapshot() (map[string]uint64, uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.reasons), b.bans
}

// Penalize gives points to a peer that misbehaved. Points lower its gossip score. At Scores.BanAt
// the peer is disconnected and refused for Scores.BanFor. reason is a short constant word for the
// metrics.
//
// Penalise only faults that the sender could have known: a bad signature, a malformed or oversize
// message, a second vote in one round. Never penalise what depends on our own state: a case that we
// have not seen yet, a full disk, a slow chain. Otherwise honest nodes ban each other if one lags.
func (h *Host) Penalize(p peer.ID, points float64, reason string) {
	if p == h.ID() || !h.book.add(p, points, reason) {
		return
	}
	h.log.Warn("peer is refused for a while", "peer", p, "reason", reason, "for", h.cfg.Scores.BanFor)
	if err := h.net.Network().ClosePeer(p); err != nil {
		h.log.Debug("closing connection to refused peer", "peer", p, "error", err)
	}
}

// Points returns the points of a peer now. They halve every Scores.HalfLife.
func (h *Host) Points(p peer.ID) float64 { return h.book.points(p) }

// Banned reports whether a peer is refused now.
func (h *Host) Banned(p peer.ID) bool { return h.book.banned(p) }

// gater refuses connections with banned peers, and dials to addresses outside the policy, from any
// source of addresses.
type gater struct {
	cfg  Config
	book *book
	near interface {
		Near(peer.ID, ma.Multiaddr) bool
	}
}

var _ connmgr.ConnectionGater = gater{}

func (g gater) InterceptPeerDial(p peer.ID) bool            { return !g.book.banned(p) }
func (g gater) InterceptAccept(network.ConnMultiaddrs) bool { return true }

func (g gater) InterceptAddrDial(p peer.ID, a ma.Multiaddr) bool {
	return g.cfg.allowed(a) || g.near.Near(p, a)
}

func (g gater) InterceptSecured(_ network.Direction, p peer.ID, _ network.ConnMultiaddrs) bool {
	return !g.book.banned(p)
}

func (g gater) InterceptUpgraded(network.Conn) (bool, control.DisconnectReason) { return true, 0 }
