package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"ojud/datasource/kind"
)

// Reply is the answer of a receiver.
type Reply struct {
	Status int           `json:"status"`
	Took   time.Duration `json:"took_ns"`
	// Text is the beginning of its body. A stranger wrote it.
	Text string        `json:"text,omitempty"`
	wait time.Duration // it asks to be left alone for so long
}

const (
	maxReply  = 4 << 10  // bytes of a body that are read
	maxHeader = 16 << 10 // bytes of the headers of an answer
	maxWait   = time.Hour
)

// carrier posts to one receiver.
type carrier struct {
	hook   Hook
	env    kind.Env
	client *http.Client
}

// newCarrier returns a carrier. It follows no redirect, uses no proxy, and connects only to
// addresses that the receiver's settings allow.
func newCarrier(hook Hook, p Parts, timeout time.Duration) *carrier {
	var transport http.RoundTripper = &http.Transport{
		DialContext: kind.Network{AllowPrivate: hook.AllowPrivate}.Dial, TLSHandshakeTimeout: timeout, IdleConnTimeout: 30 * time.Second,
		MaxIdleConns: 1, MaxResponseHeaderBytes: maxHeader, DisableCompression: true,
	}
	if p.Transport != nil {
		transport = p.Transport
	}
	return &carrier{hook: hook, env: kind.Env{Dir: p.Dir, LookupEnv: p.LookupEnv}, client: &http.Client{
		Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// setting returns a setting, or the secret to which it refers.
func (c *carrier) setting(text string) (string, error) {
	ref, ok := isReference(text)
	if !ok {
		return text, nil
	}
	value, err := ref.Read(c.env)
	if err != nil {
		return "", fmt.Errorf("%s: %w", ref.Text, err)
	}
	return value, nil
}

// post sends a body once. The error says why the receiver did not take it. It contains no URL, no
// secret and no text of the receiver.
func (c *carrier) post(ctx context.Context, id string, body []byte) (Reply, error) {
	target, err := c.setting(c.hook.URL)
	if err == nil {
		err = c.hook.checkURL(target)
	}
	if err != nil {
		return Reply{}, err
	}
	text, err := c.setting(c.hook.Secret)
	if err != nil {
		return Reply{}, err
	}
	secrets, err := keys(text)
	if err != nil {
		return Reply{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return Reply{}, errors.New("url makes no request; check it")
	}
	start := time.Now()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "ojud")
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", strconv.FormatInt(start.Unix(), 10))
	r.Header.Set("webhook-signature", sign(secrets, id, start.Unix(), body))
	response, err := c.client.Do(r)
	if err != nil {
		return Reply{}, plain(err)
	}
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	if closed := response.Body.Close(); err == nil {
		err = closed
	}
	reply := Reply{Status: response.StatusCode, Took: time.Since(start), Text: strings.ToValidUTF8(string(raw), "\ufffd"), wait: asked(response.Header)}
	if reply.Status/100 != 2 {
		return reply, refused(reply.Status)
	}
	if err != nil {
		return reply, plain(err)
	}
	return reply, nil
}

// plain takes the URL out of an error.
func plain(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		if wrapped.Timeout() {
			return errors.New("it did not answer in time")
		}
		return wrapped.Err
	}
	return err
}

// refusal is an answer that does not take the notification.
type refusal int

func refused(status int) error { return refusal(status) }

func (r refusal) Error() string {
	switch {
	case r/100 == 3:
		return fmt.Sprintf("it answered %d, and redirects are not followed; set url to the new place", int(r))
	case r == http.StatusUnauthorized || r == http.StatusForbidden:
		return fmt.Sprintf("it answered %d; check that it has the same secret", int(r))
	}
	return fmt.Sprintf("it answered %d", int(r))
}

// ofMessage reports whether an answer is about the notification, not about the receiver.
func ofMessage(err error) bool {
	var r refusal
	return errors.As(err, &r) && r/100 == 4 && r != http.StatusRequestTimeout && r != http.StatusTooManyRequests &&
		r != http.StatusUnauthorized && r != http.StatusForbidden && r != http.StatusNotFound && r != http.StatusGone
}

// asked returns how long a receiver asks to be left alone.
func asked(h http.Header) time.Duration {
	seconds, err := strconv.ParseUint(h.Get("Retry-After"), 10, 32)
	if err != nil {
		return 0 // it asks for nothing, or names a date
	}
	return min(time.Duration(seconds)*time.Second, maxWait)
}

// Try posts a test event to a receiver once. The reply is empty if there was none.
func Try(ctx context.Context, h Hooks, hook Hook, p Parts) (id string, r Reply, err error) {
	n := Notification{ID: newID(), Kind: test, At: time.Now(), Details: Details{
		Court: p.Court, Judge: p.Judge, Text: "This is a test. Nothing happened.",
	}}
	body, err := n.body()
	if err != nil {
		return n.ID, r, err
	}
	r, err = newCarrier(hook, p, h.Timeout).post(ctx, n.ID, body)
	return n.ID, r, err
}
