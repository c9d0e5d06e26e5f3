package exchange

import (
	"context"
	"errors"

	"ojud/datasource/anex"
)

// Line carries the frames of one conversation with one peer, whose identity the transport has proven. One goroutine sends while
// another receives, and Close, which may be called again, ends both.
type Line interface {
	// Send sends a frame. It may block while the peer does not read.
	Send(frame []byte) error
	// Receive returns the next frame, and io.EOF when the peer has closed its end. A frame of more than most bytes is not read: then the
	// error is ErrOversized. It returns when ctx ends.
	Receive(ctx context.Context, most int) ([]byte, error)
	// Close gives the line back. What was sent is still delivered if the peer reads it.
	Close() error
}

// The longest frames that each side takes, in bytes: limits for the transport.
const (
	MaxToHolder = anex.MaxMessage
	MaxToAsker  = anex.MaxInform
)

// ErrOversized is what Line.Receive returns for a frame over its limit: the peer's fault, for the limit is the protocol's.
var ErrOversized = errors.New("exchange: frame is longer than the protocol allows")
