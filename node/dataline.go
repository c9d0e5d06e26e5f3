package node

import (
	"context"
	"errors"
	"io"
	"time"

	"ojud/casefile"
	"ojud/datasource/anex"
	"ojud/datasource/exchange"
	"ojud/p2p"
	"ojud/voting"
)

// dataStream carries conversations about data (protocol section 12).
const dataStream = "data"

const (
	// maxTalk is how long a conversation may last, and maxSilence how long a message may take: those of package anex, with room.
	maxTalk    = 11 * time.Minute
	maxSilence = 70 * time.Second
)

func dataLimits() p2p.Limits {
	l := p2p.DefaultLimits()
	l.MaxRequest, l.MaxResponse = exchange.MaxToHolder, exchange.MaxToAsker
	l.Timeout, l.Lifetime = maxSilence, maxTalk
	return l
}

// line is a stream as a conversation sees it.
type line struct {
	*p2p.Stream
	done context.CancelFunc // of what opened it
}

var _ exchange.Line = line{}

// Send sends a frame.
func (l line) Send(frame []byte) error { return l.WriteMsg(frame) }

// Receive reads a frame. The stream bounds its length in the direction that it has.
func (l line) Receive(ctx context.Context, most int) ([]byte, error) {
	stop := context.AfterFunc(ctx, l.Stream.Close)
	defer stop()
	frame, err := l.ReadMsg()
	switch {
	case errors.Is(err, p2p.ErrOversized), err == nil && len(frame) > most:
		return nil, exchange.ErrOversized
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return frame, err // io.EOF at its end
}

// Close gives the stream back.
func (l line) Close() error {
	l.Stream.Close()
	l.done()
	return nil
}

// talk serves a conversation that a peer began.
func (n *Node) talk(ctx context.Context, s *p2p.Stream) error {
	key, err := peerKey(s.Peer())
	if err != nil {
		return p2p.Fail(p2p.ErrRefused, "only nodes with an Ed25519 key may ask")
	}
	ended, err := n.holder.Serve(ctx, casefile.DID(key), line{s, func() {}})
	n.log.Debug("data conversation", "peer", s.Peer(), "outcome", ended.Outcome, "err", err)
	if ended.Fault == anex.Theirs && !errors.Is(err, io.EOF) {
		n.host.Penalize(s.Peer(), pointsInvalid, "data-asker")
	}
	return nil
}

// dialData begins a conversation. It returns when ctx ends; the line lives on until it is closed.
func (n *Node) dialData(ctx context.Context, to casefile.DID) (exchange.Line, error) {
	id, err := keyPeer(voting.Key(to))
	if err != nil {
		return nil, err
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	s, err := n.host.OpenStream(life, id, dataStream)
	if err != nil {
		cancel()
		return nil, err
	}
	if !stop() {
		s.Close()
		return nil, ctx.Err()
	}
	return line{s, cancel}, nil
}

// blameHolder lowers the score of a peer for what only a faulty holder does; what the network can cause too weighs little.
func (n *Node) blameHolder(who casefile.DID, class exchange.Class) {
	points := map[exchange.Class]float64{
		exchange.ClassLate: 1, exchange.ClassAbsent: 2, exchange.ClassSchema: 4, exchange.ClassProtocol: pointsInvalid,
		exchange.ClassBreach: pointsInvalid, exchange.ClassReceipt: pointsContradicted,
	}[class]
	if id, err := keyPeer(voting.Key(who)); err == nil && points > 0 {
		n.host.Penalize(id, points, "data-"+string(class))
	}
}
