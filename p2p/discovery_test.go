package p2p_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
)

// provided lets h provide key. It accepts that h is still alone.
func provided(t *testing.T, h *p2p.Host, key string) {
	t.Helper()
	if err := h.Provide(t.Context(), []byte(key)); err != nil && !errors.Is(err, p2p.ErrAlone) {
		t.Fatal(err)
	}
}

// holders returns the nodes that h finds for key.
func holders(t *testing.T, h *p2p.Host, key string) []peer.ID {
	t.Helper()
	found, err := h.FindProviders(t.Context(), []byte(key), 10)
	if err != nil && !errors.Is(err, p2p.ErrAlone) {
		t.Fatal(err)
	}
	var out []peer.ID
	for _, ai := range found {
		out = append(out, ai.ID)
	}
	return out
}

// TestDiscoveryAnyOrder: the bootstrap node comes up a minute after the others, and the keys were
// provided before there was a node to tell. All nodes find all keys.
func TestDiscoveryAnyOrder(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		// A first life of the bootstrap node gives its address.
		id := p2ptest.Identity(t)
		boot := net.NodeAs(id)
		join := p2ptest.Bootstrap(t, boot)
		if err := boot.Close(); err != nil {
			t.Fatal(err)
		}
		var hosts []*p2p.Host
		for range 5 {
			hosts = append(hosts, net.Node(join))
		}
		provided(t, hosts[4], "weather")
		time.Sleep(time.Minute)
		for i, h := range hosts {
			s := h.Stats()
			if s.Of("dht_peers") != 0 || s.Of("dht_empty_checks") < 10 {
				t.Errorf("host %d alone: %d in its table, %d empty checks", i, s.Of("dht_peers"), s.Of("dht_empty_checks"))
			}
		}
		boot = net.NodeAs(id, func(c *p2p.Config, _ *p2p.Deps) { c.Listen = p2ptest.Config(0).Listen })
		took := p2ptest.Eventually(t, time.Minute, "all tables full", func() bool {
			for _, h := range append(hosts, boot) {
				if h.Stats().Of("dht_peers") < len(hosts) {
					return false
				}
			}
			return true
		})
		t.Logf("tables full %v after the bootstrap node came up", took)
		for i, h := range append(hosts[:4:4], boot) {
			if got := holders(t, h, "weather"); len(got) != 1 || got[0] != hosts[4].ID() {
				t.Errorf("host %d found %v", i, got)
			}
		}
		if got := holders(t, hosts[4], "weather"); len(got) != 0 {
			t.Errorf("the holder found itself: %v", got)
		}
		ai, err := hosts[0].FindPeer(t.Context(), hosts[3].ID())
		if err != nil || len(ai.Addrs) == 0 {
			t.Errorf("finding a peer: %v, %v", ai, err)
		}
	})
}

// TestProviderRecords: records are renewed while the holder lives and wants it, and lapse soon
// after.
func TestProviderRecords(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		first := net.Node()
		join := p2ptest.Bootstrap(t, first)
		holder, other, asker := net.Node(join), net.Node(join), net.Node(join)
		p2ptest.Eventually(t, 20*time.Second, "full tables", func() bool {
			return !slices.ContainsFunc([]*p2p.Host{first, holder, other, asker}, func(h *p2p.Host) bool { return h.Stats().Of("dht_peers") < 3 })
		})
		provided(t, holder, "a")
		provided(t, other, "a")
		time.Sleep(3 * time.Hour)
		if got := holders(t, asker, "a"); len(got) != 2 {
			t.Errorf("after 3 h %d holders of a, want 2", len(got))
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(p2ptest.Config(0).DHT.ProviderTTL + time.Minute)
		if got := holders(t, asker, "a"); len(got) != 1 || got[0] != holder.ID() {
			t.Errorf("a dead holder is still advertised: %v", got)
		}
	})
}

func TestDiscoveryAlone(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		h := p2ptest.NewNet(t, p2ptest.Latency).Node()
		if err := h.Provide(t.Context(), []byte("x")); !errors.Is(err, p2p.ErrAlone) {
			t.Errorf("provide: %v", err)
		}
		if _, err := h.FindProviders(t.Context(), []byte("y"), 1); !errors.Is(err, p2p.ErrAlone) {
			t.Errorf("find: %v", err)
		}
		time.Sleep(time.Minute)
		if n := h.Stats().Of("dht_empty_checks"); n != 0 {
			t.Errorf("the first node of a network counts %d empty tables", n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.FindProviders(ctx, []byte("y"), 1); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

// TestDiscoveryLarge: beyond 20 nodes not every node stores every record, so a lookup must walk
// through the network. A third of the nodes is dead.
func TestDiscoveryLarge(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		n := 12 + *flagSeats
		net := p2ptest.NewNet(t, p2ptest.Latency)
		hosts := []*p2p.Host{net.Node()}
		join := p2ptest.Bootstrap(t, hosts[0])
		for range n - 1 {
			hosts = append(hosts, net.Node(join))
		}
		time.Sleep(30 * time.Second)
		for i := range n / 3 {
			provided(t, hosts[3*i+1], "the key")
		}
		for i := range n / 3 {
			if err := hosts[3*i+2].Close(); err != nil {
				t.Fatal(err)
			}
		}
		missed := 0
		var slowest time.Duration
		for i := range n / 3 {
			start := time.Now()
			if len(holders(t, hosts[3*i], "the key")) == 0 {
				missed++
			}
			slowest = max(slowest, time.Since(start))
		}
		t.Logf("%d of %d lookups failed, the slowest took %v", missed, n/3, slowest)
		if missed > 0 {
			t.Errorf("%d of %d lookups failed", missed, n/3)
		}
	})
}
