package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Caller makes JSON-RPC calls over HTTP. solana-go's client is not used because it reads answers of
// any size, never tries again, and puts the URL with its key into errors.
type Caller struct {
	url      string
	host     string // for messages: the URL may hold a key
	http     *http.Client
	cfg      Calls
	throttle *throttle
	metrics  *Metrics
	lastID   atomic.Uint64
	trouble  atomic.Uint64
}

// NewCaller makes a caller of the node at a URL.
func NewCaller(node string, cfg Calls, transport http.RoundTripper, m *Metrics) (*Caller, error) {
	u, err := Endpoint("rpc", node, "http", "https")
	if err != nil {
		return nil, err
	}
	return &Caller{
		url: node, host: u.Host, cfg: cfg, throttle: newThrottle(cfg), metrics: m,
		http: &http.Client{Transport: transport, CheckRedirect: Stay},
	}, nil
}

// Host is the node's name, for messages: the URL may hold a key.
func (c *Caller) Host() string { return c.host }

// Trouble counts the times the node was out of reach, or did not catch up: it may have come back as
// another one.
func (c *Caller) Trouble() uint64 { return c.trouble.Load() }

// Doubt counts one more trouble.
func (c *Caller) Doubt() { c.trouble.Add(1) }

// ListMethod lists the accounts of a program. Many RPC providers refuse it, or limit it more than
// other methods.
const ListMethod = "getProgramAccounts"

// Stay follows no redirect, because another host would get the request and its key.
func Stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Call tries until there is an answer, the error is final, or patience or ctx ends. If check is not
// nil, it examines the decoded answer, and a retryable error from it causes another attempt. Errors
// of the classes in final end the call at once.
func (c *Caller) Call(ctx context.Context, method string, params []any, out any, check func() error, final ...error) error {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Patience)
	defer cancel()
	for n := 0; ; n++ {
		again, err := c.Once(ctx, method, params, out)
		if err == nil && check != nil {
			err = check()
		}
		isFinal := func(class error) bool { return errors.Is(err, class) }
		if err == nil || !Retryable(err) || slices.ContainsFunc(final, isFinal) {
			return err
		}
		pause := max(again, Backoff(n, c.cfg.BackoffMin, c.cfg.BackoffMax))
		if end, _ := ctx.Deadline(); time.Until(end) < pause {
			return err // there would be no time left for the answer
		}
		c.metrics.retries.WithLabelValues(Reason(err)).Inc()
		if Wait(ctx, pause) != nil {
			return err
		}
	}
}

// Once makes one attempt. again is how long the node asks to be left alone.
func (c *Caller) Once(ctx context.Context, method string, params []any, out any) (again time.Duration, err error) {
	start := time.Now()
	raw, again, err := c.attempt(ctx, method, params)
	if err == nil {
		err = decodeResult(raw, method, out)
	}
	c.metrics.call(method, Reason(err), time.Since(start))
	if errors.Is(err, ErrUnavailable) && !errors.Is(err, context.Canceled) {
		c.trouble.Add(1)
	}
	return again, err
}

func (c *Caller) attempt(ctx context.Context, method string, params []any) (raw json.RawMessage, again time.Duration, err error) {
	if again, err := c.throttle.enter(ctx, method); err != nil {
		return nil, again, fmt.Errorf("%w: %s at %s", err, method, c.host)
	}
	defer c.throttle.leave()
	c.metrics.inFlight.Inc()
	defer c.metrics.inFlight.Dec()
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	id := c.lastID.Add(1)
	status, header, body, err := c.post(ctx, newRequest(id, method, params))
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %s at %s", err, method, c.host)
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		if again = retryAfter(header, time.Now()); again > 0 {
			c.throttle.hold(again, method)
		}
	}
	raw, err = c.read(status, body, method, id)
	return raw, again, err
}

