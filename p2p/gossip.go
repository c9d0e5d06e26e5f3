package p2p

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	pb "github.com/libp2p/go-libp2p-pubsub/pb"
	"github.com/libp2p/go-libp2p-pubsub/timecache"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
)

// gossipOverhead is the room in a wire message for the sender, signature,
// sequence number and topic beside the payload, in bytes.
const gossipOverhead = 1 << 10

// gossip owns the pubsub instance and its topics.
type gossip struct {
	cfg   Config
	self  peer.ID
	ps    *pubsub.PubSub
	quota *quota
	count *counters
	run   func(func(context.Context))

	mu     sync.Mutex
	topics map[string]bool // allowed names; true once joined
}

// newGossip starts gossipsub with the settings that lose nothing with 28 judges on one machine. names are
// the topics that may ever be joined: subscriptions of others to anything else
// are ignored, and a peer tells its subscriptions only once.
func newGossip(ctx context.Context, cfg Config, h host.Host, book *book, count *counters, names []string) (*gossip, error) {
	g := &gossip{cfg: cfg, self: h.ID(), count: count, topics: map[string]bool{}, quota: newQuota(cfg.Gossip)}
	full := make([]string, 0, len(names))
	for _, n := range names {
		if err := checkName(n); err != nil {
			return nil, err
		}
		g.topics[n] = false
		full = append(full, TopicName(cfg.Network, n))
	}
	opts := append(g.options(full), pubsub.WithPeerScore(scoreParams(cfg.Scores, book)))
	ps, err := pubsub.NewGossipSub(ctx, h, opts...)
	if err != nil {
		return nil, fmt.Errorf("p2p: starting gossipsub: %w", err)
	}
	g.ps = ps
	return g, nil
}

func (g *gossip) options(topics []string) []pubsub.Option {
	c := g.cfg.Gossip
	return []pubsub.Option{
		pubsub.WithGossipSubProtocols([]protocol.ID{ProtocolID(g.cfg.Network, "meshsub")}, features),
		pubsub.WithMessageSignaturePolicy(pubsub.StrictSign),
		pubsub.WithFloodPublish(true), // one hop to everybody connected (A.6: 56 ms against 166 ms)
		pubsub.WithValidateQueueSize(c.ValidateQueue),
		pubsub.WithPeerOutboundQueueSize(c.OutboundQueue),
		pubsub.WithMaxMessageSize(c.MaxMessage),
		pubsub.WithSeenMessagesTTL(c.SeenTTL),
		pubsub.WithSeenMessagesStrategy(timecache.Strategy_LastSeen), // ends broadcast loops (C5)
		pubsub.WithMessageIdFn(messageID),
		pubsub.WithSubscriptionFilter(pubsub.NewAllowlistSubscriptionFilter(topics...)),
		pubsub.WithRawTracer(tracer{g.count, g.self}),
		pubsub.WithAppSpecificRpcInspector(g.inspect),
	}
}

// features: gossipsub v1.2 under a protocol name of this network, because a
// smaller message limit must not meet the public default (pubsub.go, warning 1).
func features(f pubsub.GossipSubFeature, _ protocol.ID) bool {
	return f == pubsub.GossipSubFeatureMesh || f == pubsub.GossipSubFeatureIdontwant
}

// messageID hashes origin, topic and payload. Publishing the same bytes again
// within SeenTTL reaches nobody, so whoever must repeat puts a counter in them
// (C6). The origin is part of it: else anyone could make a vote "already seen"
// by publishing its bytes first in their own name.
func messageID(m *pb.Message) string {
	h := sha256.New()
	for _, part := range [][]byte{m.GetFrom(), []byte(m.GetTopic()), m.GetData()} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write(part)
	}
	return string(h.Sum(nil))
}

// inspect runs in pubsub's loop before an RPC is handled: over the quota of its
// sender it loses its messages, but keeps its control part, without which the
// two would disagree about their mesh.
func (g *gossip) inspect(from peer.ID, rpc *pubsub.RPC) error {
	n := len(rpc.Publish)
	if n == 0 {
		return nil
	}
	if ok := g.quota.take(from, n); !ok {
		g.count.dropRate.Add(uint64(n))
		rpc.Publish = nil
	}
	return nil
}
