package p2p_test

import (
	"testing"
	"time"

	"ojud/p2p"
	"ojud/p2p/identity"
	"ojud/p2p/p2ptest"
)

// TestClocksApart: hosts whose clocks differ by hours still know each other. A host may come back
// without its disk and with its clock set back, so that its announcements are older than those that
// others have of it. It is heard again.
func TestClocksApart(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		at := func(id identity.Identity, off time.Duration) *p2p.Host {
			return net.NodeAs(id, func(_ *p2p.Config, d *p2p.Deps) { d.Now = func() time.Time { return time.Now().Add(off) } })
		}
		var hosts []*p2p.Host
		for i, off := range []time.Duration{0, 5 * time.Hour, -5 * time.Hour, 11 * time.Hour} {
			h := at(p2ptest.Identity(t), off)
			if err := h.Directory().Announce(profile(i)); err != nil {
				t.Fatal(err)
			}
			hosts = append(hosts, h)
		}
		for _, h := range hosts {
			mesh(t, h, hosts)
		}
		knows := func(of identity.Identity, version string) func() bool {
			return func() bool {
				for _, h := range hosts {
					if j, ok := h.Directory().Judge(of.Peer()); !ok || j.Version != version {
						return false
					}
				}
				return true
			}
		}
		id := p2ptest.Identity(t)
		p := profile(9)
		start := func(off time.Duration, version string) *p2p.Host {
			h := at(id, off)
			p.Version = version
			if err := h.Directory().Announce(p); err != nil {
				t.Fatal(err)
			}
			mesh(t, h, hosts)
			p2ptest.Eventually(t, 20*time.Second, "all know version "+version, knows(id, version))
			return h
		}
		first := start(3*time.Hour, "1")
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		start(-8*time.Hour, "2")
		ahead := p2ptest.Identity(t) // the control: a day is too much
		h := at(ahead, 30*time.Hour)
		if err := h.Directory().Announce(profile(8)); err != nil {
			t.Fatal(err)
		}
		mesh(t, h, hosts)
		time.Sleep(time.Minute)
		if _, ok := hosts[0].Directory().Judge(ahead.Peer()); ok {
			t.Error("a host is known that is more than a day ahead")
		}
	})
}
