package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"time"

	"ojud/agent"
)

const (
	maxAnswer    = 1 << 20  // bytes of an answer, unpacked
	maxSays      = 16 << 10 // bytes of an error response that are read
	maxHeader    = 64 << 10 // bytes of an answer's header
	maxRedirects = 3
	maxWait      = time.Hour // a server's longest wish
)

// wire is the last step before the network. It adds the key, bounds answers and masks them.
type wire struct {
	client    *http.Client
	key       *key
	authorize func(http.Header, string)
}

// newTransport makes connections for all models. It ignores proxies of the environment.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	return &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 8, MaxConnsPerHost: 32,
		IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: maxHeader,
	}
}

func newWire(over http.RoundTripper, k *key, authorize func(http.Header, string)) *wire {
	return &wire{client: &http.Client{Transport: over, CheckRedirect: follow}, key: k, authorize: authorize}
}

// follow allows redirects to the same server only: no other may get the key or the case.
func follow(next *http.Request, via []*http.Request) error {
	first := via[0]
	if next.URL.Scheme != first.URL.Scheme || next.URL.Host != first.URL.Host || next.URL.User != nil {
		return &fault{class: agent.ErrRefused, what: "it redirects to another server", detail: "to " + strconv.QuoteToASCII(short(next.URL.Host))}
	}
	if next.Method != first.Method || len(via) > maxRedirects {
		return &fault{class: agent.ErrRefused, what: "it redirects in a way that loses the request"}
	}
	next.Header.Del("Referer")
	return nil
}

// RoundTrip implements http.RoundTripper. The answer's body is in memory, or comes in pieces that
// the caller bounds and masks.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	secret, err := w.key.read()
	if err != nil {
		return nil, errors.Join(drop(r), &fault{class: agent.ErrRefused, what: "its key cannot be read", detail: err.Error(), free: true})
	}
	sent := r.Clone(r.Context())
	sent.Header.Del("Authorization") // langchaingo's placeholder
	sent.Header.Del("X-Api-Key")
	sent.Header.Set("User-Agent", "ojud")
	if sent.Header.Get("Accept") != events {
		sent.Header.Set("Accept", "application/json")
	}
	if secret != "" {
		w.authorize(sent.Header, secret)
	}
	answer, err := w.client.Do(sent)
	if err != nil {
		return nil, w.masked(unreachable(err))
	}
	if sent.Header.Get("Accept") == events && inPieces(answer) {
		return answer, nil
	}
	return w.take(answer)
}

// inPieces reports whether an answer comes in pieces.
func inPieces(answer *http.Response) bool {
	kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	return err == nil && kind == events && answer.StatusCode == http.StatusOK
}

// drop closes the body of a request that is not sent, as http.RoundTripper demands.
func drop(r *http.Request) error {
	if r.Body == nil {
		return nil
	}
	return r.Body.Close()
}

// take reads the answer within its bound, or the beginning of an error response.
func (w *wire) take(answer *http.Response) (*http.Response, error) {
	limit := int64(maxSays)
	if answer.StatusCode == http.StatusOK {
		limit = maxAnswer
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	err = errors.Join(err, answer.Body.Close())
	if err != nil {
		return nil, w.masked(unreachable(err))
	}
	if int64(len(body)) > limit && answer.StatusCode == http.StatusOK {
		return nil, &fault{class: agent.ErrTooLarge, what: fmt.Sprintf("more than %d bytes", maxAnswer)}
	}
	out := *answer
	masked := w.key.mask(string(body))
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader([]byte(masked))), int64(len(masked))
	return &out, nil
}

func (w *wire) masked(f *fault) *fault {
	f.detail = w.key.mask(f.detail)
	return f
}

// retryAfter reads a Retry-After header (RFC 9110, 10.2.3): seconds or a date, otherwise 0.
func retryAfter(text string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxWait)
}

// pause waits, or returns the cause of the end of ctx if that comes first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
