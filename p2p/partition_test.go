package p2p_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
)

// links is the number of pairs among n hosts.
func links(n int) int { return n * (n - 1) / 2 }

// healed cuts a court into two halves for the given time and lets every judge vote during the cut.
// It returns how long after its end all links are back, or limit if they are not.
func healed(t *testing.T, c *court, sim *p2ptest.Net, cut, limit time.Duration) time.Duration {
	t.Helper()
	sim.Cut(p2ptest.Halves)
	time.Sleep(cut / 2)
	c.vote(t, 0)
	time.Sleep(cut - cut/2)
	sim.Cut(nil)
	start := time.Now()
	for time.Since(start) < limit {
		if p2ptest.Links(c.hosts) == links(len(c.hosts)) {
			return time.Since(start)
		}
		time.Sleep(50 * time.Millisecond)
	}
	return limit
}

// TestPartition: after cuts of 10 s to a whole round all links are back within
// seconds, and the votes pushed during the cut arrive by themselves.
func TestPartition(t *testing.T) {
	longtest.Only(t)
	const limit = 12 * time.Second
	for _, c := range []struct {
		cut time.Duration
		n   int
	}{{10 * time.Second, 8}, {time.Minute, *flagSeats}, {590 * time.Second, 8}} {
		t.Run(c.cut.String(), func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				sim := p2ptest.NewNet(t, p2ptest.Latency)
				panel := newCourt(t, sim, c.n)
				took := healed(t, panel, sim, c.cut, limit)
				if took == limit {
					t.Errorf("%d of %d links %v after the cut", p2ptest.Links(panel.hosts), links(c.n), limit)
				}
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if !pushedAll(panel, c.n-1) { // at least once, because silent peers get messages again
					t.Error("votes are missing")
				}
				p2ptest.NoDrops(t, panel.hosts...)
				t.Logf("links back after %v", took)
			})
		})
	}
}

// TestPartitionControl: without the re-dialler the links do not come back after a cut of a minute,
// so TestPartition can fail.
func TestPartitionControl(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		sim := p2ptest.NewNet(t, p2ptest.Latency)
		c := newCourt(t, sim, *flagSeats)
		for _, h := range c.hosts {
			h.Keep(nil)
		}
		sim.Cut(p2ptest.Halves)
		time.Sleep(time.Minute)
		sim.Cut(nil)
		time.Sleep(2 * time.Minute)
		if got, want := p2ptest.Links(c.hosts), 2*links(*flagSeats/2); got != want {
			t.Errorf("%d links without the re-dialler, want only the %d inside the halves", got, want)
		}
	})
}

// TestEvents: each side is told when a link comes, goes and comes back.
func TestEvents(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		sim := p2ptest.NewNet(t, p2ptest.Latency)
		events := make(chan p2p.PeerEvent, 100)
		a := sim.Node(func(_ *p2p.Config, d *p2p.Deps) { d.OnPeer = func(e p2p.PeerEvent) { events <- e } })
		b := sim.Node()
		a.Keep([]peer.AddrInfo{p2ptest.Info(t, b)})
		want := func(connected bool, limit time.Duration) {
			t.Helper()
			select {
			case e := <-events:
				if e.Peer != b.ID() || e.Connected != connected || !e.Kept {
					t.Errorf("event %+v, want connected %v", e, connected)
				}
			case <-time.After(limit):
				t.Errorf("no event within %v, want connected %v", limit, connected)
			}
		}
		want(true, 5*time.Second)
		sim.Cut(p2ptest.Halves)
		want(false, time.Minute)
		sim.Cut(nil)
		want(true, 10*time.Second)
		if all, missing := a.Kept(); len(all) != 1 || len(missing) != 0 {
			t.Errorf("kept %v, missing %v", all, missing)
		}
	})
}

// TestLateJoiner: a judge that comes after the votes gets all of them by push, because they wait
// for it. Bare gossip gives it none after 3.5 s.
func TestLateJoiner(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		sim := p2ptest.NewNet(t, p2ptest.Latency)
		c := newCourt(t, sim, *flagSeats-1)
		id := p2ptest.Identity(t)
		seats := append(p2ptest.IDs(c.hosts), id.Peer())
		for i, h := range c.hosts {
			if err := h.Push("vote", seats, vote(i)); err != nil {
				t.Fatal(err)
			}
			if err := c.topics[i].Publish(t.Context(), vote(i)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * time.Minute)
		late := sim.NodeAs(id, named("rounds"))
		c.join(t, late)
		p2ptest.Mesh(t, c.hosts)
		took := p2ptest.Eventually(t, 10*time.Second, "all votes at the late judge", func() bool {
			distinct, _, _ := c.pushed[*flagSeats-1].count()
			return distinct == *flagSeats-1
		})
		byGossip, _, _ := c.gossip[*flagSeats-1].count()
		t.Logf("%v after it started; by gossip it got %d", took, byGossip)
		if byGossip != 0 {
			t.Errorf("gossip gave %d old votes: the control of this test no longer holds", byGossip)
		}
		p2ptest.NoDrops(t, c.hosts...)
	})
}
