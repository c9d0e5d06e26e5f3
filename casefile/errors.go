package casefile

import (
	"errors"
	"fmt"
	"slices"

	"ojud/casefile/canon"
)

// The classes of errors that a caller may have to tell apart.
var (
	ErrSignature   = errors.New("casefile: signature does not verify")            // of an event, vote, statement or seal
	ErrStranger    = errors.New("casefile: actor has no seat in this case (yet)") // try again after the next draw
	ErrGap         = errors.New("casefile: events before this one are missing")   // ask for them
	ErrForked      = errors.New("casefile: the actor forked its chain before it") // nothing more is taken
	ErrOtherCase   = errors.New("casefile: belongs to another case or network")
	ErrContradicts = errors.New("casefile: event contradicts its own body or its chain")
	ErrRepeated    = errors.New("casefile: the actor has said this already")
	ErrNoBlob      = errors.New("casefile: content is not here")
	ErrNoCase      = errors.New("casefile: nothing of that case is stored here")
)

// Blame reports whether an error of ParseEvent or Log.Add is the fault of the peer that sent the
// event. It is not if this node may know too little yet (ErrStranger, ErrGap), if the actor forked
// its chain, or if the store failed.
func Blame(err error) bool {
	var field *FieldError
	is := func(class error) bool { return errors.Is(err, class) }
	if slices.ContainsFunc([]error{ErrStranger, ErrGap, ErrForked}, is) {
		return false
	}
	faults := []error{canon.ErrTooLarge, canon.ErrNotJSON, canon.ErrNotCanonical, ErrSignature, ErrOtherCase, ErrContradicts, ErrRepeated}
	return slices.ContainsFunc(faults, is) || errors.As(err, &field)
}

// FieldError describes a fault in one field of a document, for the person who wrote it.
type FieldError struct {
	Document string // such as "task file"
	Field    string // path to the field, such as expected[2].path; empty for the whole document
	Problem  string // the fault, and what would be right
}

// Error names document, field and problem.
func (e *FieldError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s: %s", e.Document, e.Problem)
	}
	return fmt.Sprintf("%s: field %q: %s", e.Document, e.Field, e.Problem)
}
