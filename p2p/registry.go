package p2p

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
	"golang.org/x/time/rate"

	"ojud/p2p/wire"
)

// Judge is one entry of the registry.
type Judge struct {
	Announcement
	ID   peer.ID
	Seen time.Time // when it was last connected to us, or otherwise when it signed
}

// Registry knows the judges of the network: their keys, addresses and data sources, each as the
// judge signed them. It is kept on disk and compared with other nodes on every new link and from
// time to time. With it, finding the holders of a source is a look-up here instead of a walk
// through the DHT.
type Registry struct {
	h     *Host
	cfg   Directory
	admit func(Announcement) bool
	stake func(Announcement) bool
	log   *slog.Logger
	// others bounds the checks of announcements from judges without a stake. Each check verifies a
	// signature, and anybody can make such announcements without limit.
	others *rate.Limiter

	mu      sync.Mutex
	entries map[peer.ID]*record
	refused map[peer.ID]uint64 // highest sequence number not admitted, not to be asked for again
	profile *Profile           // what we announce; nil until Announce, and after we gave way
	twins   twins
	dirty   bool          // not saved yet
	news    bool          // not told to neighbours yet
	saved   time.Time     // when it was last saved
	queue   []peer.ID     // peers to compare with
	active  int           // comparisons under way
	wake    chan struct{} // the queue or active changed
}

// Rate and burst of the checks of announcements without a stake. A signature and its JSON cost 0.1
// ms.
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
		r.others.SetLimit(rate.Inf) // there is no staked judge to leave room for
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

// ByAuthority returns the entries that claim a Solana authority, last seen first. The claim is the
// peer's own. Only the roster on chain binds the two.
func (r *Registry) ByAuthority(authority string) []Judge {
	return r.find(func(j Judge) bool { return j.Authority == authority })
}

// Holders returns the judges that say they hold a source, last seen first, without this one and
// without banned ones.
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

// Len returns the number of entries.
func (r *Registry) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.entries)
}

// Prune asks Deps.Admit again about every entry, removes those that it refuses now, and returns
// their number. Call it if stakes have changed.
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

// AddrInfo returns the addresses that a judge announces, for Keep.
func (j Judge) AddrInfo() (peer.AddrInfo, error) {
	addrs, err := parseAddrs("announcement", j.Addrs)
	return peer.AddrInfo{ID: j.ID, Addrs: addrs}, err
}

// put takes an announcement from the network or from disk. seen is when the judge was last
// connected, zero if we do not know. It returns an error only for bytes that no honest peer passes
// on: malformed ones (wire.ErrAnnouncement) and forged ones (ErrForged). If an announcement is old,
// not admitted, or signed ahead of our clock, it is left out without blame.
func (r *Registry) put(raw []byte, seen time.Time) error {
	a, err := wire.DecodeAnnouncement(raw)
	if err != nil {
		return err
	}
	id, err := peer.Decode(a.Peer)
	if err != nil {
		return fmt.Errorf("%w: peer: %w", errForged, err)
	}
	if r.outdated(id, a.Seq) {
		return nil // not worth a signature check
	}
	if id != r.h.ID() && !r.stake(a) && !r.others.Allow() {
		return nil // it comes again
	}
	if id, err = verifyAnnouncement(r.h.cfg.Network, a); err != nil {
		return err
	}
	signed, now := time.Unix(a.At, 0), r.h.deps.Now()
	if signed.After(now.Add(maxAhead)) {
		return nil
	}
	if seen.Before(signed) {
		seen = signed
	}
	if seen.After(now) {
		seen = now
	}
	r.store(&record{judge: Judge{Announcement: a, ID: id, Seen: seen}, raw: slices.Clone(raw)})
	if id == r.h.ID() {
		r.meetTwin(a)
	}
	return nil
}

// outdated reports whether we have, or have refused, this number or a higher one.
func (r *Registry) outdated(p peer.ID, seq uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known(p) >= seq
}

// known returns the highest number that other nodes need not tell us again.
func (r *Registry) known(p peer.ID) uint64 {
	if e := r.entries[p]; e != nil {
		return max(e.judge.Seq, r.refused[p])
	}
	return r.refused[p]
}

// store keeps a verified record if it is newer, admitted, and there is room.
func (r *Registry) store(e *record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := e.judge.ID
	old := r.entries[p]
	switch {
	case r.known(p) >= e.judge.Seq:
		return
	case p != r.h.ID() && !r.admit(e.judge.Announcement):
		r.refuse(e)
		return
	case old != nil && old.judge.Seen.After(e.judge.Seen):
		e.judge.Seen = old.judge.Seen
	}
	r.entries[p] = e
	if old != nil && old.judge.Instance != e.judge.Instance {
		r.twins.tell = append(r.twins.tell, p)
	}
	r.evict()
	r.dirty, r.news = true, true
	r.h.count.registryStored.Add(1)
}

// refuse remembers not to ask for a record again, within the same bound.
func (r *Registry) refuse(e *record) {
	if len(r.refused) >= r.cfg.MaxEntries {
		clear(r.refused)
	}
	r.refused[e.judge.ID] = e.judge.Seq
}

// evict removes entries while there are too many, those without a stake first, and then those
// unseen for longest. It keeps our own entry and those of kept peers.
func (r *Registry) evict() {
	for len(r.entries) > r.cfg.MaxEntries {
		var oldest *record
		staked := true
		for p, e := range r.entries {
			if p == r.h.ID() || r.h.net.ConnManager().IsProtected(p, keepTag) {
				continue
			}
			has := r.stake(e.judge.Announcement)
			if oldest == nil || staked && !has || staked == has && e.judge.Seen.Before(oldest.judge.Seen) {
				oldest, staked = e, has
			}
		}
		if oldest == nil {
			return
		}
		delete(r.entries, oldest.judge.ID)
		r.refuse(oldest)
		r.h.count.registryLost.Add(1)
	}
}

// blame reports whether an error of put is the fault of the peer that passed it on.
func blame(err error) bool { return errors.Is(err, wire.ErrAnnouncement) || errors.Is(err, errForged) }
