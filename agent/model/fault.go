package model

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ojud/agent"
)

// ErrUnrecorded, with agent.ErrDown: the replayed recording does not have the request.
var ErrUnrecorded = errors.New("model: not in the recording")

// fault says why a request brought nothing. Opinions may quote Error, and the log the detail.
type fault struct {
	class  error // one of package agent's
	what   string
	detail string
	wait   time.Duration // the server's wish
	again  bool          // whether the same request may succeed soon
	free   bool          // whether the server did not even begin to answer
	asked  bool          // whether the request is to blame, so that another one may succeed at once
}

func (f *fault) Error() string { return f.class.Error() + ": " + f.what }
func (f *fault) Unwrap() error { return f.class }

func garbled(what string) *fault { return &fault{class: agent.ErrGarbled, what: what} }

// unreachable makes a fault from an error of net/http.
func unreachable(err error) *fault {
	if f := (*fault)(nil); errors.As(err, &f) {
		return f
	}
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() { // the end of a context is one
		return &fault{class: agent.ErrDown, what: "no answer in time", detail: err.Error()}
	}
	dial := (*net.OpError)(nil)
	free := errors.As(err, &dial) && dial.Op == "dial"
	return &fault{class: agent.ErrDown, what: "no connection, or the connection broke", detail: err.Error(), again: !errors.Is(err, context.Canceled), free: free}
}

// overloaded is a status of Anthropic: https://docs.anthropic.com/en/api/errors
const overloaded = 529

// refusal makes a fault from a status without an answer.
func refusal(r *http.Response, says string, now time.Time) *fault {
	f := &fault{what: strings.TrimSpace(fmt.Sprintf("it answers %d %s", r.StatusCode, http.StatusText(r.StatusCode))), detail: says, free: true}
	switch s := r.StatusCode; {
	case s == http.StatusTooManyRequests || s == http.StatusServiceUnavailable || s == overloaded:
		f.class, f.again = agent.ErrBusy, true
		f.wait = retryAfter(r.Header.Get("Retry-After"), now)
	case s == http.StatusRequestTimeout || s >= 500 && s != http.StatusNotImplemented:
		f.class, f.again = agent.ErrDown, true
	case s >= 200 && s < 300:
		f.class = agent.ErrGarbled
	default:
		f.class = agent.ErrRefused
		f.asked = s == http.StatusBadRequest || s == http.StatusRequestEntityTooLarge || s == http.StatusUnprocessableEntity || s == http.StatusNotImplemented
	}
	return f
}

// rests reports whether the model should rest, because its server is ill or its owner must act.
func (f *fault) rests() bool {
	return !f.asked && (errors.Is(f.class, agent.ErrBusy) || errors.Is(f.class, agent.ErrDown) || errors.Is(f.class, agent.ErrRefused))
}

// unable reports whether the server refused the request unread, perhaps because it lacks a feature.
func (f *fault) unable() bool { return f.asked && f.free && errors.Is(f.class, agent.ErrRefused) }
