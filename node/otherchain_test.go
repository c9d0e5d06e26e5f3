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

// TestCourtsRPC: only settings without an RPC URL get that of the court. The URL of a node on this
// machine means that node.
func TestCourtsRPC(t *testing.T) {
	home := Home{Descriptor: Descriptor{RPC: "http://court.test:8899", WS: "ws://court.test:8900"}}
	for set, want := range map[string][2]string{"": {"http://court.test:8899", "ws://court.test:8900"}, "http://127.0.0.1:8899": {"http://127.0.0.1:8899", ""}} {
		cfg := DefaultConfig()
		if cfg.Ledger.RPC != "" || cfg.Validate() != nil {
			t.Errorf("the default is %q: %v", cfg.Ledger.RPC, cfg.Validate())
		}
		cfg.Ledger.RPC = set
		if got := home.fill(cfg).Ledger; got.RPC != want[0] || got.WS != want[1] {
			t.Errorf("%q: %s and %s, want %v", set, got.RPC, got.WS, want)
		}
	}
}
