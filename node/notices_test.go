package node

import (
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/node/network"
	"ojud/voting"
)

// TestSuggest: a notice of an unknown case makes the chain be read for that case, as often as each
// peer may cause it. Other faults of a notice do not.
func TestSuggest(t *testing.T) {
	var hinted []voting.Key
	s := &notices{hint: func(task voting.Key) { hinted = append(hinted, task) }, hints: network.NewAllowance(3)}
	notice := voting.Commit{Task: voting.Key{7}, Round: 1}
	for _, class := range []voting.Class{voting.Duplicate, voting.Contradicted, voting.NotRelevant} {
		s.suggest("honest", notice, &voting.NoticeError{Class: class})
	}
	s.suggest("honest", notice, nil)
	if len(hinted) != 0 {
		t.Fatalf("%d hints without an unknown case", len(hinted))
	}
	for range 10 {
		for _, from := range []peer.ID{"hostile", "honest"} {
			s.suggest(from, notice, &voting.NoticeError{Class: voting.Unknown})
		}
	}
	if len(hinted) != 6 || hinted[0] != notice.Task {
		t.Errorf("%d hints about %v, want 3 of each peer", len(hinted), hinted)
	}
}
