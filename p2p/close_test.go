package p2p_test

import (
	"context"
	"testing"
	"time"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

// TestCloseCutOff: closing a stream takes no time if the other side was cut off before it sent
// anything. If a judge waited for the library, it would lose 10 s of its round with each holder of
// data that is gone.
func TestCloseCutOff(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		sim := p2ptest.NewNet(t, p2ptest.Latency)
		a, b := sim.Node(), sim.Node()
		if err := b.HandleStream("data", p2p.DefaultLimits(), func(context.Context, *p2p.Stream) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := a.Connect(t.Context(), p2ptest.Info(t, b)); err != nil {
			t.Fatal(err)
		}
		s, err := a.OpenStream(t.Context(), b.ID(), "data")
		if err != nil {
			t.Fatal(err)
		}
		sim.Cut(p2ptest.Halves)
		if err := s.WriteMsg([]byte("are you there?")); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		s.Close()
		if took := time.Since(start); took > time.Second {
			t.Errorf("closing took %s", took)
		}
		sim.Cut(nil)
	})
}

// TestCloseDelivers: bytes written before Close arrive, although nothing was read.
func TestCloseDelivers(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		a, b := pair(t)
		got := make(chan string, 2)
		err := b.HandleStream("data", p2p.DefaultLimits(), func(_ context.Context, s *p2p.Stream) error {
			for {
				msg, err := s.ReadMsg()
				if err != nil {
					return nil
				}
				got <- string(msg)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := a.OpenStream(t.Context(), b.ID(), "data")
		if err != nil {
			t.Fatal(err)
		}
		for _, msg := range []string{"first", "last"} {
			if err := s.WriteMsg([]byte(msg)); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
		p2ptest.Eventually(t, time.Second, "both messages", func() bool { return len(got) == 2 })
	})
}
