package node

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"
)

// keepLinks keeps links to the seats of live rounds always, and to other judges as far as Sync.MaxLinks allows.
func (n *Node) keepLinks(ctx context.Context) error {
	for {
		n.host.Keep(n.links())
		if !wait(ctx, n.cfg.Sync.Every) {
			return nil
		}
	}
}

func (n *Node) links() []peer.AddrInfo {
	var out []peer.AddrInfo
	have := map[peer.ID]bool{n.host.ID(): true}
	add := func(id peer.ID) {
		if have[id] {
			return
		}
		have[id] = true
		info := peer.AddrInfo{ID: id}
		if j, ok := n.host.Registry().Judge(id); ok {
			if known, err := j.AddrInfo(); err == nil {
				info = known
			}
		}
		out = append(out, info)
	}
	for _, c := range n.docket.all() {
		if look, _ := c.snapshot(); look.Live() {
			for _, id := range n.seatPeers(c.task) {
				add(id)
			}
		}
	}
	for _, id := range spread(n.chance, n.roster.Load().judges(), n.cfg.Sync.MaxLinks) {
		if len(out) >= n.cfg.Sync.MaxLinks {
			break
		}
		add(id)
	}
	return out
}

// spread puts the judges in an order that is another for every run of a node, if there are more than limit: were all linked to the first
// on the Roster, these would carry everybody's gossip, and who cut them off would cut off everybody.
func spread(chance maphash.Seed, judges []peer.ID, limit int) []peer.ID {
	if len(judges) <= limit {
		return judges
	}
	out := slices.Clone(judges)
	slices.SortFunc(out, func(a, b peer.ID) int {
		return cmp.Compare(maphash.Comparable(chance, a), maphash.Comparable(chance, b))
	})
	return out
}
