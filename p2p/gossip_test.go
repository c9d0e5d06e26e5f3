package p2p_test

import (
	"context"
	"errors"
	"testing"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

// byWord judges a message by its first letter.
func byWord(_ context.Context, _, _ peer.ID, data []byte) p2p.Verdict {
	switch string(data[:1]) {
	case "a":
		return p2p.Accept
	case "r":
		return p2p.Reject
	}
	return p2p.Ignore
}

// line makes three hosts in a row: a, b, c. a and c are not connected.
func line(t *testing.T, judge p2p.Validator, opts ...p2ptest.Option) (hosts []*p2p.Host, topics []*p2p.Topic, boxes []*box) {
	t.Helper()
	net := p2ptest.NewNet(t, p2ptest.Latency)
	net.Cut(p2ptest.Chain)
	for i := range 3 {
		h := net.Node(append(opts, named("rounds", "data"))...)
		if i > 0 {
			if err := h.Connect(t.Context(), p2ptest.Info(t, hosts[i-1])); err != nil {
				t.Fatal(err)
			}
		}
		b := newBox()
		topic, err := h.Join("rounds", judge)
		if err != nil {
			t.Fatal(err)
		}
		go collect(topic, b)
		hosts, topics, boxes = append(hosts, h), append(topics, topic), append(boxes, b)
	}
	time.Sleep(10 * time.Second)
	return hosts, topics, boxes
}

// TestVerdicts: accepted messages travel. Messages that our own validator does not accept are not
// sent.
func TestVerdicts(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		_, topics, boxes := line(t, byWord)
		for msg, ok := range map[string]bool{"a1": true, "a2": true, "r1": false, "i1": false} {
			if err := topics[0].Publish(t.Context(), []byte(msg)); (err == nil) != ok {
				t.Errorf("publishing %s: %v", msg, err)
			}
		}
		time.Sleep(time.Second)
		for i, want := range []int{0, 2, 2} {
			if _, total, _ := boxes[i].count(); total != want {
				t.Errorf("host %d got %d messages, want %d", i, total, want)
			}
		}
	})
}

// TestMessageNames: a message names the peer that passed it on and the one that signed it.
func TestMessageNames(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		type names struct{ from, origin peer.ID }
		seen := make(chan names, 10)
		hosts, topics, _ := line(t, func(_ context.Context, from, origin peer.ID, _ []byte) p2p.Verdict {
			seen <- names{from, origin}
			return p2p.Accept
		})
		if err := topics[0].Publish(t.Context(), []byte("x")); err != nil {
			t.Fatal(err)
		}
		a, b := hosts[0].ID(), hosts[1].ID()
		for _, want := range []names{{a, a}, {a, a}, {b, a}} { // at a itself, at b, at c
			if got := <-seen; got != want {
				t.Errorf("%v, want %v", got, want)
			}
		}
	})
}

// liar publishes on the topic of a network without any validator.
func liar(t *testing.T, net *p2ptest.Net, victim *p2p.Host, opts ...pubsub.Option) (*pubsub.Topic, peer.ID) {
	t.Helper()
	h := attacker(t, net, "/ip4/203.0.113.9/udp/1/quic-v1")
	mesh := func(pubsub.GossipSubFeature, protocol.ID) bool { return true }
	opts = append(opts, pubsub.WithGossipSubProtocols([]protocol.ID{p2p.ProtocolID("test", "meshsub")}, mesh), pubsub.WithFloodPublish(true))
	ps, err := pubsub.NewGossipSub(t.Context(), h, opts...)
	if err != nil {
		t.Fatal(err)
	}
	topic, err := ps.Join(p2p.TopicName("test", "rounds"))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Connect(t.Context(), p2ptest.Info(t, victim)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second)
	return topic, h.ID()
}

