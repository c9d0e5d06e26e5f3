package p2p_test

import (
	"context"
	"testing"
	"testing/synctest"
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
		if err := a.Connect(t.Context(), p2ptest.Info(t, b)); err != nil {
			t.Fatal(err)
		}
		if err := b.HandleStream("data", p2p.DefaultLimits(), func(context.Context, *p2p.Stream) error { return nil }); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) // a knows by now what b serves
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
		time.Sleep(time.Second)
		synctest.Wait()
		if len(got) != 2 {
			t.Errorf("%d messages arrived, want 2", len(got))
		}
	})
}
