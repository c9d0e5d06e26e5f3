package p2p

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p/wire"
)

// Handler answers one request. ctx ends after StreamLimits.Timeout or when the host closes. An
// error is sent as its class (ErrNotFound, Fail, …). An error without a class is logged here and
// sent as "internal error" without its text.
type Handler func(ctx context.Context, from peer.ID, req []byte) ([]byte, error)

// StreamHandler holds one conversation. The stream is closed when it returns. An error is sent to
// the other side first, as with Handler.
type StreamHandler func(ctx context.Context, s *Stream) error

// Handle serves a request protocol. name is like "blob"; it can be taken once.
func (h *Host) Handle(name string, lim StreamLimits, answer Handler) error {
	return h.serveStreams(name, lim, lim.Timeout, func(ctx context.Context, s *Stream) error {
		req, err := s.ReadMsg()
		if err != nil {
			return errAway
		}
		resp, err := answer(ctx, s.Peer(), req)
		if err != nil {
			return err
		}
		return s.WriteMsg(resp)
	})
}

// HandleStream serves a protocol of several messages.
func (h *Host) HandleStream(name string, lim StreamLimits, talk StreamHandler) error {
	return h.serveStreams(name, lim, lim.Lifetime, talk)
}

// errAway means that the other side is gone or sent nonsense, so it cannot receive a refusal.
var errAway = errors.New("p2p: the asking side left")

func (h *Host) serveStreams(name string, lim StreamLimits, whole time.Duration, talk StreamHandler) error {
	if err := h.streams.claim(name, lim); err != nil {
		return err
	}
	lim.Lifetime = whole
	h.streams.serve(name, newGuard(lim), func(raw network.Stream) {
		ctx, cancel := context.WithTimeout(h.ctx, whole)
		defer cancel()
		h.count.requests.served.Add(1)
		s := h.newStream(ctx, raw, lim.MaxRequest, lim.MaxResponse, lim)
		h.finish(name, s, talk(ctx, s))
	})
	return nil
}

// finish closes a served stream, with a refusal if the handler failed.
func (h *Host) finish(name string, s *Stream, err error) {
	switch {
	case err == nil:
		s.Close()
		return
	case errors.Is(err, errAway), errors.Is(err, ErrUnreachable):
		s.stop()
		reset(s.raw)
		return
	}
	var e *Error
	if !errors.As(err, &e) && statusOf(err) == wire.Internal {
		h.log.Error("handler failed", "protocol", name, "peer", s.Peer(), "error", err)
	}
	if err := s.Refuse(err); err != nil {
		h.log.Debug("refusing a request", "protocol", name, "peer", s.Peer(), "error", err)
	}
}

// Request asks one peer and returns its answer. It dials if needed. The error is an *Error if the
// peer refused, wraps ErrUnreachable if there was no answer, and ErrTooLarge if req is over the
// limit.
func (h *Host) Request(ctx context.Context, to peer.ID, name string, req []byte) ([]byte, error) {
	h.count.requests.sent.Add(1)
	resp, err := h.request(ctx, to, name, req)
	if err != nil {
		h.count.requests.failed.Add(1)
		return nil, fmt.Errorf("p2p: asking %s for %s: %w", to, name, err)
	}
	return resp, nil
}

func (h *Host) request(ctx context.Context, to peer.ID, name string, req []byte) ([]byte, error) {
	lim := h.streams.limitsOf(name)
	if len(req) > lim.MaxRequest {
		return nil, fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, len(req), lim.MaxRequest)
	}
	ctx, cancel := context.WithTimeout(ctx, lim.Timeout)
	defer cancel()
	lim.Lifetime = lim.Timeout
	s, err := h.open(ctx, to, name, lim)
	if err != nil {
		return nil, err
	}
	// A refusal may come before the request is written. Then it is the better error.
	sent := cmp.Or(s.WriteMsg(req), s.CloseWrite())
	resp, err := s.ReadMsg()
	if err != nil {
		s.stop()
		reset(s.raw)
		return nil, askError(ctx, sent, err)
	}
	s.Close()
	return resp, nil
}

