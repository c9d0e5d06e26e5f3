package p2p_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/directory"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
)

// mob makes bare hosts, each on its own address, without any of our limits.
func mob(t *testing.T, net *p2ptest.Net, n int) []host.Host {
	t.Helper()
	var out []host.Host
	for i := range n {
		out = append(out, attacker(t, net, fmt.Sprintf("/ip4/203.0.%d.%d/udp/1/quic-v1", 100+i/250, 1+i%250)))
	}
	return out
}

// crowd lets every host of a mob connect to a host again and again, as often as it is disconnected,
// until the test ends.
func crowd(t *testing.T, mob []host.Host, at peer.AddrInfo) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{}, len(mob))
	for _, h := range mob {
		go func() {
			defer func() { done <- struct{}{} }()
			for ctx.Err() == nil {
				try, end := context.WithTimeout(network.WithForceDirectDial(ctx, "flood"), 2*time.Second)
				_ = h.Connect(try, at) // most are refused
				end()
				select {
				case <-ctx.Done():
				case <-time.After(2 * time.Second):
				}
			}
		}()
	}
	t.Cleanup(func() {
		cancel()
		for range mob {
			<-done
		}
	})
}

// crowded sets limits so low that a mob of a hundred fills them.
func crowded(c *p2p.Config, _ *p2p.Deps) {
	c.MaxPeers, c.Limits.Conns = 64, 80
}

// TestConnFlood: a mob with many addresses takes every available connection. Kept judges stay, and
// one that starts again gets in within 10 s.
func TestConnFlood(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		sim := p2ptest.NewNet(t, 5*time.Millisecond)
		panel := newCourt(t, sim, 5, crowded)
		victim, last := panel.hosts[0], p2ptest.Identity(t)
		back := sim.NodeAs(last, named("rounds"))
		p2ptest.Mesh(t, append(panel.hosts, back))
		p2ptest.Eventually(t, 10*time.Second, "the sixth judge", func() bool { return p2ptest.Links(append(panel.hosts, back)) == links(6) })
		for _, h := range mob(t, sim, 84) {
			crowd(t, []host.Host{h}, p2ptest.Info(t, victim))
		}
		time.Sleep(time.Minute)
		if got := p2ptest.Links(append(panel.hosts, back)); got != links(6) {
			t.Errorf("%d of %d links between judges while the mob is there", got, links(6))
		}
		if n := len(victim.Peers()); n < 30 {
			t.Errorf("only %d peers: the mob did not fill the house", n)
		}
		for range 1 {
			if err := back.Close(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(40 * time.Second)
			back = sim.NodeAs(last, named("rounds"))
			back.Keep(p2ptest.Infos(t, panel.hosts))
			for _, h := range panel.hosts { // in production the registry brings them the new address
				h.Keep(p2ptest.Infos(t, append(panel.hosts, back)))
			}
			took := p2ptest.Eventually(t, time.Minute, "the restarted judge is linked to all", func() bool {
				return p2ptest.Links(append(panel.hosts, back)) == links(6)
			})
			t.Logf("linked again after %v, victim has %d peers", took, len(victim.Peers()))
			if took > linksHealed {
				t.Errorf("linked to all %v after its start", took)
			}
		}
	})
}

// TestRegistrySybils: announcements are free. A peer that makes more of them than the registry can
// hold drives out no judge with a stake, not even one that was last seen long ago. Control: without
// Deps.Staked it does.
func TestRegistrySybils(t *testing.T) {
	for _, known := range []bool{true, false} {
		t.Run(fmt.Sprint("stakes known: ", known), func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				sim := p2ptest.NewNet(t, p2ptest.Latency)
				victim := sim.Node(func(c *p2p.Config, d *p2p.Deps) {
					c.Registry.MaxEntries = 4
					if known {
						d.Staked = func(a directory.Announcement) bool { return a.Authority == authority(0) }
					}
				})
				announce := func(i int) *p2p.Host {
					h := sim.Node()
					if err := h.Directory().Announce(profile(i, "weather")); err != nil {
						t.Fatal(err)
					}
					if err := h.Connect(t.Context(), p2ptest.Info(t, victim)); err != nil {
						t.Fatal(err)
					}
					time.Sleep(10 * time.Second)
					return h
				}
				judge := announce(0)
				if err := judge.Close(); err != nil {
					t.Fatal(err)
				}
				for i := range 8 {
					announce(i + 1)
				}
				if _, kept := victim.Directory().Judge(judge.ID()); kept != known || victim.Directory().Len() != 4 {
					t.Errorf("the judge is known: %v, want %v; %d entries", kept, known, victim.Directory().Len())
				}
			})
		})
	}
}
