package p2p

import (
	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// Scoring holds gossipsub's score settings, for tests that change them.
type Scoring struct {
	Params *pubsub.PeerScoreParams
	Limits *pubsub.PeerScoreThresholds
	Topic  *pubsub.TopicScoreParams
	book   *book
}

// NewScoring returns the scoring of a host with these settings.
func NewScoring(s Scores) *Scoring {
	b := newBook(s)
	params, limits := scoreParams(s, b)
	return &Scoring{params, limits, topicScore(), b}
}

// Penalize gives points as Host.Penalize does.
func (s *Scoring) Penalize(p peer.ID, points float64) { s.book.add(p, points, "test") }

// NewResourceManager returns the resource manager of a host with these limits.
func NewResourceManager(r Resources) (network.ResourceManager, error) {
	return resourceManager(r, false)
}
