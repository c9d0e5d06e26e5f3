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

// Stream asks other nodes about cases.
type Stream struct {
	Host    *p2p.Host
	Cases   *Cases
	Timeout time.Duration // of a question; less in a short round
}

// ask puts a question to one peer and reads its answer into out.
func (s *Stream) ask(ctx context.Context, to peer.ID, q question, out any) error {
	raw, err := network.Encode(q, maxMessage)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.Cases.AtMost(voting.Key(q.Case), s.Timeout))
	defer cancel()
	answer, err := s.Host.Request(ctx, to, streamName, raw)
	if err != nil {
		return err
	}
	if err := network.Decode(answer, maxMessage, out); err != nil {
		s.Host.Penalize(to, network.PointsInvalid, "case-answer")
		return err
	}
	return nil
}

// Serve answers the questions of other nodes from now on.
func (s *Stream) Serve(rounds *CatchUp, events *Keeper) error {
	l := p2p.DefaultLimits()
	l.MaxRequest, l.MaxResponse, l.Timeout = maxMessage, maxMessage, s.Timeout
	l.RatePerPeer, l.Burst = 20, 100
	return s.Host.Handle(streamName, l, func(_ context.Context, _ peer.ID, raw []byte) ([]byte, error) {
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
