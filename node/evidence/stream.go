package evidence

import (
	"context"
	"errors"
	"io"
	"time"

	"ojud/casefile"
	"ojud/datasource/anex"
	"ojud/datasource/exchange"
	"ojud/node/network"
	"ojud/p2p"
	"ojud/voting"
)

// dataStream carries conversations about data (protocol section 12).
const dataStream = "data"

const (
	// maxTalk is how long a conversation may last, and maxSilence how long a message may take. They
	// are the limits of package anex with some room.
	maxTalk    = 11 * time.Minute
	maxSilence = 70 * time.Second
)

// StreamLimits returns the limits of the data stream.
func StreamLimits() p2p.StreamLimits {
	l := p2p.DefaultLimits()
	l.MaxRequest, l.MaxResponse = exchange.MaxToHolder, exchange.MaxToAsker
	l.Timeout, l.Lifetime = maxSilence, maxTalk
	return l
}

// conversation is a stream as package exchange sees it.
type conversation struct {
	*p2p.Stream
	done context.CancelFunc // ends the context with which it was opened
}

var _ exchange.Stream = conversation{}

func (l conversation) Send(frame []byte) error { return l.WriteMsg(frame) }

// Receive reads a frame of at most most bytes. The error is io.EOF at the end.
func (l conversation) Receive(ctx context.Context, most int) ([]byte, error) {
	stop := context.AfterFunc(ctx, l.Stream.Close)
	defer stop()
	frame, err := l.ReadMsg()
	switch {
	case errors.Is(err, p2p.ErrOversized), err == nil && len(frame) > most:
		return nil, exchange.ErrOversized
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return frame, err
}

func (l conversation) Close() error {
	l.Stream.Close()
	l.done()
	return nil
}

func (e *Evidence) converse(ctx context.Context, s *p2p.Stream) error {
	key, err := network.KeyOf(s.Peer())
	if err != nil {
		return p2p.Fail(p2p.ErrRefused, "only nodes with an Ed25519 key may ask")
	}
	ended, err := e.holder.Serve(ctx, casefile.DID(key), NewConversation(s, func() {}))
	e.d.Log.Debug("data conversation", "peer", s.Peer(), "outcome", ended.Outcome, "err", err)
	if ended.Fault == anex.Theirs && !errors.Is(err, io.EOF) {
		e.d.Host.Penalize(s.Peer(), network.PointsInvalid, "data-asker")
	}
	return nil
}

// NewConversation returns a stream as a conversation sees it. done is called when the stream is
// closed.
func NewConversation(s *p2p.Stream, done func()) exchange.Stream { return conversation{s, done} }

// dial begins a conversation. It returns when ctx ends, but the line lives until it is closed.
func (e *Evidence) dial(ctx context.Context, to casefile.DID) (exchange.Stream, error) {
	return dial(ctx, e.d.Host, to)
}

func dial(ctx context.Context, host *p2p.Host, to casefile.DID) (exchange.Stream, error) {
	id, err := network.PeerOf(voting.Key(to))
	if err != nil {
		return nil, err
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	s, err := host.OpenStream(life, id, dataStream)
	if err != nil {
		cancel()
		return nil, err
	}
	if !stop() {
		s.Close()
		return nil, ctx.Err()
	}
	return NewConversation(s, cancel), nil
}

// penalize lowers the score of a holder for a fault. Faults that the network can also cause weigh
// little.
func (e *Evidence) penalize(who casefile.DID, class exchange.Class) {
	points := map[exchange.Class]float64{
		exchange.ClassLate: 1, exchange.ClassAbsent: 2, exchange.ClassSchema: 4, exchange.ClassProtocol: network.PointsInvalid,
		exchange.ClassBreach: network.PointsInvalid, exchange.ClassReceipt: network.PointsContradicted,
	}[class]
	if id, err := network.PeerOf(voting.Key(who)); err == nil && points > 0 {
		e.d.Host.Penalize(id, points, "data-"+string(class))
	}
}
