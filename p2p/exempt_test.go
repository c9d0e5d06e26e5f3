package p2p

import (
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/test"
	ma "github.com/multiformats/go-multiaddr"
)

// A kept peer has one entry for each IP address where it is known, whatever the ports and the
// transports. Entries stay while the peer is kept, and go with it.
func TestExempt(t *testing.T) {
	m, err := NewResourceManager(DefaultConfig().Limits)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}()
	e := newExempt(m)
	a, b := test.RandPeerIDFatal(t), test.RandPeerIDFatal(t)
	addr := func(s string) ma.Multiaddr { return ma.StringCast(s) }
	peers := []peer.AddrInfo{
		{ID: a, Addrs: []ma.Multiaddr{addr("/ip4/192.0.2.1/tcp/1"), addr("/ip4/192.0.2.1/udp/2/quic-v1"), addr("/ip6/2001:db8::1/tcp/1"), addr("/dns4/example.org/tcp/1")}},
		{ID: b, Addrs: []ma.Multiaddr{addr("/ip4/192.0.2.1/tcp/9")}},
		{ID: "no peer", Addrs: []ma.Multiaddr{addr("/ip4/192.0.2.7/tcp/9")}},
	}
	allowed := func(id peer.ID, s string) bool { return e.list.AllowedPeerAndMultiaddr(id, addr(s)) }
	for range 2 {
		if err := e.set(peers); err != nil {
			t.Fatal(err)
		}
		if len(e.in) != 3 || !allowed(a, "/ip4/192.0.2.1/tcp/77") || !allowed(a, "/ip6/2001:db8::1/udp/7") || !allowed(b, "/ip4/192.0.2.1/tcp/3") {
			t.Fatalf("%d entries, want 3, each for every port", len(e.in))
		}
		if allowed(a, "/ip4/192.0.2.7/tcp/1") || allowed(b, "/ip6/2001:db8::1/tcp/1") {
			t.Fatal("a place of another peer is exempt")
		}
	}
	if n := testing.AllocsPerRun(10, func() { _ = e.set(peers[:2]) }); n > 40 {
		t.Errorf("%.0f allocations while nothing changes: entries are spelled anew", n)
	}
	if err := e.set(peers[1:2]); err != nil {
		t.Fatal(err)
	}
	if len(e.in) != 1 || allowed(a, "/ip4/192.0.2.1/tcp/77") || !allowed(b, "/ip4/192.0.2.1/tcp/3") {
		t.Error("an entry did not go with its peer, or one went that should stay")
	}
}
