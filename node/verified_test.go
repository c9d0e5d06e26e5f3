package node

import (
	"testing"
	"time"

	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/voting/verifier"
)

// TestVerifiedOnce: commits and votes come to a node pushed, by gossip and in case files, and it
// verifies each signature once. All of them fit into what a Verifier remembers.
func TestVerifiedOnce(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		var all []*verifier.Verifier
		for range 7 {
			w.joinWith(func(m *member) {
				m.deps.Signatures = verifier.New()
				all = append(all, m.deps.Signatures)
			})
		}
		task := w.dispute(eleptiger(t))
		w.until(10*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		for _, m := range w.nodes {
			w.verified(m, task)
		}
		for i, v := range all {
			asked, verified, good := v.Counts()
			if verified != good || good < 6*7 || asked <= verified {
				t.Errorf("node %d: %d signatures came, %d were verified, %d are different and good", i, asked, verified, good)
			}
			t.Logf("node %d: %d signatures came, %d were verified, %d are different and good", i, asked, verified, good)
		}
	})
}
