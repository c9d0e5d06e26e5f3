package reach

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
	ma "github.com/multiformats/go-multiaddr"
)

// TestTry: a node links to itself through its relays. One that works counts. One that has lost the
// place is left after two trials, and not asked again. One that serves no stranger is kept.
func TestTry(t *testing.T) {
	t.Parallel()
	start := func(opts ...libp2p.Option) host.Host {
		h, err := libp2p.New(append([]libp2p.Option{libp2p.ListenAddrStrings("/ip4/127.0.0.1/tcp/0"), libp2p.EnableRelay(), libp2p.DisableMetrics()}, opts...)...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = h.Close() })
		return h
	}
	judge := start(libp2p.NoListenAddrs)
	r := New(Default(), Wiring{Public: true, Member: func(p peer.ID) bool { return p == judge.ID() }})
	var told []ma.Multiaddr
	relays := map[string]peer.ID{}
	for name, guests := range map[string]int{"good": 8, "forgetful": 8, "closed": 0} {
		server, cfg := start(), Default().Serve
		cfg.Guests = guests
		if err := newService(t.Context(), cfg, r.parts.Member, nil).serve(server, true); err != nil {
			t.Fatal(err)
		}
		at := peer.AddrInfo{ID: server.ID(), Addrs: server.Addrs()}
		if err := judge.Connect(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		if name != "forgetful" {
			if _, err := client.Reserve(t.Context(), judge, at); err != nil {
				t.Fatal(err)
			}
		}
		relays[name] = server.ID()
		told = append(told, ma.StringCast(server.Addrs()[0].String()+"/p2p/"+server.ID().String()+"/p2p-circuit"))
	}
	r.relays.set(told)
	now := time.Now()
	due := r.relays.due(now)
	if len(due) != 3 || r.relays.proven(now) != 0 || len(r.relays.due(now)) != 0 {
		t.Fatalf("%d to try, %d proven", len(due), r.relays.proven(now))
	}
	for range trialFails {
		r.try(t.Context(), judge, due)
	}
	now = time.Now()
	if n := r.relays.proven(now); n != 1 || r.relays.have[relays["good"]].came.IsZero() {
		t.Errorf("%d relays are proven", n)
	}
	for name, id := range relays {
		if lost := name == "forgetful"; r.relays.shunned(id, now) != lost || Straight(judge, id) == lost {
			t.Errorf("%s: shunned %t, linked %t", name, r.relays.shunned(id, now), Straight(judge, id))
		}
	}
	if r.relays.shunned(relays["forgetful"], now.Add(shunFor)) || r.relays.proven(now.Add(lately)) != 0 {
		t.Error("what was seen once counts for ever")
	}
	r.relays.set(told[:1])
	if len(r.relays.addrs()) != 1 {
		t.Errorf("relays that were left are still told: %v", r.relays.addrs())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r.try(ended, judge, due) // nothing counts when the node ends
}

// TestSixOnly: a home with open IPv6 and a router for IPv4 keeps its relays, for judges without
// IPv6, and tells them. A machine without IPv4 needs none.
func TestSixOnly(t *testing.T) {
	t.Parallel()
	six, both := addrs("/ip6/2a00::7/tcp/1"), addrs("/ip6/2a00::7/tcp/1", "/ip4/11.0.0.7/tcp/1")
	via := ma.StringCast("/ip4/11.0.0.9/tcp/1/p2p/12D3KooWPT98FXMfDQYavZm66EeVjTqP9Nnehn1gyaydqV8L8BQw/p2p-circuit")
	for name, c := range map[string]struct {
		machine   []string
		reachable []ma.Multiaddr
		want      bool
	}{
		"IPv4 behind a router": {[]string{"127.0.0.1/8", "192.168.1.7/24", "2a00::7/64"}, six, true},
		"both reached":         {[]string{"192.168.1.7/24", "2a00::7/64"}, both, false},
		"no IPv4":              {[]string{"127.0.0.1/8", "2a00::7/64"}, six, false},
		"nothing reached":      {[]string{"192.168.1.7/24"}, nil, false},
	} {
		r := New(Default(), Wiring{Public: true, Machine: func() (out []netip.Prefix, _ error) {
			for _, text := range c.machine {
				out = append(out, netip.MustParsePrefix(text))
			}
			return out, nil
		}})
		r.relays.set([]ma.Multiaddr{via})
		r.tried.Reachable = c.reachable
		if got := r.Tell(addrs("/ip6/2a00::7/tcp/1")); (len(got) == 2) != c.want {
			t.Errorf("%s: it tells %v", name, got)
		}
	}
}
