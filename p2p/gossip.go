package p2p

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

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

// newGossip starts gossipsub with settings that lose nothing with 28 judges on one machine. names
// are the topics that may ever be joined. Subscriptions of others to anything else are ignored, and
// a peer tells its subscriptions only once.
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
		pubsub.WithFloodPublish(true), // one hop to every connected peer (56 ms instead of 166 ms)
		pubsub.WithValidateQueueSize(c.ValidateQueue),
		pubsub.WithPeerOutboundQueueSize(c.OutboundQueue),
		pubsub.WithMaxMessageSize(c.MaxMessage),
		pubsub.WithSeenMessagesTTL(c.SeenTTL),
		pubsub.WithSeenMessagesStrategy(timecache.Strategy_LastSeen), // ends broadcast loops
		pubsub.WithMessageIdFn(messageID),
		pubsub.WithSubscriptionFilter(pubsub.NewAllowlistSubscriptionFilter(topics...)),
		pubsub.WithRawTracer(tracer{g.count, g.self}),
		pubsub.WithAppSpecificRpcInspector(g.inspect),
	}
}

// features turns on gossipsub v1.2 under a protocol name of this network, because a smaller message
// limit must not meet the public default (pubsub.go, warning 1).
func features(f pubsub.GossipSubFeature, _ protocol.ID) bool {
	return f == pubsub.GossipSubFeatureMesh || f == pubsub.GossipSubFeatureIdontwant
}

// messageID hashes origin, topic and payload. If the same bytes are published again within SeenTTL,
// they reach no peer, so a repeated message should contain a counter. The origin is part of the
// hash. Otherwise anyone could make a vote "already seen" by publishing its bytes first.
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

// inspect runs in pubsub's loop before an RPC is handled. If its sender is over the quota, the RPC
// loses its messages but keeps its control part, because without it the two would disagree about
// their mesh.
func (g *gossip) inspect(from peer.ID, rpc *pubsub.RPC) error {
	n := len(rpc.Publish)
	if n == 0 {
		return nil
	}
	if ok := g.quota.take(from, n); !ok {
		g.count.dropped.rate.Add(uint64(n))
		rpc.Publish = nil
	}
	return nil
}

// Verdict is a Validator's opinion of a message.
type Verdict uint8

// The zero value blames no peer.
const (
	// Ignore drops a message without blame: it is old, not for us, or we cannot judge it yet.
	Ignore Verdict = iota
	// Accept delivers a message and forwards it.
	Accept
	// Reject drops a message and blames the peer that passed it on. After two of them gossipsub
	// ignores that peer. Use it only for faults that the sender could have seen.
	Reject
)

// Validator judges a message. The peer from passed it on, and origin signed it. It must not change
// data. It runs in the validation queue, on several goroutines, and must be quick: no disk, no
// network. It also judges our own messages, with our own peer ID as from and origin.
type Validator func(ctx context.Context, from, origin peer.ID, data []byte) Verdict

// Message is an accepted message of another node.
type Message struct {
	From   peer.ID // the peer that passed it on
	Origin peer.ID // the peer that signed it
	Data   []byte  // owned by the reader
	At     time.Time
}

// Errors of topics.
var (
	ErrTopic    = errors.New("p2p: unknown topic")
	ErrTooLarge = errors.New("p2p: message too large")
	ErrClosed   = errors.New("p2p: host is closed")
)

// Topic is a joined topic. It lives until the host closes.
type Topic struct {
	g     *gossip
	topic *pubsub.Topic
	inbox *inbox[Message]
}

// Join joins a topic named in Deps.Topics, once. The caller should call Next all the time. Messages
// that it does not take fill the inbox. If the inbox is full, further ones are lost and counted.
func (h *Host) Join(name string, validate Validator) (*Topic, error) {
	return h.gossip.join(name, validate)
}

