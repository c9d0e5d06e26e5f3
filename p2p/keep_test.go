package p2p_test

import (
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

// TestRefused: if a peer refuses a host, the host dials it more and more rarely, though every dial
// seems to succeed for a moment. It is linked again soon after the ban. If a link lasted and is
// lost, the host dials again at once, before and after.
func TestRefused(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		a, b := pair(t, func(cfg *p2p.Config, _ *p2p.Deps) { cfg.Scores.BanFor = 5 * time.Minute })
		b.Keep([]peer.AddrInfo{p2ptest.Info(t, a)})
		time.Sleep(10 * time.Second)
		again := func() {
			t.Helper()
			before := b.Stats().Of("dials")
			if err := b.Drop(a.ID()); err != nil {
				t.Fatal(err)
			}
			p2ptest.Eventually(t, 3*time.Second, "the link", func() bool { return len(b.Peers()) == 1 })
			if n := b.Stats().Of("dials") - before; n > 2 {
				t.Errorf("%d dials", n)
			}
		}
		again()
		time.Sleep(10 * time.Second)
		before := b.Stats().Of("dials")
		a.Penalize(b.ID(), 2*p2ptest.Config(0).Scores.BanAt, "test")
		time.Sleep(5 * time.Minute)
		if n := b.Stats().Of("dials") - before; n < 4 || n > 12 {
			t.Errorf("%d dials in five minutes of refusal", n)
		}
		p2ptest.Eventually(t, 3*time.Minute, "the link after the ban", func() bool { return len(b.Peers()) == 1 })
		time.Sleep(10 * time.Second)
		again()
	})
}
