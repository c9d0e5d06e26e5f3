package network

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"
)

// TestSpread: 500 nodes that keep 64 links each choose all judges about equally often, and each
// node keeps its choice while it runs. With the first 64 of the Roster, each of those would be
// chosen 500 times.
func TestSpread(t *testing.T) {
	const limit = 64
	var judges []peer.ID
	for i := range 500 {
		judges = append(judges, peer.ID(fmt.Sprint("judge ", i)))
	}
	chosen := map[peer.ID]int{}
	for range judges {
		chance := maphash.MakeSeed()
		mine := Spread(chance, judges, limit)[:limit]
		if again := Spread(chance, judges, limit)[:limit]; !slices.Equal(mine, again) {
			t.Fatal("another choice in the same run")
		}
		for _, id := range mine {
			chosen[id]++
		}
	}
	if most := slices.Max(slices.Collect(maps.Values(chosen))); len(chosen) != len(judges) || most > 2*limit {
		t.Errorf("%d of %d judges chosen, one of them %d times", len(chosen), len(judges), most)
	}
	if few := Spread(maphash.MakeSeed(), judges[:limit], limit); !slices.Equal(few, judges[:limit]) {
		t.Error("who can have all links does not choose")
	}
}
