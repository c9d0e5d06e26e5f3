package model

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ojud/agent"
)

// air carries requests without sockets, so time can be fake. Each host has its own behaviour.
type air struct {
	mu    sync.Mutex
	hosts map[string]host
	asked map[string]int
}

// host returns the answer to the n-th request and its delay. Status 0 means no connection.
type host func(n int) (status int, header http.Header, body string, after time.Duration)

func (a *air) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	name := r.URL.Hostname()
	n, does := a.asked[name], a.hosts[name]
	a.asked[name]++
	a.mu.Unlock()
	code, header, body, after := does(n)
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(after):
	}
	if code == 0 {
		return nil, errors.New("connection reset")
	}
	return &http.Response{StatusCode: code, Header: header, Body: io.NopCloser(bytes.NewReader([]byte(body))), Request: r}, nil
}

// host adds a model with this behaviour and returns its entry.
func (a *air) host(name string, does host) Endpoint {
	a.hosts[name] = does
	return Endpoint{Name: name, Provider: OpenAI, URL: "http://" + name + "/v1", Model: "x"}
}

func (a *air) times(name string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asked[name]
}

func (a *air) ladder(t *testing.T, c Config) *Ladder {
	return opened(t, c, func(d *Deps) { d.Transport = a })
}

// takes is a server that answers after a delay.
func takes(d time.Duration) host {
	return func(int) (int, http.Header, string, time.Duration) { return 200, nil, completed("yes", "stop"), d }
}

// answers is a server that always gives the same answer.
func answers(body string) host {
	return func(int) (int, http.Header, string, time.Duration) { return 200, nil, body, time.Second }
}

// fails is a server that answers with a status n times, and then well after a second.
func fails(code, times int, header ...string) host {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return func(n int) (int, http.Header, string, time.Duration) {
		if n < times {
			return code, h, `{"error":{"message":"no"}}`, time.Millisecond
		}
		return 200, nil, completed("yes", "stop"), time.Second
	}
}

const always = 1 << 30

// flying runs a test on fake time.
func flying(t *testing.T, test func(t *testing.T, a *air)) {
	synctest.Test(t, func(t *testing.T) { test(t, &air{hosts: map[string]host{}, asked: map[string]int{}}) })
}

func within(t *testing.T, m agent.Model, d time.Duration) (agent.Reply, time.Duration, error) {
	t.Helper()
	started := time.Now()
	reply, err := m.Generate(soon(t, d), question())
	return reply, time.Since(started), err
}