func askError(ctx context.Context, sent, err error) error {
	var refused *Error
	switch {
	case errors.As(err, &refused):
		return err
	case ctx.Err() != nil:
		return unreachable(ctx.Err())
	case sent != nil:
		return sent
	}
	return unreachable(err)
}

// OpenStream opens a conversation with one peer. It dials if needed. The caller speaks first,
// within 10 s (the library names the protocol with the first bytes), and closes it. The end of ctx
// resets it.
func (h *Host) OpenStream(ctx context.Context, to peer.ID, name string) (*Stream, error) {
	s, err := h.open(ctx, to, name, h.streams.limitsOf(name))
	if err != nil {
		return nil, fmt.Errorf("p2p: opening %s to %s: %w", name, to, err)
	}
	return s, nil
}

func (h *Host) open(ctx context.Context, to peer.ID, name string, lim StreamLimits) (*Stream, error) {
	if h.book.banned(to) {
		return nil, unreachable(errBanned)
	}
	dial, cancel := context.WithTimeout(ctx, lim.Timeout)
	defer cancel()
	raw, err := h.net.NewStream(dial, to, h.protocol(name))
	if err != nil {
		return nil, unreachable(err)
	}
	return h.newStream(ctx, raw, lim.MaxResponse, lim.MaxRequest, lim), nil
}

var errBanned = errors.New("peer is refused here for a while (Penalize)")

// Classes of refusals. A handler returns one of them, wrapped or through Fail, to choose the status
// that the other side gets. Request returns them wrapped in an *Error.
var (
	ErrNotFound   = errors.New("p2p: not found")
	ErrBusy       = errors.New("p2p: busy")
	ErrRefused    = errors.New("p2p: refused")
	ErrBadRequest = errors.New("p2p: bad request")
	ErrInternal   = errors.New("p2p: internal error")
)

// ErrUnreachable is wrapped by every failure to get any answer: no connection, no such protocol,
// cut off, too slow, or bytes that are not a frame.
var ErrUnreachable = errors.New("p2p: no answer")

// ErrOversized is wrapped, beside ErrUnreachable, when the other side sent a
// frame that is longer than our limit.
var ErrOversized = errors.New("p2p: frame over the limit")

// Error is a refusal: one that we send, or one that came from a peer.
type Error struct {
	Status wire.Status
	Text   string // for a log; if from a peer, any text that the peer wrote
}

// Error implements error.
func (e *Error) Error() string {
	if e.Text == "" {
		return "p2p: " + e.Status.String()
	}
	return fmt.Sprintf("p2p: %s: %.*q", e.Status, wire.MaxText, e.Text)
}

// Is makes errors.Is(err, ErrNotFound) and the like work.
func (e *Error) Is(target error) bool { return target == classOf(e.Status) }

// Fail returns the error with which a handler refuses. class is one of the Err values above. text
// is a sentence that the other side may see, cut to wire.MaxText bytes.
func Fail(class error, text string) error {
	return &Error{Status: statusOf(class), Text: text[:min(len(text), wire.MaxText)]}
}

func classOf(st wire.Status) error {
	return cmp.Or(map[wire.Status]error{
		wire.NotFound: ErrNotFound, wire.Busy: ErrBusy, wire.Refused: ErrRefused, wire.BadRequest: ErrBadRequest,
	}[st], ErrInternal)
}

// statusOf finds the status of a handler's error. An error without a class is internal. Its text
// stays here because it may name files or keys.
func statusOf(err error) wire.Status {
	for _, st := range []wire.Status{wire.NotFound, wire.Busy, wire.Refused, wire.BadRequest} {
		if errors.Is(err, classOf(st)) {
			return st
		}
	}
	return wire.Internal
}

// reply returns the status and text that the other side gets for a handler's error.
func reply(err error) (wire.Status, string) {
	var e *Error
	if errors.As(err, &e) && e.Status != wire.OK {
		return e.Status, e.Text
	}
	return statusOf(err), ""
}
