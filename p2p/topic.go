package p2p

import (
	"context"
	"errors"
	"fmt"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/peer"
)

// Verdict is what a Validator says of a message.
type Verdict uint8

// The zero value harms nobody.
const (
	// Ignore drops a message without blaming anyone: it is old, not for us, or
	// cannot be judged with what we know now.
	Ignore Verdict = iota
	// Accept delivers a message and forwards it.
	Accept
	// Reject drops a message and blames whoever passed it on: two of them and
	// gossipsub shuns that peer. Only for what the sender could have seen (C9).
	Reject
)

// Validator judges a message. from passed it on, origin signed it; data must not
// be changed. It runs inline in the validation queue, on several goroutines, and
// must be quick: no disk, no network. It also judges our own
// messages, with from and origin our own peer ID.
type Validator func(ctx context.Context, from, origin peer.ID, data []byte) Verdict

// Message is an accepted message of another node.
type Message struct {
	From   peer.ID // who passed it on
	Origin peer.ID // who signed it
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

// Join joins a topic named in Deps.Topics, once. The caller calls Next all the
// time: what it does not take fills the inbox, and then is lost and counted.
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

// read moves messages from pubsub's buffer, which is bounded in number only,
// into ours, which is bounded in bytes too. It does nothing else (C1).
func (t *Topic) read(ctx context.Context, sub *pubsub.Subscription) {
	defer t.inbox.close()
	for {
		m, err := sub.Next(ctx)
		if err != nil {
			return // only when the host stops
		}
		msg := Message{From: m.ReceivedFrom, Origin: m.GetFrom(), Data: m.GetData(), At: time.Now()}
		if !t.inbox.put(msg, len(msg.Data)) {
			t.g.count.dropInbox.Add(1)
		}
	}
}

// Publish signs data and sends it to every peer on the topic. The error wraps
// ErrTooLarge, ErrClosed, or says that our own validator refused it. No error
// means that it is on its way, not that anybody has it.
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
