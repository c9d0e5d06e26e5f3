package anex

import (
	"errors"
	"fmt"
)

// Faults that no correct peer causes, so the caller may penalise it (Blame returns Theirs).
var (
	ErrTooLarge  = errors.New("anex: too large")                              // bytes, values or depth
	ErrNotJSON   = errors.New("anex: not strict JSON")                        // grammar, UTF-8, duplicate keys, lone surrogates
	ErrMalformed = errors.New("anex: not an ANEX message")                    // a field missing, unknown or of the wrong type
	ErrUnknown   = errors.New("anex: word not known")                         // performative, protocol, language or ontology
	ErrParty     = errors.New("anex: message of another conversation")        // sender, receiver or conversation-id
	ErrOrder     = errors.New("anex: message out of order")                   // also a wrong in-reply-to, a repeated reply-with
	ErrMarker    = errors.New("anex: self-identification without the marker") // [PA*]
	ErrBreach    = errors.New("anex: breach of what was asked or agreed")     // an extra field, promise or price, or another source
	ErrTerms     = errors.New("anex: other terms were accepted")              // another terms hash
	ErrFlood     = errors.New("anex: too many messages")                      // or bytes, or rounds of one phase
	ErrLate      = errors.New("anex: answer after its reply-by")              // it came, but too late
	ErrSilent    = errors.New("anex: no message from the peer in time")       // none came
)

// Faults of this side (Blame returns Ours).
var (
	ErrSlow = errors.New("anex: own policy or source did not answer in time")
	ErrOwn  = errors.New("anex: own message can not be sent") // such as a receipt that is too large
)

// Ends without a provable fault of either side (Blame returns Nobody).
var (
	ErrRefused       = errors.New("anex: refused")                       // by REFUSE, either side
	ErrNoAgreement   = errors.New("anex: no agreement")                  // a proposal was rejected, or a modification not met
	ErrMandatory     = errors.New("anex: a mandatory name is missing")   // of access or promise, in a proposal
	ErrNothing       = errors.New("anex: nothing is granted")            // a proposal with empty access
	ErrDemand        = errors.New("anex: a promise is demanded")         // which the asker did not offer
	ErrPrice         = errors.New("anex: price above the limit")         // of the CFP
	errFailed        = errors.New("anex: failed")                        // by FAILURE
	errNotUnderstood = errors.New("anex: not understood")                // by NOT-UNDERSTOOD
	ErrCancelled     = errors.New("anex: cancelled")                     // by CANCEL, either side
	errTerminated    = errors.New("anex: ended before the data")         // by the peer
	errExpired       = errors.New("anex: too late to be answered")       // a request came after its own reply-by
	ErrDeadline      = errors.New("anex: the conversation's time is up") // the asker's deadline, or Config.Total
	errHangup        = errors.New("anex: the connection ended")
)

// Errors of Step: the caller broke a rule, and nothing has changed.
var (
	ErrEvent = errors.New("anex: bad event")
	ErrEnded = errors.New("anex: the conversation has ended")
)

// Fault names the party at fault for the end of a conversation.
type Fault uint8

// The parties at fault. A caller penalises the peer for Theirs alone.
const (
	Nobody Fault = iota
	Ours
	Theirs
)

// String returns nobody, ours or theirs.
func (f Fault) String() string { return [...]string{"nobody", "ours", "theirs"}[f] }

// Blame returns the party at fault for an error of this package, from the view of the machine or
// parser that returned it.
func Blame(err error) Fault {
	if errors.Is(err, ErrSlow) || errors.Is(err, ErrOwn) || errors.Is(err, ErrEvent) {
		return Ours // even if it wraps another class
	}
	for _, e := range [...]error{ErrTooLarge, ErrNotJSON, ErrMalformed, ErrUnknown, ErrParty, ErrOrder, ErrMarker, ErrBreach, ErrTerms,
		ErrFlood, ErrLate, ErrSilent} {
		if errors.Is(err, e) {
			return Theirs
		}
	}
	return Nobody
}

// fieldError is an ErrMalformed that names the field.
type fieldError struct {
	Document string // such as "message" or "content of CFP"
	Field    string // path to the field, such as request.access[2]
	Problem  string // the error and the valid form
}

func (e *fieldError) Error() string {
	return fmt.Sprintf("%v: %s: field %q: %s", ErrMalformed, e.Document, e.Field, e.Problem)
}

func (e *fieldError) Unwrap() error { return ErrMalformed }
