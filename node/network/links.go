package network

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/node/work"
	"ojud/p2p/directory"
)

// linker is the part of a host that keeps links.
type linker interface {
	ID() peer.ID
	Keep(peers []peer.AddrInfo)
	Directory() *directory.Directory
}

// Links keeps links to the seats of live rounds, and to other judges as far as there is room.
type Links struct {
	Host   linker
	Roster *Roster
	Seats  func() []peer.ID // nodes that sit in live rounds
	Every  time.Duration    // interval between two checks of the links
	Limit  int              // links; the seats of live rounds are kept beyond it
	Seed   maphash.Seed     // selects the judges that this run links to
}

// Run keeps the links until ctx ends.
func (l *Links) Run(ctx context.Context) error {
	for {
		l.Host.Keep(l.wanted())
		if !work.Pause(ctx, l.Every) {
			return nil
		}
	}
}

func (l *Links) wanted() []peer.AddrInfo {
	var out []peer.AddrInfo
	have := map[peer.ID]bool{l.Host.ID(): true}
	add := func(id peer.ID) {
		if have[id] {
			return
		}
		have[id] = true
		info := peer.AddrInfo{ID: id}
		if j, ok := l.Host.Directory().Judge(id); ok {
			if known, err := j.AddrInfo(); err == nil {
				info = known
			}
		}
		out = append(out, info)
	}
	for _, id := range l.Seats() {
		add(id)
	}
	for _, id := range Spread(l.Seed, l.Roster.active(), l.Limit) {
		if len(out) >= l.Limit {
			break
		}
		add(id)
	}
	return out
}

// Spread orders the judges differently in each run of a node, if there are more of them than limit.
// If all nodes linked to the first judges on the Roster, these would carry all gossip, and an
// attack on them would cut off everyone.
func Spread(seed maphash.Seed, judges []peer.ID, limit int) []peer.ID {
	if len(judges) <= limit {
		return judges
	}
	out := slices.Clone(judges)
	slices.SortFunc(out, func(a, b peer.ID) int {
		return cmp.Compare(maphash.Comparable(seed, a), maphash.Comparable(seed, b))
	})
	return out
}
