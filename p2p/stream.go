package p2p

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p/wire"
)

// Stream is a conversation with one peer in whole messages, bounded in size and
// time. One goroutine may read while another writes.
type Stream struct {
	raw     network.Stream
	r       *bufio.Reader
	readMax int
	sendMax int
	timeout time.Duration
	end     time.Time   // of its lifetime
	bad     func(error) // counts and penalises a malformed frame
	stop    func() bool
	heard   atomic.Bool // the other side has said something
}

func (h *Host) newStream(ctx context.Context, raw network.Stream, readMax, sendMax int, lim Limits) *Stream {
	s := &Stream{
		raw: raw, r: bufio.NewReader(raw), readMax: readMax, sendMax: sendMax,
		timeout: lim.Timeout, end: time.Now().Add(lim.Lifetime),
	}
	s.bad = func(err error) { h.badFrame(s.Peer(), err) }
	s.stop = context.AfterFunc(ctx, func() { reset(raw) })
	return s
}

// badFrame counts a malformed frame, and blames its sender unless it was only
// over a limit: limits are ours, and another version may have others (C9).
func (h *Host) badFrame(from peer.ID, err error) {
	h.count.framesBad.Add(1)
	if !errors.Is(err, wire.ErrFrameTooLarge) {
		h.Penalize(from, badFramePoints, "frame")
	}
}

// badFramePoints: eight malformed frames within a few minutes are enough.
const badFramePoints = 13

// Peer is the peer at the other end.
func (s *Stream) Peer() peer.ID { return s.raw.Conn().RemotePeer() }

// ReadMsg reads the next message. It returns io.EOF when the other side has
// closed its end, an *Error if it refused, and wraps ErrUnreachable if it was
// cut off, took longer than Limits.Timeout, or sent what is no frame.
func (s *Stream) ReadMsg() ([]byte, error) {
	if err := s.raw.SetReadDeadline(s.deadline()); err != nil {
		return nil, unreachable(err)
	}
	st, msg, err := wire.ReadFrame(s.r, s.readMax)
	if err == nil {
		s.heard.Store(true)
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case wire.Malformed(err):
		s.bad(err)
		reset(s.raw)
		if errors.Is(err, wire.ErrFrameTooLarge) {
			err = fmt.Errorf("%w: %w", ErrOversized, err)
		}
		return nil, unreachable(err)
	case err != nil:
		return nil, unreachable(err)
	case st != wire.OK:
		return nil, &Error{Status: st, Text: string(msg)}
	}
	return msg, nil
}

// WriteMsg sends one message. The error wraps ErrTooLarge or ErrUnreachable.
func (s *Stream) WriteMsg(msg []byte) error {
	if len(msg) > s.sendMax {
		return fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, len(msg), s.sendMax)
	}
	return s.write(wire.OK, msg)
}

// Refuse ends the stream with the status and text of err (Fail).
func (s *Stream) Refuse(err error) error {
	defer s.Close()
	st, text := reply(err)
	return s.write(st, []byte(text))
}

// CloseWrite says that no more messages follow; reading goes on.
func (s *Stream) CloseWrite() error { return s.raw.CloseWrite() }

// Close ends the stream, and may be called again. What was written is still
// delivered, unless the other side has stopped reading: whoever must know waits
// for an answer. It does not wait for the other side.
func (s *Stream) Close() {
	s.stop()
	if !s.heard.Load() {
		// go-libp2p's Close waits up to 10 s for the peer to say the protocol's
		// name (lazyClientConn.Close), which a peer that was cut off never does.
		if err := s.raw.CloseRead(); err != nil {
			reset(s.raw)
			return
		}
	}
	if s.raw.Close() != nil { // the other side was first
		reset(s.raw)
	}
}

func (s *Stream) write(st wire.Status, msg []byte) error {
	if err := s.raw.SetWriteDeadline(s.deadline()); err != nil {
		return unreachable(err)
	}
	if _, err := s.raw.Write(wire.AppendFrame(make([]byte, 0, wire.FrameSize(len(msg))), st, msg)); err != nil {
		return unreachable(err) // not reset: a refusal may wait to be read
	}
	return nil
}

func (s *Stream) deadline() time.Time {
	if next := time.Now().Add(s.timeout); next.Before(s.end) {
		return next
	}
	return s.end
}

func unreachable(err error) error { return fmt.Errorf("%w: %w", ErrUnreachable, err) }
