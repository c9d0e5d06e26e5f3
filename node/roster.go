package node

import (
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/ledger/program"
	"ojud/voting"
)

// keepRosters is how many different rosters are remembered: the one of a draw has to be found again when the draw is final.
const keepRosters = 64

// rosterBook is what the node knows of the Roster. It is never changed, only replaced.
type rosterBook struct {
	slot  uint64
	now   *program.Roster
	peers map[string]string // authority, base58, to peer ID: whom the registry may name a judge
	past  []rosterAt        // newest first
}

type rosterAt struct {
	slot   uint64
	roster *program.Roster
}

// learnRoster takes the Roster of a look. Looks share one Roster a slot, so most of them bring nothing new.
func (n *Node) learnRoster(slot uint64, r *program.Roster) {
	old := n.roster.Load()
	if old != nil && (slot < old.slot || old.now == r) {
		return
	}
	next := &rosterBook{slot: slot, now: r, peers: map[string]string{}}
	for _, e := range r.Entries {
		if e.State == program.EntryFree {
			continue
		}
		if id, err := keyPeer(e.Peer); err == nil {
			next.peers[e.Authority.String()] = id.String()
		}
	}
	if old != nil {
		next.past = old.past
	}
	if old == nil || !sameStakes(old.now, r) {
		next.past = append([]rosterAt{{slot, r}}, next.past[:min(len(next.past), keepRosters-1)]...)
	}
	n.roster.Store(next)
	if old != nil && !sameStakes(old.now, r) {
		n.host.Registry().Prune()
	}
}

// sameStakes reports whether a draw would see no difference between two rosters.
func sameStakes(a, b *program.Roster) bool {
	return slices.EqualFunc(a.Entries, b.Entries, func(x, y program.RosterEntry) bool {
		return x.Authority == y.Authority && x.Peer == y.Peer && x.Operator == y.Operator && x.Stake == y.Stake && x.State == y.State &&
			x.Fresh == y.Fresh && x.FreshSlot == y.FreshSlot && x.ExitSlot == y.ExitSlot && x.Lost == y.Lost && x.LostSlot == y.LostSlot
	})
}

// entry is a judge's entry of the newest roster.
func (b *rosterBook) entry(judge voting.Key) (program.RosterEntry, bool) {
	if b == nil {
		return program.RosterEntry{}, false
	}
	i := b.now.Find(judge)
	if i < 0 {
		return program.RosterEntry{}, false
	}
	return b.now.Entries[i], true
}

// of is the entry of the judge whose node a peer is.
func (b *rosterBook) of(peer voting.Key) (program.RosterEntry, bool) {
	if b == nil {
		return program.RosterEntry{}, false
	}
	for _, e := range b.now.Entries {
		if e.State != program.EntryFree && e.Peer == peer {
			return e, true
		}
	}
	return program.RosterEntry{}, false
}

// judges are the peers on the Roster, in its order.
func (b *rosterBook) judges() []peer.ID {
	if b == nil {
		return nil
	}
	var out []peer.ID
	for _, e := range b.now.Entries {
		if id, err := keyPeer(e.Peer); err == nil && e.State == program.EntryActive {
			out = append(out, id)
		}
	}
	return out
}
