package p2p

import (
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/peer"
)

// Gossipsub's thresholds: below gossipFloor a peer gets no gossip, below
// publishFloor no messages of ours, below graylist it is not listened to.
const (
	gossipFloor  = -500
	publishFloor = -1000
	graylist     = -2500
	scoreDecay   = 10 * time.Minute
)

// scoreParams turns on P4 (invalid messages), P5 (our own points) and P7
// (protocol abuse) and nothing else: delivery and address-colocation penalties
// un-mesh honest nodes of a small network.
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

// topicScore: the penalty is the square of the number of rejected messages, so
// one costs gossip and the second the hearing.
func topicScore() *pubsub.TopicScoreParams {
	return &pubsub.TopicScoreParams{
		SkipAtomicValidation:           true,
		TopicWeight:                    1,
		TimeInMeshQuantum:              time.Second, // divided by even when its weight is 0
		InvalidMessageDeliveriesWeight: -1000,
		InvalidMessageDeliveriesDecay:  pubsub.ScoreParameterDecay(scoreDecay),
	}
}
