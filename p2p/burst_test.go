package p2p_test

import (
	"flag"
	"slices"
	"testing"
	"time"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

var (
	flagBursts = flag.Int("bursts", 6, "all-to-all bursts of TestBursts")
	flagHosts  = flag.Int("bursts.hosts", 6, "hosts of TestBursts")
)

// TestBursts: all-to-all bursts, each as soon as the last one is through, lose no vote on either
// path, and no queue overflows. It runs on loopback TCP. go test ./p2p -run 'TestBursts$' -bursts
// 10000 -bursts.hosts 100 -timeout 4h
func TestBursts(t *testing.T) {
	var hosts []*p2p.Host
	c := &court{}
	cfg := realConfig()
	cfg.Listen, cfg.ObserveAddrs = cfg.Listen[:1], false
	for range *flagHosts {
		c.join(t, realHost(t, cfg, p2p.Deps{Topics: []string{"rounds"}}))
	}
	hosts = c.hosts
	p2ptest.Mesh(t, hosts)
	p2ptest.Eventually(t, 5*time.Minute, "all links", func() bool { return p2ptest.Links(hosts) == links(len(hosts)) })
	c.subscribed(t, time.Minute)
	start := time.Now()
	for round := range *flagBursts {
		c.vote(t, round%1_000_000)
		want := len(hosts) - 1
		p2ptest.Eventually(t, time.Minute, "the votes of a burst", func() bool { return arrived(c.pushed, want) && arrived(c.gossip, want) })
		for _, b := range append(c.pushed, c.gossip...) {
			b.forget()
		}
	}
	p2ptest.NoDrops(t, hosts...)
	t.Logf("%d bursts of %d hosts: %d votes on each path, none lost, %v a burst", *flagBursts, len(hosts), *flagBursts*len(hosts)*(len(hosts)-1), time.Since(start)/time.Duration(*flagBursts))
}

// TestBurstsControl: with queues as small as the library's, scaled to the number of hosts, bursts
// lose votes, so TestBursts can fail.
func TestBurstsControl(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		sim := p2ptest.NewNet(t, p2ptest.Latency)
		c := newCourt(t, sim, 6, func(cfg *p2p.Config, _ *p2p.Deps) {
			cfg.Gossip.ValidateQueue, cfg.Gossip.OutboundQueue, cfg.Gossip.Inbox, cfg.Push.Queue = 1, 1, 1, 2
		})
		for round := range 20 {
			c.vote(t, round)
		}
		p2ptest.Eventually(t, 10*time.Second, "a vote is lost with queues of one", func() bool {
			return slices.ContainsFunc(c.hosts, func(h *p2p.Host) bool { return len(h.Stats().Drops()) > 0 })
		})
	})
}

func arrived(boxes []*box, want int) bool {
	for _, b := range boxes {
		if n, _, _ := b.count(); n < want {
			return false
		}
	}
	return true
}

// forget empties a box.
func (b *box) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.got)
}
