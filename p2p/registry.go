package p2p

import (
	"cmp"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
	"golang.org/x/time/rate"
)

// Judge is one entry of the registry.
type Judge struct {
	Announcement
	ID   peer.ID
	Seen time.Time // when it was last connected to us, or else when it signed
}

// Registry knows the judges of the network: their keys, addresses and data
// sources, each in the judge's own signed words. It is kept on disk and compared
// with other nodes on every new link and from time to time. With it, finding who
// holds a source is a look-up here instead of a walk through the DHT.
type Registry struct {
	h     *Host
	cfg   Directory
	admit func(Announcement) bool
	stake func(Announcement) bool
	log   *slog.Logger
	// others bounds the announcements of judges without a stake that are looked at: each costs the check of a signature, and anybody can
	// make as many as he likes.
	others *rate.Limiter

	mu      sync.Mutex
	entries map[peer.ID]*record
	refused map[peer.ID]uint64 // highest sequence number not admitted, not to be asked for again
	profile *Profile           // what we announce; nil until Announce, and when we gave way
	twins   twins
	dirty   bool          // not saved yet
	news    bool          // not told to neighbours yet
	saved   time.Time     // when it was last saved
	queue   []peer.ID     // peers to compare with
	active  int           // comparisons under way
	wake    chan struct{} // the queue or active changed
}

// Announcements without a stake that are looked at: so many a second, and at once. A signature and its JSON cost 0.1 ms.
const (
	othersRate  = 64
	othersBurst = 1024
)

type record struct {
	judge Judge
	raw   []byte // the signed bytes, as received
}

func newRegistry(h *Host) (*Registry, error) {
	r := &Registry{
		h: h, cfg: h.cfg.Registry, admit: h.deps.Admit, stake: h.deps.Staked, log: h.log, others: rate.NewLimiter(othersRate, othersBurst),
		entries: map[peer.ID]*record{}, refused: map[peer.ID]uint64{}, twins: twins{compared: make(chan struct{})}, wake: make(chan struct{}, 1),
	}
	if r.admit == nil {
		r.admit = func(Announcement) bool { return true }
	}
	if r.stake == nil {
		r.stake = func(Announcement) bool { return false }
		r.others.SetLimit(rate.Inf) // there is nobody to leave room for
	}
	return r, r.load()
}

// Judges returns all entries, last seen first.
func (r *Registry) Judges() []Judge { return r.find(func(Judge) bool { return true }) }

// Judge returns the entry of one peer.
func (r *Registry) Judge(p peer.ID) (Judge, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.entries[p]
	if !ok {
		return Judge{}, false
	}
	return e.judge.clone(), true
}

// ByAuthority returns the entries that claim a Solana authority, last seen
// first. The claim is the peer's own: what binds the two is the roster on chain.
func (r *Registry) ByAuthority(authority string) []Judge {
	return r.find(func(j Judge) bool { return j.Authority == authority })
}

// Holders returns the judges that say they hold a source, last seen first,
// without this one and without banned ones.
func (r *Registry) Holders(source string) []Judge {
	return r.find(func(j Judge) bool {
		return j.ID != r.h.ID() && !r.h.book.banned(j.ID) &&
			slices.ContainsFunc(j.Sources, func(s Source) bool { return s.Name == source })
	})
}

func (r *Registry) find(match func(Judge) bool) []Judge {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Judge
	for _, e := range r.entries {
		if match(e.judge) {
			out = append(out, e.judge.clone())
		}
	}
	slices.SortFunc(out, func(a, b Judge) int {
		return cmp.Or(b.Seen.Compare(a.Seen), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func (j Judge) clone() Judge {
	j.Addrs, j.RPCURLs, j.Sources = slices.Clone(j.Addrs), slices.Clone(j.RPCURLs), slices.Clone(j.Sources)
	return j
}

// Len is the number of entries.
func (r *Registry) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.entries)
}

// Prune asks Deps.Admit again about every entry and forgets those it refuses
// now: call it when stakes have changed. It returns how many.
func (r *Registry) Prune() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.entries)
	maps.DeleteFunc(r.entries, func(p peer.ID, e *record) bool { return p != r.h.ID() && !r.admit(e.judge.Announcement) })
	gone := before - len(r.entries)
	r.dirty = r.dirty || gone > 0
	clear(r.refused)
	return gone
}

// addrInfo returns the addresses of a peer, as far as the policy allows them.
func (r *Registry) addrInfo(p peer.ID) (peer.AddrInfo, bool) {
	j, ok := r.Judge(p)
	if !ok {
		return peer.AddrInfo{}, false
	}
	ai := peer.AddrInfo{ID: p}
	for _, s := range j.Addrs {
		if a, err := ma.NewMultiaddr(s); err == nil && r.h.cfg.allowed(a) { // checked when it came
			ai.Addrs = append(ai.Addrs, a)
		}
	}
	return ai, len(ai.Addrs) > 0
}

// AddrInfo returns where a judge says it listens, for Keep.
func (j Judge) AddrInfo() (peer.AddrInfo, error) {
	addrs, err := parseAddrs("announcement", j.Addrs)
	return peer.AddrInfo{ID: j.ID, Addrs: addrs}, err
}
