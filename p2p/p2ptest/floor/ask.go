package floor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"

	"ojud/p2p/wire"
)

// Answers is one host that answers another over bare streams, in frames of the protocol.
type Answers struct {
	t            testing.TB
	asks, has    host.Host
	most, answer int // bytes
}

const protocolAsk = "/bare-ask/1"

// NewAnswers connects two hosts that listen on addr. Each answer has that many bytes. A question
// has at most most bytes.
func NewAnswers(t testing.TB, most, answer int, addr string) *Answers {
	t.Helper()
	two := hosts(t, 2, addr)
	a := &Answers{t: t, asks: two[0], has: two[1], most: most, answer: answer}
	a.has.SetStreamHandler(protocolAsk, a.serve)
	return a
}

func (a *Answers) serve(s network.Stream) {
	r, answer := bufio.NewReader(s), make([]byte, a.answer)
	for {
		if _, _, err := wire.ReadFrame(r, a.most); err != nil {
			if !errors.Is(err, io.EOF) {
				a.t.Error(err)
			}
			break
		}
		if err := send(s, answer); err != nil {
			a.t.Error(err)
			break
		}
	}
	if err := s.Close(); err != nil {
		a.t.Error(err)
	}
}

func send(s network.Stream, payload []byte) error {
	_, err := s.Write(wire.AppendFrame(make([]byte, 0, wire.FrameSize(len(payload))), wire.OK, payload))
	return err
}

// Once asks a question of that many bytes on its own stream.
func (a *Answers) Once(ctx context.Context, question int) error { return a.Many(ctx, question, 1) }

// Many asks questions of that many bytes, one after the other, on one stream.
func (a *Answers) Many(ctx context.Context, question, n int) error {
	s, err := a.asks.NewStream(ctx, a.has.ID(), protocolAsk)
	if err != nil {
		return err
	}
	r, ask := bufio.NewReader(s), make([]byte, question)
	for range n {
		if err = send(s, ask); err != nil {
			break
		}
		var got []byte
		if _, got, err = wire.ReadFrame(r, a.answer); err == nil && len(got) != a.answer {
			err = fmt.Errorf("floor: an answer of %d bytes, not %d", len(got), a.answer)
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, s.Close())
}
