package network

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/ledger/program"
	"ojud/p2p/directory"
	"ojud/voting"
)

// keepEntries bounds the remembered Rosters by their entries, which have 224 bytes: 16 MB. At least
// leastRosters and at most mostRosters are kept. The Roster of a draw is needed again when the draw
// is final.
const (
	keepEntries  = 75_000
	leastRosters = 4
	mostRosters  = 64
)

// Roster is the node's knowledge of the court's Roster; empty before the first Learn. Its methods
// may be called from several goroutines.
type Roster struct{ book atomic.Pointer[rosterBook] }

// rosterBook is one state of a Roster. It is never changed, only replaced.
type rosterBook struct {
	slot  uint64
	now   *program.Roster
	peers map[string]string // authority, base58, to peer ID
	past  []rosterAt        // newest first
}

type rosterAt struct {
	slot   uint64
	roster *program.Roster
}

// Learn takes the Roster that the chain showed at a slot, and reports whether stakes or keys have
// changed since the last one. Looks of one slot share a Roster, so most of them bring nothing new.
func (r *Roster) Learn(slot uint64, now *program.Roster) (changed bool) {
	old := r.book.Load()
	if old != nil && (slot < old.slot || old.now == now) {
		return false
	}
	next := &rosterBook{slot: slot, now: now, peers: map[string]string{}}
	for _, e := range now.Entries {
		if e.State == program.EntryFree {
			continue
		}
		if id, err := PeerOf(e.Peer); err == nil {
			next.peers[e.Authority.String()] = id.String()
		}
	}
	if old != nil {
		next.past = old.past
	}
	same := old != nil && sameStakes(old.now, now)
	if !same {
		next.past = kept(append([]rosterAt{{slot, now}}, next.past...))
	}
	r.book.Store(next)
	return old != nil && !same
}

// kept returns the newest Rosters that are remembered.
func kept(past []rosterAt) []rosterAt {
	entries := 0
	for i, p := range past {
		entries += len(p.roster.Entries)
		if i == mostRosters || i >= leastRosters && entries > keepEntries {
			return slices.Clone(past[:i]) // so that the memory of the others is free
		}
	}
	return past
}

// sameStakes reports whether a draw would see no difference between two Rosters.
func sameStakes(a, b *program.Roster) bool {
	return a.SeasonSlot == b.SeasonSlot && slices.EqualFunc(a.Entries, b.Entries, func(x, y program.RosterEntry) bool {
		return x.Authority == y.Authority && x.Peer == y.Peer && x.Operator == y.Operator && x.Stake == y.Stake && x.State == y.State &&
			x.ExitSlot == y.ExitSlot && x.Owned == y.Owned
	})
}

// Now returns the newest Roster; nil before the first Learn.
func (r *Roster) Now() *program.Roster {
	if b := r.book.Load(); b != nil {
		return b.now
	}
	return nil
}

// Active returns the judges that have not begun to leave.
func (r *Roster) Active() (judges []voting.Key) {
	now := r.Now()
	if now == nil {
		return nil
	}
	for _, e := range now.Entries {
		if e.State == program.EntryActive {
			judges = append(judges, voting.Key(e.Authority))
		}
	}
	return judges
}

// Entry returns the entry of a judge in the newest Roster.
func (r *Roster) Entry(judge voting.Key) (program.RosterEntry, bool) {
	now := r.Now()
	if now == nil {
		return program.RosterEntry{}, false
	}
	i := now.Find(judge)
	if i < 0 {
		return program.RosterEntry{}, false
	}
	return now.Entries[i], true
}

// EntryOf returns the entry of the judge whose node has this key. The Roster has each node once.
func (r *Roster) EntryOf(node voting.Key) (program.RosterEntry, bool) {
	now := r.Now()
	if now == nil {
		return program.RosterEntry{}, false
	}
	for _, e := range now.Entries {
		if e.State != program.EntryFree && e.Peer == node {
			return e, true
		}
	}
	return program.RosterEntry{}, false
}

// Has reports whether a peer is the node of a judge on the Roster.
func (r *Roster) Has(id peer.ID) bool {
	key, err := KeyOf(id)
	if err != nil {
		return false
	}
	_, ok := r.EntryOf(key)
	return ok
}

// active returns the peers of the judges that can be drawn, in the order of the Roster.
func (r *Roster) active() []peer.ID {
	now := r.Now()
	if now == nil {
		return nil
	}
	var out []peer.ID
	for _, e := range now.Entries {
		if id, err := PeerOf(e.Peer); err == nil && e.State == program.EntryActive {
			out = append(out, id)
		}
	}
	return out
}

// Around returns the Rosters that were seen, beginning with the first at or after slot. A draw
// changes no stake, so this first one is most likely the Roster of a draw in that slot.
func (r *Roster) Around(slot uint64) []*program.Roster {
	b := r.book.Load()
	if b == nil {
		return nil
	}
	var before, after []*program.Roster
	for _, p := range b.past {
		if p.slot >= slot {
			after = append(after, p.roster)
		} else {
			before = append(before, p.roster)
		}
	}
	slices.Reverse(after)
	return append(after, before...)
}

// Seats names the judges of a draw by the Roster seen nearest to it. A freed place may belong to
// another judge since.
func (r *Roster) Seats(slot uint64, d *program.Drawn) []voting.Seat {
	seats := make([]voting.Seat, len(d.Seats))
	around := r.Around(slot)
	if len(around) == 0 {
		return seats
	}
	near := around[0].Entries
	for i, s := range d.Seats {
		if int(s.Index) < len(near) {
			e := near[s.Index]
			seats[i] = voting.Seat{Judge: voting.Key(e.Authority), Peer: e.Peer, Index: s.Index}
		}
	}
	return seats
}

// Admit reports whether the directory keeps an announcement. An announcement in the name of a judge
// on the Roster must come from the node key that the Roster binds to the authority. All are kept
// until the Roster is known; directory.Directory.Prune asks again.
func (r *Roster) Admit(a directory.Announcement) bool {
	book := r.book.Load()
	if book == nil {
		return true
	}
	bound, onRoster := book.peers[a.Authority]
	return !onRoster || bound == a.Peer
}

// Staked reports whether an announcement is from a judge on the Roster.
func (r *Roster) Staked(a directory.Announcement) bool {
	book := r.book.Load()
	return book != nil && book.peers[a.Authority] == a.Peer
}

// KeyOf returns the node key of a libp2p peer. Only a peer with an Ed25519 key has one.
func KeyOf(p peer.ID) (voting.Key, error) {
	pub, err := p.ExtractPublicKey()
	if err != nil {
		return voting.Key{}, fmt.Errorf("network: key of peer %s: %w", p, err)
	}
	raw, err := pub.Raw()
	if err != nil || len(raw) != len(voting.Key{}) {
		return voting.Key{}, fmt.Errorf("network: peer %s has no Ed25519 key", p)
	}
	return voting.Key(raw), nil
}

// PeerOf returns the libp2p peer of a node key.
func PeerOf(k voting.Key) (peer.ID, error) {
	pub, err := crypto.UnmarshalEd25519PublicKey(k[:])
	if err != nil {
		return "", fmt.Errorf("network: node key %s: %w", k, err)
	}
	id, err := peer.IDFromPublicKey(pub)
	if err != nil {
		return "", fmt.Errorf("network: node key %s: %w", k, err)
	}
	return id, nil
}

// A peer loses these points for a message if it could know that the message is wrong
// (p2p.Host.Penalize).
const (
	PointsInvalid      = 10
	PointsContradicted = 20
)
