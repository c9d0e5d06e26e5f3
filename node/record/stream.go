package record

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/node/network"
	"ojud/p2p"
	"ojud/voting"
)

// streamName is the name of the case stream (protocol section 9).
const streamName = "case"

// maxMessage bounds a question or an answer of the case stream, in bytes (protocol section 9).
const maxMessage = 1 << 20

// These are the operations of the case stream.
const (
	opRound  = "round"
	opEvents = "events"
)

// question is a request of one node to another about a case.
type question struct {
	Op      string                         `json:"op"`
	Case    casefile.Address               `json:"case"`
	Round   uint8                          `json:"round,omitempty"`
	Commits []int                          `json:"commits,omitempty"` // round: seats whose statements are not needed
	Votes   []int                          `json:"votes,omitempty"`   // round: seats whose votes are not needed
	Relays  []int                          `json:"relays,omitempty"`  // round: seats whose relay requests are not needed
	Heads   map[casefile.DID]casefile.Head `json:"heads,omitempty"`   // events: where the asker's chains end
}

// host is the part of the network that records need.
type host interface {
	Request(ctx context.Context, to peer.ID, name string, req []byte) ([]byte, error)
	Handle(name string, lim p2p.Limits, answer p2p.Handler) error
	Penalize(p peer.ID, points float64, reason string)
}

// Stream asks other nodes about cases.
type Stream struct {
	host    host
	cases   *Cases
	timeout time.Duration
}

// NewStream returns the asking side of the case stream. A question may take timeout, and less in a
// short round.
func NewStream(host host, cases *Cases, timeout time.Duration) *Stream {
	return &Stream{host: host, cases: cases, timeout: timeout}
}

// ask puts a question to one peer and reads its answer into out.
func (s *Stream) ask(ctx context.Context, to peer.ID, q question, out any) error {
	raw, err := network.Encode(q, maxMessage)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.cases.AtMost(voting.Key(q.Case), s.timeout))
	defer cancel()
	answer, err := s.host.Request(ctx, to, streamName, raw)
	if err != nil {
		return err
	}
	if err := network.Decode(answer, maxMessage, out); err != nil {
		s.host.Penalize(to, network.PointsInvalid, "case-answer")
		return err
	}
	return nil
}

// Serve answers the questions of other nodes from now on.
func (s *Stream) Serve(rounds *CatchUp, events *Keeper) error {
	l := p2p.DefaultLimits()
	l.MaxRequest, l.MaxResponse, l.Timeout = maxMessage, maxMessage, s.timeout
	l.RatePerPeer, l.Burst = 20, 100
	return s.host.Handle(streamName, l, func(_ context.Context, _ peer.ID, raw []byte) ([]byte, error) {
		var q question
		if err := network.Decode(raw, maxMessage, &q); err != nil {
			return nil, p2p.Fail(p2p.ErrBadRequest, err.Error())
		}
		switch q.Op {
		case opRound:
			return rounds.answer(q)
		case opEvents:
			return events.answer(q)
		}
		return nil, p2p.Fail(p2p.ErrBadRequest, "op must be round or events")
	})
}
