package p2p

import (
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
)

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
