package p2p

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p/wire"
)

// put takes an announcement from the network or from disk; seen is when the
// judge was last connected, zero if we do not know. It returns an error only for
// bytes that whoever passed them on should not have: malformed ones
// (wire.ErrAnnouncement) and forged ones (ErrForged). What is old, not admitted,
// or signed ahead of our clock is left out without blame.
func (r *Registry) put(raw []byte, seen time.Time) error {
	a, err := wire.DecodeAnnouncement(raw)
	if err != nil {
		return err
	}
	id, err := peer.Decode(a.Peer)
	if err != nil {
		return fmt.Errorf("%w: peer: %w", ErrForged, err)
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

// outdated reports whether we have, or would not have, this number or a higher.
func (r *Registry) outdated(p peer.ID, seq uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known(p) >= seq
}

// known is the highest number we need not be told of again.
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

// evict forgets the entry unseen for longest while there are too many, those without a stake first, but not
// ours and not one we keep a link to.
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

// blame reports whether an error of put is the fault of who passed it on.
func blame(err error) bool { return errors.Is(err, wire.ErrAnnouncement) || errors.Is(err, ErrForged) }