func (g *gossip) join(name string, validate Validator) (*Topic, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if joined, ok := g.topics[name]; !ok || joined {
		return nil, fmt.Errorf("%w: %q is not in Deps.Topics, or joined already", ErrTopic, name)
	}
	full := TopicName(g.cfg.Network, name)
	if err := g.ps.RegisterTopicValidator(full, g.judge(validate), pubsub.WithValidatorInline(true)); err != nil {
		return nil, fmt.Errorf("p2p: validator of %s: %w", full, err)
	}
	t, err := g.ps.Join(full)
	if err != nil {
		return nil, fmt.Errorf("p2p: joining %s: %w", full, err)
	}
	if err := t.SetScoreParams(topicScore()); err != nil {
		return nil, fmt.Errorf("p2p: scores of %s: %w", full, err)
	}
	sub, err := t.Subscribe(pubsub.WithBufferSize(g.cfg.Gossip.Inbox), pubsub.WithMessageFilter(g.foreign))
	if err != nil {
		return nil, fmt.Errorf("p2p: subscribing to %s: %w", full, err)
	}
	g.topics[name] = true
	topic := &Topic{g: g, topic: t, inbox: newInbox[Message](g.cfg.Gossip.Inbox, g.cfg.Gossip.InboxBytes)}
	g.run(func(ctx context.Context) { topic.read(ctx, sub) })
	return topic, nil
}

func (g *gossip) foreign(m *pubsub.Message) bool { return m.GetFrom() != g.self }

func (g *gossip) judge(validate Validator) pubsub.ValidatorEx {
	return func(ctx context.Context, from peer.ID, m *pubsub.Message) pubsub.ValidationResult {
		switch validate(ctx, from, m.GetFrom(), m.GetData()) {
		case Accept:
			return pubsub.ValidationAccept
		case Reject:
			return pubsub.ValidationReject
		}
		if from != g.self {
			g.quota.ignored(from)
		}
		return pubsub.ValidationIgnore
	}
}

// read moves messages from pubsub's buffer, which is bounded in number only, into ours, which is
// bounded in bytes too. It does nothing else.
func (t *Topic) read(ctx context.Context, sub *pubsub.Subscription) {
	defer t.inbox.close()
	for {
		m, err := sub.Next(ctx)
		if err != nil {
			return // only when the host stops
		}
		msg := Message{From: m.ReceivedFrom, Origin: m.GetFrom(), Data: m.GetData(), At: time.Now()}
		if !t.inbox.put(msg, len(msg.Data)) {
			t.g.count.dropped.inbox.Add(1)
		}
	}
}

// Publish signs data and sends it to every peer on the topic. The error wraps ErrTooLarge,
// ErrClosed, or says that our own validator refused it. No error means that the message is on its
// way. It does not mean that a peer has it.
func (t *Topic) Publish(ctx context.Context, data []byte) error {
	if limit := t.g.cfg.Gossip.MaxMessage - gossipOverhead; len(data) > limit {
		return fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, len(data), limit)
	}
	err := t.topic.Publish(ctx, data)
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return ErrClosed
	}
	if err != nil {
		return fmt.Errorf("p2p: publishing on %s: %w", t.topic, err)
	}
	return nil
}

// Next returns the next message of another node. It waits for one until ctx
// ends, or returns ErrClosed.
func (t *Topic) Next(ctx context.Context) (Message, error) { return t.inbox.next(ctx) }

// Peers returns the connected peers that have joined the topic.
func (t *Topic) Peers() []peer.ID { return t.topic.ListPeers() }

// inbox is a queue bounded in items and bytes. put never waits.
type inbox[T any] struct {
	maxItems, maxBytes int
	wake               chan struct{}
	done               chan struct{}

	mu    sync.Mutex
	items []sized[T]
	bytes int
}

type sized[T any] struct {
	item T
	size int
}

func newInbox[T any](maxItems, maxBytes int) *inbox[T] {
	return &inbox[T]{maxItems: maxItems, maxBytes: maxBytes, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

func (b *inbox[T]) put(item T, size int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items) >= b.maxItems || b.bytes+size > b.maxBytes {
		return false
	}
	b.items = append(b.items, sized[T]{item, size})
	b.bytes += size
	signal(b.wake)
	return true
}

// next takes the oldest item. After the inbox closed it still returns the remaining items.
func (b *inbox[T]) next(ctx context.Context) (T, error) {
	var zero T
	for {
		if item, ok := b.pop(); ok {
			return item, nil
		}
		select {
		case <-b.wake:
		case <-ctx.Done():
			return zero, ctx.Err()
		case <-b.done:
			if item, ok := b.pop(); ok {
				return item, nil
			}
			return zero, ErrClosed
		}
	}
}

func (b *inbox[T]) pop() (T, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items) == 0 {
		var zero T
		return zero, false
	}
	first := b.items[0]
	b.items[0] = sized[T]{} // let the payload go
	b.items = b.items[1:]
	b.bytes -= first.size
	if len(b.items) > 0 {
		signal(b.wake) // another reader may be waiting
	}
	return first.item, true
}

