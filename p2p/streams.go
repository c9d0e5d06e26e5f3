package p2p

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"

	"ojud/config/bounds"
	"ojud/p2p/wire"
)

// StreamLimits bounds one request or stream protocol, on both sides of it. Start from
// DefaultLimits.
type StreamLimits struct {
	MaxRequest  int           // bytes of a message to the serving side
	MaxResponse int           // bytes of a message from the serving side
	Timeout     time.Duration // a whole request; on a raw stream, the wait for each message
	Lifetime    time.Duration // a whole raw stream
	Concurrency int           // handlers at once, all peers
	PerPeer     int           // handlers at once for one peer
	RatePerPeer float64       // requests or streams a second from one peer
	Burst       int           // of them at once, before the rate holds
}

// maxFrame is the largest message any protocol may allow, in bytes.
const maxFrame = 64 << 20

// DefaultLimits suit small questions with answers of up to 1 MiB.
func DefaultLimits() StreamLimits {
	return StreamLimits{
		MaxRequest: 64 << 10, MaxResponse: 1 << 20, Timeout: 15 * time.Second, Lifetime: 10 * time.Minute,
		Concurrency: 256, PerPeer: 16, RatePerPeer: 50, Burst: 200,
	}
}

// Validate names the first field out of bounds.
func (l StreamLimits) Validate() error {
	return bounds.Check("p2p: limits.",
		bounds.Of("max_request", l.MaxRequest, 0, maxFrame),
		bounds.Of("max_response", l.MaxResponse, 0, maxFrame),
		bounds.AtLeast("timeout", l.Timeout, 10*time.Millisecond),
		bounds.AtLeast("lifetime", l.Lifetime, l.Timeout),
		bounds.AtLeast("concurrency", l.Concurrency, 1),
		bounds.AtLeast("per_peer", l.PerPeer, 1),
		positive("rate_per_peer", l.RatePerPeer),
		bounds.AtLeast("burst", l.Burst, 1),
	)
}

// streams keeps the limits of the protocols in use.
type streams struct {
	h *Host

	mu     sync.Mutex
	limits map[string]StreamLimits
	served map[string]bool
}

func newStreams(h *Host) *streams {
	return &streams{h: h, limits: map[string]StreamLimits{}, served: map[string]bool{}}
}

// Limit sets the limits of a protocol on which this host asks but does not serve. If the host
// serves it, the limits given to Handle apply. Without either, DefaultLimits apply.
func (h *Host) Limit(name string, lim StreamLimits) error {
	if err := lim.Validate(); err != nil {
		return err
	}
	h.streams.mu.Lock()
	defer h.streams.mu.Unlock()
	if h.streams.served[name] {
		return fmt.Errorf("p2p: %s is served here: its limits are those given to Handle", name)
	}
	h.streams.limits[name] = lim
	return nil
}

func (s *streams) limitsOf(name string) StreamLimits {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lim, ok := s.limits[name]; ok {
		return lim
	}
	return DefaultLimits()
}

func (s *streams) claim(name string, lim StreamLimits) error {
	if err := cmp.Or(checkName(name), lim.Validate()); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.served[name] {
		return fmt.Errorf("p2p: protocol %s has a handler already", name)
	}
	s.served[name], s.limits[name] = true, lim
	return nil
}

// serve runs do for each admitted stream of a protocol, on its own goroutine. Close waits for it.
func (s *streams) serve(name string, g *guard, do func(network.Stream)) {
	s.h.net.SetStreamHandler(s.h.protocol(name), func(raw network.Stream) {
		if !s.h.begin() {
			reset(raw)
			return
		}
		defer s.h.work.Done()
		from := raw.Conn().RemotePeer()
		if s.h.book.banned(from) {
			reset(raw)
			return
		}
		leave, ok := g.enter(from)
		if !ok {
			s.h.count.requests.refused.Add(1)
			refuse(raw, g.limits.Timeout)
			return
		}
		defer leave()
		do(raw)
	})
}

func (h *Host) protocol(name string) protocol.ID { return ProtocolID(h.cfg.Network, name) }

// Stream is a conversation with one peer in whole messages, bounded in size and time. One goroutine
// may read while another writes.
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

func (h *Host) newStream(ctx context.Context, raw network.Stream, readMax, sendMax int, lim StreamLimits) *Stream {
	s := &Stream{
		raw: raw, r: bufio.NewReader(raw), readMax: readMax, sendMax: sendMax,
		timeout: lim.Timeout, end: time.Now().Add(lim.Lifetime),
	}
	s.bad = func(err error) { h.badFrame(s.Peer(), err) }
	s.stop = context.AfterFunc(ctx, func() { reset(raw) })
	return s
}

// badFrame counts a malformed frame. It blames the sender, unless the frame was only over a limit,
// because another version may have other limits.
func (h *Host) badFrame(from peer.ID, err error) {
	h.count.requests.badFrames.Add(1)
	if !errors.Is(err, wire.ErrFrameTooLarge) {
		h.Penalize(from, badFramePoints, "frame")
	}
}

// badFramePoints lets eight malformed frames within a few minutes cause a ban.
const badFramePoints = 13

// Peer returns the peer at the other end.
func (s *Stream) Peer() peer.ID { return s.raw.Conn().RemotePeer() }

// ReadMsg reads the next message. It returns io.EOF if the other side has closed its end, and an
// *Error if it refused. The error wraps ErrUnreachable if the other side was cut off, took longer
// than Limits.Timeout, or sent bytes that are not a frame.
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

// Close ends the stream, and may be called again. It does not wait for the other side. Written
// messages are still delivered, unless the other side has stopped reading. To be sure, wait for an
// answer.
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