// TestRejectedSenderIsShunned: if a peer sends messages that it must know to be wrong, its
// neighbours stop listening after a few of them, even if it then sends true ones. They still listen
// to a peer whose messages are only ignored.
func TestRejectedSenderIsShunned(t *testing.T) {
	for word, heard := range map[string]bool{"r": false, "i": true} {
		t.Run(word, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				net := p2ptest.NewNet(t, p2ptest.Latency)
				victim := net.Node(named("rounds"))
				b := newBox()
				topic, err := victim.Join("rounds", byWord)
				if err != nil {
					t.Fatal(err)
				}
				go collect(topic, b)
				bad, _ := liar(t, net, victim)
				for i := range 10 {
					if err := bad.Publish(t.Context(), []byte{word[0], byte(i)}); err != nil {
						t.Fatal(err)
					}
					time.Sleep(100 * time.Millisecond)
				}
				if err := bad.Publish(t.Context(), []byte("a true word")); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
				if _, total, _ := b.count(); (total == 1) != heard {
					t.Errorf("heard %d messages, want heard %v", total, heard)
				}
				if s := victim.Stats(); s.Of("gossip/rejected") > 3 {
					t.Errorf("%d rejected before it was shunned", s.Of("gossip/rejected"))
				}
			})
		})
	}
}

// TestGossipQuota: a peer cannot make us remember more than its quota, and a message that we ignore
// costs it more than one that we want.
func TestGossipQuota(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		victim := net.Node(named("rounds"), func(c *p2p.Config, _ *p2p.Deps) {
			c.Gossip.RatePerPeer, c.Gossip.BurstPerPeer, c.Gossip.IgnoreCost = 1, 100, 10
		})
		if _, err := victim.Join("rounds", byWord); err != nil {
			t.Fatal(err)
		}
		bad, _ := liar(t, net, victim, pubsub.WithPeerOutboundQueueSize(2000))
		for i := range 1000 {
			if err := bad.Publish(t.Context(), []byte{'i', byte(i), byte(i >> 8)}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		s := victim.Stats()
		if s.Of("gossip/ignored") < 10 || s.Of("gossip/ignored") > 20 || s.Drops()["gossip-rate"] < 900 {
			t.Errorf("%d ignored, lost %v: a burst of 100 allows 10 that cost 10", s.Of("gossip/ignored"), s.Drops())
		}
	})
}

// TestForgedOrigin: a message in another peer's name does not pass.
func TestForgedOrigin(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		victim := net.Node(named("rounds"))
		b := newBox()
		topic, err := victim.Join("rounds", acceptAll)
		if err != nil {
			t.Fatal(err)
		}
		go collect(topic, b)
		bad, _ := liar(t, net, victim, pubsub.WithMessageSignaturePolicy(pubsub.StrictNoSign), pubsub.WithNoAuthor())
		if err := bad.Publish(t.Context(), []byte("unsigned")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if _, total, _ := b.count(); total != 0 || victim.Stats().Of("gossip/bad_signature") != 1 {
			t.Errorf("%d messages, stats %+v", total, victim.Stats())
		}
	})
}

// TestRepublish: the same bytes of one origin count once within SeenTTL, and a peer cannot make a
// vote "seen" by publishing its bytes first.
func TestRepublish(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		_, topics, boxes := line(t, acceptAll)
		publish := func(i int) {
			if err := topics[i].Publish(t.Context(), []byte("the vote of host 0")); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
		}
		publish(1) // host 1 copies it before host 0 sends it
		publish(0)
		publish(0)
		if _, total, _ := boxes[2].count(); total != 2 {
			t.Errorf("host 2 got %d messages, want the copy and the original", total)
		}
	})
}

func TestTopicErrors(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		h := p2ptest.NewNet(t, 0).Node(named("rounds"))
		topic, err := h.Join("rounds", acceptAll)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"rounds", "other"} {
			if _, err := h.Join(name, acceptAll); !errors.Is(err, p2p.ErrTopic) {
				t.Errorf("%s: error %v", name, err)
			}
		}
		if err := topic.Publish(t.Context(), make([]byte, 64<<10)); !errors.Is(err, p2p.ErrTooLarge) {
			t.Errorf("too large: error %v", err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if _, err := topic.Next(t.Context()); !errors.Is(err, p2p.ErrClosed) {
			t.Errorf("next after close: %v", err)
		}
		if err := topic.Publish(t.Context(), []byte("x")); !errors.Is(err, p2p.ErrClosed) {
			t.Errorf("publish after close: %v", err)
		}
		if err := h.Push("vote", nil, []byte("x")); !errors.Is(err, p2p.ErrClosed) {
			t.Errorf("push after close: %v", err)
		}
	})
}