// post sends a request and reads what comes back, at most MaxAnswer bytes of it.
func (c *Caller) post(ctx context.Context, r request) (status int, header http.Header, body []byte, err error) {
	text, err := json.Marshal(r)
	if err != nil {
		return 0, nil, nil, fmt.Errorf("%w: encoding: %w", ErrRefused, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(text))
	if err != nil {
		return 0, nil, nil, fmt.Errorf("%w: no request", ErrRefused)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, nil, fmt.Errorf("%w: %w", ErrUnavailable, withoutURL(err))
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, int64(c.cfg.MaxAnswer)+1))
	switch {
	case len(body) > c.cfg.MaxAnswer:
		return 0, nil, nil, fmt.Errorf("%w: more than %d bytes", ErrRefused, c.cfg.MaxAnswer)
	case err != nil:
		return 0, nil, nil, fmt.Errorf("%w: reading: %w", ErrUnavailable, withoutURL(err))
	}
	return resp.StatusCode, resp.Header, body, nil
}

// read finds the class of an answer. Nodes put JSON-RPC errors into answers of any status.
func (c *Caller) read(status int, body []byte, method string, id uint64) (json.RawMessage, error) {
	raw, err := decodeAnswer(body, method, id)
	var fault *Error
	class := error(nil)
	switch {
	case status == http.StatusOK, errors.As(err, &fault) && status != http.StatusTooManyRequests:
		return raw, err
	case status == http.StatusTooManyRequests:
		class = ErrRateLimited
	case status >= 500, status == http.StatusRequestTimeout:
		class = ErrUnavailable
	default:
		class = ErrRefused
	}
	return nil, fmt.Errorf("%w: %s at %s: HTTP status %d: %s", class, method, c.host, status, excerpt(body[:min(len(body), 200)]))
}

// withoutURL takes the URL out of an error of net/http.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// Reason is the class of an error as a metric's label.
func Reason(err error) string {
	for _, c := range []struct {
		class error
		name  string
	}{
		{nil, "ok"}, {context.Canceled, "canceled"}, {ErrUnavailable, "unavailable"}, {ErrRateLimited, "rate_limited"}, {ErrStale, "stale"},
		{ErrAnswer, "answer"}, {ErrRefused, "refused"},
	} {
		if errors.Is(err, c.class) {
			return c.name
		}
	}
	return "error"
}

// maxErrorText bounds the kept part of the node's error messages, in bytes.
const maxErrorText = 512

// request is a JSON-RPC 2.0 request.
type request struct {
	Version string `json:"jsonrpc"`
	ID      uint64 `json:"id"`
	Method  string `json:"method"`
	Params  []any  `json:"params,omitempty"`
}

func newRequest(id uint64, method string, params []any) request {
	return request{Version: "2.0", ID: id, Method: method, Params: params}
}

// envelope is a JSON-RPC 2.0 answer, or on a websocket a notification: then Method and Params are
// set.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *rpcFault       `json:"error"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type rpcFault struct {
	Code    json.Number     `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// decodeAnswer returns the result in an answer to the request with that id. Errors may come without
// an id: some proxies do not read the request before they refuse it.
func decodeAnswer(body []byte, method string, id uint64) (json.RawMessage, error) {
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, fmt.Errorf("%w: %s: no JSON-RPC: %s", ErrAnswer, method, excerpt(body))
	}
	ours := string(bytes.TrimSpace(e.ID)) == strconv.FormatUint(id, 10)
	anonymous := len(e.ID) == 0 || string(e.ID) == "null"
	switch {
	case e.Error != nil && (ours || anonymous):
		return nil, e.Error.as(method)
	case !ours:
		return nil, fmt.Errorf("%w: %s: it has the id %s, not %d", ErrAnswer, method, excerpt(e.ID), id)
	case len(e.Result) == 0:
		return nil, fmt.Errorf("%w: %s: neither result nor error", ErrAnswer, method)
	}
	return e.Result, nil
}

func (f *rpcFault) as(method string) *Error {
	code, err := strconv.Atoi(f.Code.String())
	if err != nil {
		code = CodeInternal
	}
	return &Error{Method: method, Code: code, Message: excerpt([]byte(f.Message)), Data: f.Data, class: classOf(code)}
}

// decodeResult reads a result. It allows unknown fields, because newer nodes add some.
func decodeResult(raw json.RawMessage, method string, out any) error {
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("%w: %s: %s", ErrAnswer, method, excerpt([]byte(err.Error())))
	}
	return nil
}

// excerpt is a short printable piece of the node's text, for people.
func excerpt(b []byte) string {
	if len(b) > maxErrorText {
		b = append(b[:maxErrorText:maxErrorText], "…"...)
	}
	s := bytes.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, b)
	return string(s)
}
