package p2p_test

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/p2p/wire"
)

// TestPushLoss: on a wire that loses a fifth of all packets every vote still arrives, sometimes
// twice, because unacknowledged messages are sent again after two seconds.
func TestPushLoss(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		c := newCourt(t, net, 8)
		net.Loss(0.2)
		start := c.vote(t, 0)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		t.Logf("all votes after %v", atMost(t, "push", c.pushed, 1, 2).Sub(start))
		p2ptest.NoDrops(t, c.hosts...)
	})
}

// TestPushOrder: messages to one peer come in order and each once, even if there are more of them
// than fit in flight at once.
func TestPushOrder(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		a, b := pair(t)
		const n = 5000
		got := make(chan byte, n)
		if err := b.HandlePush("vote", func(_ peer.ID, msg []byte) { got <- msg[0] }); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if err := a.Push("vote", []peer.ID{a.ID(), b.ID()}, []byte{byte(i)}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond) // a thousand a second, at 100 ms there and back
		}
		p2ptest.Eventually(t, 5*time.Second, "all messages and acknowledgements", func() bool { return len(got) == n && a.Stats().Of("push_sent") == n })
		for i := range len(got) {
			if b := <-got; b != byte(i) {
				t.Fatalf("message %d is %d", i, b)
			}
		}
		p2ptest.NoDrops(t, a, b)
	})
}

// TestPushOverflow: if messages do not fit while a peer is away, the oldest are lost and counted.
// Messages that are too old are lost and counted too.
func TestPushOverflow(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		a, id := net.Node(), p2ptest.Identity(t)
		queue := p2ptest.Config(0).Push.Queue
		for i := range queue + 10 {
			if err := a.Push("vote", []peer.ID{id.Peer()}, []byte{byte(i >> 8), byte(i)}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if lost := a.Stats().Drops(); lost["push-full"] != 10 {
			t.Errorf("lost %v, want 10 to overflow", lost)
		}
		time.Sleep(p2ptest.Config(0).Push.MaxAge)
		if err := a.Push("vote", []peer.ID{id.Peer()}, []byte("fresh")); err != nil {
			t.Fatal(err)
		}
		b, box := net.NodeAs(id), newBox()
		if err := b.HandlePush("vote", func(_ peer.ID, msg []byte) { box.add(msg) }); err != nil {
			t.Fatal(err)
		}
		if err := b.Connect(t.Context(), p2ptest.Info(t, a)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if n, _, _ := box.count(); n != 1 || box.got["fresh"] != 1 {
			t.Errorf("%d messages came, want only the fresh one", n)
		}
		if lost := a.Stats().Drops(); lost["push-expired"] != uint64(queue)-1 || lost["push-full"] != 11 {
			t.Errorf("lost %v", lost)
		}
		if err := a.Push("vote", nil, make([]byte, 65<<10)); !errors.Is(err, p2p.ErrTooLarge) {
			t.Errorf("too large: %v", err)
		}
	})
}

// TestPushHostileReceiver: a receiver may never acknowledge, acknowledge messages that it did not
// get, or hang up at once. It costs a bounded queue and delays no other peer.
func TestPushHostileReceiver(t *testing.T) {
	for name, c := range map[string]struct {
		serve  func(network.Stream)
		points bool
	}{
		"silent":    {func(s network.Stream) { _, _ = io.Copy(io.Discard, s) }, false},
		"too many":  {func(s network.Stream) { _, _ = s.Write(wire.AppendAck(nil, 9)) }, true},
		"nonsense":  {func(s network.Stream) { _, _ = s.Write([]byte{0}) }, true},
		"hangs up":  {func(s network.Stream) { _ = s.Reset() }, false},
		"no reader": {func(network.Stream) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				net := p2ptest.NewNet(t, p2ptest.Latency)
				a, honest, box := net.Node(), net.Node(), newBox()
				bad := attacker(t, net, "/ip4/203.0.113.9/udp/1/quic-v1")
				bad.SetStreamHandler(p2p.ProtocolID("test", "vote"), c.serve)
				if err := errors.Join(
					honest.HandlePush("vote", func(_ peer.ID, msg []byte) { box.add(msg) }),
					bad.Connect(t.Context(), p2ptest.Info(t, a)),
					honest.Connect(t.Context(), p2ptest.Info(t, a)),
				); err != nil {
					t.Fatal(err)
				}
				to := []peer.ID{bad.ID(), honest.ID()}
				for i := range 20 {
					if err := a.Push("vote", to, vote(i)); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Second)
				}
				if n, total, last := box.count(); n != 20 || total != 20 || time.Since(last) > 2*time.Second {
					t.Errorf("the honest peer has %d votes (%d copies)", n, total)
				}
				if (a.Points(bad.ID()) > 0) != c.points {
					t.Errorf("%v points", a.Points(bad.ID()))
				}
			})
		})
	}
}

// TestPushIdle: an unused stream is closed, and opened again if needed.
func TestPushIdle(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		a, b := pair(t)
		box := newBox()
		if err := b.HandlePush("vote", func(_ peer.ID, msg []byte) { box.add(msg) }); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if err := a.Push("vote", []peer.ID{b.ID()}, vote(i)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * p2ptest.Config(0).Push.Idle)
		}
		if n, total, _ := box.count(); n != 3 || total != 3 {
			t.Errorf("%d messages, %d copies", n, total)
		}
		if s := a.Stats(); s.Of("push_reopened") != 0 {
			t.Errorf("%d streams reopened after an error", s.Of("push_reopened"))
		}
	})
}
