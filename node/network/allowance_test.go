package network

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

// TestAllowance: each peer has its own bytes, again after an hour. If too many peers are
// remembered, a new one gets none.
func TestAllowance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAllowance(100)
		for i, c := range []struct {
			peer  peer.ID
			bytes int
			ok    bool
		}{{"a", 60, true}, {"a", 60, false}, {"a", 40, true}, {"a", 1, false}, {"b", 100, true}, {"c", 101, false}} {
			if ok := a.Spend(c.peer, c.bytes); ok != c.ok {
				t.Errorf("step %d: %t", i, ok)
			}
		}
		for i := range maxSpenders {
			a.Spend(peer.ID(fmt.Sprint(i)), 1)
		}
		if a.Spend("new", 1) {
			t.Error("a peer too many may send")
		}
		time.Sleep(time.Hour + time.Second)
		if !a.Spend("new", 100) || !a.Spend("a", 100) {
			t.Error("a new hour gives no new bytes")
		}
	})
}
