package datasource

import (
	"errors"

	"ojud/datasource/kind"
)

// The classes of errors of [Book.Answer]. All but ErrUnknown are those of the package kind.
var (
	// ErrUnknown: the book has no source of that name.
	ErrUnknown = errors.New("there is no such source")
	// ErrRequest: the request does not fit the input schema, or the upstream cannot answer it: the asker's fault.
	ErrRequest = kind.ErrRequest
	// ErrDown: the upstream cannot be reached, or its settings are wrong.
	ErrDown = kind.ErrDown
	// ErrSlow: the upstream did not answer in time.
	ErrSlow = kind.ErrSlow
	// ErrLarge: the upstream's answer is too large.
	ErrLarge = kind.ErrLarge
	// ErrSchema: the upstream's answer does not fit the output schema.
	ErrSchema = kind.ErrSchema
	// ErrRefused: the upstream refused, or the owner's rules forbid it.
	ErrRefused = kind.ErrRefused
)

// Reason is what a peer may be told of an error of [Book.Answer]: its class in fixed words, nothing of the upstream.
func Reason(err error) string {
	for _, class := range []error{ErrUnknown, ErrRequest, ErrDown, ErrSlow, ErrLarge, ErrSchema, ErrRefused} {
		if errors.Is(err, class) {
			return class.Error()
		}
	}
	return ErrDown.Error()
}
