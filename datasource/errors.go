package datasource

import (
	"errors"

	"ojud/datasource/kind"
)

// The classes of errors of [Book.Answer]. All but ErrUnknown are those of the package kind.
var (
	// ErrUnknown: the book has no source of that name.
	ErrUnknown = errors.New("there is no such source")
	// ErrRequest: the asker's request does not fit the schema, or cannot be answered.
	ErrRequest = kind.ErrRequest
	// ErrDown: the upstream cannot be reached, or fails.
	ErrDown = kind.ErrDown
	// errSetup: the holder has not set the source up correctly.
	errSetup = kind.ErrSetup
	// ErrSlow: the upstream did not answer in time.
	ErrSlow = kind.ErrSlow
	// ErrLarge: the upstream's answer is too large.
	ErrLarge = kind.ErrLarge
	// ErrSchema: the upstream's answer does not fit the output schema.
	ErrSchema = kind.ErrSchema
	// ErrRefused: the upstream refused, or the owner's rules forbid it.
	ErrRefused = kind.ErrRefused
)

// Reason returns the fixed words, about an error of [Book.Answer], that a peer may read.
func Reason(err error) string {
	if errors.Is(err, kind.ErrTool) {
		return errSetup.Error()
	}
	for _, class := range []error{ErrUnknown, ErrRequest, ErrDown, errSetup, ErrSlow, ErrLarge, ErrSchema, ErrRefused} {
		if errors.Is(err, class) {
			return class.Error()
		}
	}
	return ErrDown.Error()
}
