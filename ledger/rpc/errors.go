package rpc

import (
	"errors"
	"fmt"
)

// The classes of errors. Use errors.Is.
var (
	// ErrUnavailable: the node did not answer, or answered with an internal error. A retry may
	// succeed.
	ErrUnavailable = errors.New("ledger: the RPC node does not answer")
	// ErrRateLimited: the node refuses more requests for now.
	ErrRateLimited = errors.New("ledger: the RPC node limits requests")
	// ErrStale: the node is behind an earlier read. Its answer may be undone already.
	ErrStale = errors.New("ledger: the RPC node is behind")
	// ErrRefused: the node will never answer this request (unknown method, bad key, bad
	// parameters).
	ErrRefused = errors.New("ledger: the RPC node refuses the request")
	// ErrAnswer: the answer is too large, garbage, or not to this request.
	ErrAnswer = errors.New("ledger: the RPC node's answer makes no sense")
)

// Error is an error object that the node answered with (JSON-RPC 2.0, section 5.1).
type Error struct {
	Method  string
	Code    int
	Message string // at most maxErrorText bytes of what the node wrote
	Data    []byte // JSON, may be empty
	class   error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%v: %s: %s (code %d)", e.class, e.Method, e.Message, e.Code)
}

func (e *Error) Unwrap() error { return e.class }

// Codes of Agave's JSON-RPC (rpc-client-api, custom_error.rs).
const (
	codeBlockNotAvailable = -32004
	CodeUnhealthy         = -32005
	codeStatusNotYet      = -32014
	CodeMinContextSlot    = -32016
	CodeNoMethod          = -32601
	CodeInternal          = -32603
)

// classOf says which class an error code belongs to. Providers in front of nodes use the HTTP
// number 429 as a code.
func classOf(code int) error {
	switch code {
	case 429, -32429, -32097:
		return ErrRateLimited
	case CodeMinContextSlot, CodeUnhealthy, codeBlockNotAvailable, codeStatusNotYet:
		return ErrStale
	case CodeInternal:
		return ErrUnavailable
	}
	return ErrRefused
}

// Retryable reports whether the same request may succeed a little later.
func Retryable(err error) bool {
	return errors.Is(err, ErrUnavailable) || errors.Is(err, ErrRateLimited) || errors.Is(err, ErrStale) || errors.Is(err, ErrAnswer)
}

// ListRemedy adds what an operator can do if the node does not permit lists.
func ListRemedy(err error) error {
	switch {
	case errors.Is(err, ErrRefused):
		return fmt.Errorf("%w; use another RPC URL (ledger.rpc), or a plan that permits %s", err, ListMethod)
	case errors.Is(err, ErrRateLimited):
		return fmt.Errorf("%w; use another RPC URL (ledger.rpc), or a plan that permits more calls of %s", err, ListMethod)
	}
	return err
}
