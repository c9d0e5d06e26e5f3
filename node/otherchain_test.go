package node

import (
	"testing"
	"time"

	"ojud/ledger"
	"ojud/node/layer"
	"ojud/p2p/p2ptest"
)

// TestOtherChain: a node with Deps.Chain sees that chain alone, and not the RPC node of its home.
func TestOtherChain(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		for _, replaced := range []bool{false, true} {
			w.joinWith(func(m *member) {
				if replaced {
					chain, err := layer.RPC(m.cfg.Ledger, w.p.ID(), ledger.Deps{Transport: m.deps.Transport})
					w.must(err)
					m.deps.Chain = chain
				}
				m.deps.Transport = &route{} // which leads nowhere
			})
		}
		time.Sleep(time.Minute)
		for i, sees := range []bool{false, true} {
			if s := w.nodes[i].Status(); (s.Slot > 0) != sees || (w.nodes[i].roster.Now() != nil) != sees {
				t.Errorf("node %d: %+v", i, s)
			}
		}
	})
}
