package kind

import (
	"context"
	"errors"
	"fmt"

	"ojud/casefile"
)

// The classes of errors of an upstream. Each says who should act.
var (
	// ErrRequest: this source cannot answer the request, so the asker should change it.
	ErrRequest = errors.New("the request cannot be answered")
	// ErrSetup: the settings are wrong, or name something that this machine lacks.
	ErrSetup = errors.New("the source is not set up correctly")
	// ErrTool: the server has no such tool.
	ErrTool = errors.New("the server lacks the tool")
	// ErrDown: the upstream cannot be reached, or fails.
	ErrDown = errors.New("the upstream is down")
	// ErrSlow: the upstream did not answer in time.
	ErrSlow = errors.New("the upstream is too slow")
	// ErrLarge: the upstream's answer is larger than the source allows.
	ErrLarge = errors.New("the upstream's answer is too large")
	// ErrSchema: the upstream's answer is not of the form that the source promises.
	ErrSchema = errors.New("the upstream's answer has the wrong form")
	// ErrRefused: the upstream refused, or the owner's rules forbid the request or a redirect.
	ErrRefused = errors.New("refused")
)

// classes lists the classes. The first one wins if an error belongs to several.
var classes = []error{ErrLarge, ErrRefused, ErrRequest, ErrSchema, ErrSlow, ErrSetup, ErrTool, ErrDown}

// ClassOf returns the class of an error of this package; ErrDown if it names none.
func ClassOf(err error) error {
	for _, class := range classes {
		if errors.Is(err, class) {
			return class
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return ErrSlow
	}
	return ErrDown
}

// fault is an error without secrets. It wraps nothing, because a URL may hold a key.
type fault struct {
	class error
	text  string
}

func (f *fault) Error() string { return f.text }

func (f *fault) Is(target error) bool {
	return target == f.class || f.class == ErrSlow && target == context.DeadlineExceeded
}

// within puts a path before the field of an error of Validate.
func within(document, path string, err error) error {
	var field *casefile.FieldError
	if errors.As(err, &field) {
		return &casefile.FieldError{Document: document, Field: path + "." + field.Field, Problem: field.Problem}
	}
	return err
}

func wrong(field, format string, args ...any) error {
	return &casefile.FieldError{Document: "source", Field: field, Problem: fmt.Sprintf(format, args...)}
}
