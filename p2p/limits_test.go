package p2p_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
)

// behindOne is the i-th port of the one address that all nodes of a test share.
func behindOne(i int) string { return fmt.Sprintf("/ip4/192.0.2.2/udp/%d/quic-v1", 4600+i) }

// TestOneAddress: 28 judges behind one address form all 378 links. Loopback is exempt from the
// limiter, so the test needs another address.
func TestOneAddress(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, 5*time.Millisecond)
		var hosts []*p2p.Host
		for i := range judges {
			hosts = append(hosts, net.Node(func(c *p2p.Config, _ *p2p.Deps) { c.Listen = []string{behindOne(i)} }))
		}
		p2ptest.Mesh(t, hosts)
		took := p2ptest.Eventually(t, 20*time.Second, "all links", func() bool { return p2ptest.Links(hosts) == links(judges) })
		t.Logf("%d links after %v", links(judges), took)
		time.Sleep(time.Minute)
		if got := p2ptest.Links(hosts); got != links(judges) {
			t.Errorf("%d links a minute later", got)
		}
	})
}

// TestOneAddressControl: with the library's default limits the same 28 hosts form at most 108
// links, so TestOneAddress can fail.
func TestOneAddressControl(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, 5*time.Millisecond)
		var hosts []host.Host
		for i := range judges {
			h, err := libp2p.New(net.Transport(), libp2p.ListenAddrStrings(behindOne(i)), libp2p.DisableIdentifyAddressDiscovery(), libp2p.DisableMetrics())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = h.Close() }) // a bare host of the control, with nothing to lose
			hosts = append(hosts, h)
		}
		for i, a := range hosts {
			for _, b := range hosts[:i] {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				// Most of them fail. That is the purpose.
				_ = a.Connect(ctx, peer.AddrInfo{ID: b.ID(), Addrs: b.Addrs()})
				cancel()
			}
		}
		ends := 0
		for _, h := range hosts {
			ends += len(h.Network().Peers())
		}
		if ends/2 > links(judges)*3/4 {
			t.Errorf("%d links with default limits: the control of TestOneAddress no longer holds", ends/2)
		}
		t.Logf("%d of %d links with default limits", ends/2, links(judges))
	})
}

// TestMaxPeers: above MaxPeers links are closed, but not those to kept peers.
func TestMaxPeers(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		const most = 64
		net := p2ptest.NewNet(t, 5*time.Millisecond)
		hub := net.Node(func(c *p2p.Config, _ *p2p.Deps) { c.MaxPeers = most })
		// Use bare hosts, because the DHT protects its own nodes.
		var kept []host.Host
		var infos []peer.AddrInfo
		for i := range 5 {
			h := attacker(t, net, fmt.Sprintf("/ip4/203.0.114.%d/udp/1/quic-v1", i+1))
			if err := h.Connect(t.Context(), p2ptest.Info(t, hub)); err != nil {
				t.Fatal(err)
			}
			kept, infos = append(kept, h), append(infos, peer.AddrInfo{ID: h.ID(), Addrs: h.Addrs()})
		}
		hub.Keep(infos)
		time.Sleep(time.Minute)
		before := time.Now()
		for i := range 2 * most {
			h := attacker(t, net, fmt.Sprintf("/ip4/203.0.113.%d/udp/1/quic-v1", i+1))
			if err := h.Connect(t.Context(), p2ptest.Info(t, hub)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(3 * time.Minute)
		if n := len(hub.Peers()); n > most {
			t.Errorf("%d peers, limit %d", n, most)
		}
		for i, h := range kept {
			if conns := h.Network().Conns(); len(conns) != 1 || conns[0].Stat().Opened.After(before) {
				t.Errorf("the link to kept peer %d was closed", i)
			}
		}
	})
}
