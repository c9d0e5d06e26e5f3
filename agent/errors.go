package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// The reasons why a run has no result, besides errors of its Model.
var (
	ErrRequest = errors.New("agent: the request cannot be run")
	ErrClosed  = errors.New("agent: the client has closed the channel")
	ErrTime    = errors.New("agent: the time of the run is over")
	ErrLimit   = errors.New("agent: the run has reached a limit") // one of Config
	ErrLoop    = errors.New("agent: the same call again and again")
	ErrOutput  = errors.New("agent: the result does not satisfy its schema")
	ErrPanic   = errors.New("agent: panic")
)

// The reasons why a channel refuses an input.
var (
	ErrEnded  = errors.New("agent: the run is over")
	ErrCall   = errors.New("agent: no such call is open")
	ErrReader = errors.New("agent: the run already has a reader")
)

const maxWords = 500 // bytes of an error that agents and models read

// Words says why a call failed, without anything that its reader must not know: the words of a
// Failure, the class of an error of this package, or nothing.
func Words(err error) string {
	var f Failure
	if errors.As(err, &f) {
		return plain(string(f), maxWords)
	}
	for _, class := range []error{
		ErrRequest, ErrClosed, ErrTime, ErrLimit, ErrLoop, ErrOutput, ErrPanic, ErrReader, ErrTools, ErrRefused, ErrBusy, ErrDown, ErrGarbled, ErrSpent, ErrTooLarge,
		context.DeadlineExceeded, context.Canceled,
	} {
		if errors.Is(err, class) {
			return strings.TrimPrefix(class.Error(), "agent: ")
		}
	}
	return "it failed; its owner's log says why"
}

// cutText shortens a text to at most n bytes, and marks the cut.
func cutText(s string, n int) string {
	const mark = "…"
	if len(s) <= n {
		return strings.ToValidUTF8(s, "")
	}
	return strings.ToValidUTF8(s[:n-len(mark)], "") + mark
}

// plain makes one line of at most n bytes, without control characters, from a stranger's text.
func plain(s string, n int) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, cutText(s, n))
}

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrRequest, fmt.Errorf(format, args...))
}
