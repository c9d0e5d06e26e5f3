package p2p

import (
	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
)

// tracer counts what pubsub would otherwise drop in silence.
type tracer struct {
	*counters
	self peer.ID
}

var _ pubsub.RawTracer = tracer{}

func (t tracer) DeliverMessage(m *pubsub.Message) {
	if m.ReceivedFrom != t.self {
		t.gossipDelivered.Add(1)
	}
}

func (t tracer) DuplicateMessage(*pubsub.Message)     { t.gossipDuplicate.Add(1) }
func (t tracer) DropRPC(*pubsub.RPC, peer.ID)         { t.dropRPC.Add(1) }
func (t tracer) UndeliverableMessage(*pubsub.Message) { t.dropUndeliverable.Add(1) }

func (t tracer) RejectMessage(_ *pubsub.Message, reason string) {
	switch reason {
	case pubsub.RejectValidationQueueFull:
		t.dropValidation.Add(1)
	case pubsub.RejectValidationThrottled:
		t.dropThrottled.Add(1)
	case pubsub.RejectValidationIgnored:
		t.gossipIgnored.Add(1)
	case pubsub.RejectValidationFailed:
		t.gossipRejected.Add(1)
	case pubsub.RejectInvalidSignature, pubsub.RejectMissingSignature:
		t.gossipBadSignature.Add(1)
	}
}

// The rest of pubsub.RawTracer is of no interest here.
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
