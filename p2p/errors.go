package p2p

import (
	"cmp"
	"errors"
	"fmt"

	"ojud/p2p/wire"
)

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
