package floor

import (
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/host"
)

// gossip is gossipsub alone, with queues that lose nothing.
type gossip struct {
	*Tally
	topics []*pubsub.Topic
}

// NewGossip connects n hosts that listen on addr with one topic of gossipsub, which signs and
// verifies by itself.
func NewGossip(t testing.TB, n int, addr string, opts ...libp2p.Option) Exchange {
	t.Helper()
	g := &gossip{Tally: NewTally(t)}
	for _, h := range hosts(t, n, addr, opts...) {
		g.join(h)
	}
	alone := func(topic *pubsub.Topic) bool { return len(topic.ListPeers()) < n-1 }
	for end := time.Now().Add(patience); slices.ContainsFunc(g.topics, alone); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("floor: the topic is not at all hosts within %s", patience)
		}
	}
	return g
}

func (g *gossip) join(h host.Host) {
	g.t.Helper()
	ps, err := pubsub.NewGossipSub(g.t.Context(), h, pubsub.WithValidateQueueSize(4096), pubsub.WithPeerOutboundQueueSize(1024))
	if err != nil {
		g.t.Fatal(err)
	}
	topic, err := ps.Join("bare")
	if err != nil {
		g.t.Fatal(err)
	}
	sub, err := topic.Subscribe(pubsub.WithBufferSize(4096))
	if err != nil {
		g.t.Fatal(err)
	}
	g.topics = append(g.topics, topic)
	go func() {
		for {
			m, err := sub.Next(g.t.Context())
			if err != nil {
				return // the benchmark is over
			}
			if m.ReceivedFrom != h.ID() {
				g.Count()
			}
		}
	}()
}

func (*gossip) Name() string { return "gossip" }
func (*gossip) Settle()      {}

func (g *gossip) Round(votes [][]byte) {
	g.t.Helper()
	g.Expect(len(votes))
	for i, v := range votes {
		go func() {
			if err := g.topics[i].Publish(g.t.Context(), v); err != nil {
				g.Fail(err)
			}
		}()
	}
	g.Wait()
}
