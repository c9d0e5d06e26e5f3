package p2p_test

import (
	"flag"
	"testing"
	"time"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

var flagAbsent = flag.Int("absences", 3, "absences of TestAbsence, from half a second to nine minutes and a half")

// lateness is the goal for a host that is up again: the time until it has everything.
const lateness = 2 * time.Second

// TestAbsence: a judge is away for any time of a round, with its connections gone. 2 s after it is
// up it has every vote that was pushed meanwhile. Votes older than a round come from case files
// (package node).
func TestAbsence(t *testing.T) {
	for i := range *flagAbsent {
		away := 500 * time.Millisecond << (i * 10 / max(1, *flagAbsent-1)) // 0.5 s to 512 s
		p2ptest.Run(t, func(t *testing.T) {
			sim := p2ptest.NewNet(t, p2ptest.Latency)
			const n = 6
			c := newCourt(t, sim, n-1)
			id := p2ptest.Identity(t)
			first := sim.NodeAs(id, named("rounds"))
			everybody := append(c.hosts[:n-1:n-1], first)
			p2ptest.Mesh(t, everybody)
			p2ptest.Eventually(t, 20*time.Second, "all links", func() bool { return p2ptest.Links(everybody) == links(n) })
			at := p2ptest.Info(t, first)
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(away / 2)
			for j, h := range c.hosts {
				if err := h.Push("vote", p2ptest.IDs(everybody), vote(j)); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(away - away/2)
			again := sim.NodeAs(id, named("rounds"), func(cfg *p2p.Config, _ *p2p.Deps) { cfg.Listen = []string{at.Addrs[0].String()} })
			c.join(t, again)
			again.Keep(p2ptest.Infos(t, c.hosts)) // as a node does at once, from the registry on its disk
			took := p2ptest.Eventually(t, 30*time.Second, "all votes", func() bool { return arrived(c.pushed[n-1:], n-1) })
			t.Logf("away for %v: all votes %v after it was up", away, took)
			if took > lateness {
				t.Errorf("away for %v: all votes only %v after it was up, want %v", away, took, lateness)
			}
		})
	}
}