func (b *inbox[T]) close() { close(b.done) }

// tracer counts the messages that pubsub drops silently.
type tracer struct {
	*counters
	self peer.ID
}

var _ pubsub.RawTracer = tracer{}

func (t tracer) DeliverMessage(m *pubsub.Message) {
	if m.ReceivedFrom != t.self {
		t.gossip.delivered.Add(1)
	}
}

func (t tracer) DuplicateMessage(*pubsub.Message)     { t.gossip.duplicate.Add(1) }
func (t tracer) DropRPC(*pubsub.RPC, peer.ID)         { t.dropped.rpc.Add(1) }
func (t tracer) UndeliverableMessage(*pubsub.Message) { t.dropped.undeliverable.Add(1) }

func (t tracer) RejectMessage(_ *pubsub.Message, reason string) {
	switch reason {
	case pubsub.RejectValidationQueueFull:
		t.dropped.validation.Add(1)
	case pubsub.RejectValidationThrottled:
		t.dropped.throttled.Add(1)
	case pubsub.RejectValidationIgnored:
		t.gossip.ignored.Add(1)
	case pubsub.RejectValidationFailed:
		t.gossip.rejected.Add(1)
	case pubsub.RejectInvalidSignature, pubsub.RejectMissingSignature:
		t.gossip.badSignature.Add(1)
	}
}

// The other methods of pubsub.RawTracer are empty.
func (tracer) OnNewOutboundStream(peer.ID, protocol.ID) {}
func (tracer) OnClosedOutboundStream(peer.ID)           {}
func (tracer) Join(string)                              {}
func (tracer) Leave(string)                             {}
func (tracer) Graft(peer.ID, string)                    {}
func (tracer) Prune(peer.ID, string)                    {}
func (tracer) ValidateMessage(*pubsub.Message)          {}
func (tracer) ThrottlePeer(peer.ID)                     {}
func (tracer) RecvRPC(*pubsub.RPC)                      {}
func (tracer) SendRPC(*pubsub.RPC, peer.ID)             {}

// Gossipsub's thresholds. A peer below gossipFloor gets no gossip, and below publishFloor no
// messages of ours. We do not listen to a peer below graylist.
const (
	gossipFloor  = -500
	publishFloor = -1000
	graylist     = -2500
	scoreDecay   = 10 * time.Minute
)

// scoreParams turns on P4 (invalid messages), P5 (our own points) and P7 (protocol abuse) and
// nothing else, because penalties for delivery and for shared addresses remove honest nodes of a
// small network from the mesh.
func scoreParams(s Scores, book *book) (*pubsub.PeerScoreParams, *pubsub.PeerScoreThresholds) {
	params := &pubsub.PeerScoreParams{
		SkipAtomicValidation:     true,
		AppSpecificScore:         func(p peer.ID) float64 { return graylist * book.points(p) / s.BanAt },
		AppSpecificWeight:        1,
		IPColocationFactorWeight: 0,
		BehaviourPenaltyWeight:   -10, BehaviourPenaltyThreshold: 6, BehaviourPenaltyDecay: pubsub.ScoreParameterDecay(scoreDecay),
		DecayInterval: pubsub.DefaultDecayInterval, DecayToZero: pubsub.DefaultDecayToZero,
		RetainScore: time.Hour,
		Topics:      map[string]*pubsub.TopicScoreParams{},
	}
	return params, &pubsub.PeerScoreThresholds{
		GossipThreshold: gossipFloor, PublishThreshold: publishFloor, GraylistThreshold: graylist,
	}
}

// topicScore returns the score parameters of a topic. The penalty is the square of the number of
// rejected messages. After one we send the peer no gossip, and after two we do not listen to it.
func topicScore() *pubsub.TopicScoreParams {
	return &pubsub.TopicScoreParams{
		SkipAtomicValidation:           true,
		TopicWeight:                    1,
		TimeInMeshQuantum:              time.Second, // a divisor even if its weight is 0
		InvalidMessageDeliveriesWeight: -1000,
		InvalidMessageDeliveriesDecay:  pubsub.ScoreParameterDecay(scoreDecay),
	}
}
