package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"ojud/ledger/program"
	"ojud/ledger/rpc"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// counting counts the calls to each RPC node.
type counting struct {
	truth http.RoundTripper
	poor  bool // it refuses lists of accounts

	mu    sync.Mutex
	calls map[string]int // by host
}

// RoundTrip implements http.RoundTripper.
func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil { // a websocket
		return c.truth.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var q struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.calls[r.URL.Host]++
	c.mu.Unlock()
	if c.poor && q.Method == rpc.ListMethod {
		text := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32010,"message":"excluded from account secondary indexes"}}`, q.ID)
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text))}, nil
	}
	return c.truth.RoundTrip(r)
}

// most is the most calls that one RPC node got, for each second.
func (c *counting) most(d time.Duration) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, calls := range c.calls {
		n = max(n, calls)
	}
	clear(c.calls)
	return float64(n) / d.Seconds()
}

// TestRequestRates counts the calls of a node to each of its RPC nodes, when it is idle and while
// it votes. They fit the free plan of a provider, also without a websocket.
func TestRequestRates(t *testing.T) {
	longtest.Only(t)
	for _, c := range []struct {
		name         string
		urls         []string
		ws           string
		poor         bool
		idle, voting float64
	}{
		{"one, websocket", []string{"http://one.test"}, "ws://one.test", false, 0.2, 5},
		{"three, websocket", []string{"http://one.test", "http://two.test", "http://three.test"}, "ws://one.test", false, 0.2, 5},
		{"three, no websocket, no lists", []string{"http://one.test", "http://two.test", "http://three.test"}, "off", true, 0.2, 5},
		{"one, no websocket", []string{"http://one.test"}, "off", false, 0.2, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				w := newWorld(t, func(p *program.Params) { p.SeasonSeconds = 86_400 })
				way := &counting{truth: w.server.Transport(), poor: c.poor, calls: map[string]int{}}
				for range 3 {
					w.admit(&member{}, func(m *member) { m.deps.Judge = code() })
				}
				w.admit(&member{}, func(m *member) {
					m.cfg.Ledger.RPC, m.cfg.Ledger.MoreRPC, m.cfg.Ledger.WS = c.urls[0], c.urls[1:], c.ws
					m.deps.Judge, m.deps.Transport = code(), way
				})
				w.season()
				time.Sleep(2 * time.Minute) // for the first, it polls as often as while something happens
				way.most(time.Minute)
				time.Sleep(3 * time.Minute)
				idle := way.most(3 * time.Minute)
				began := time.Now()
				task := w.dispute(eleptiger(t))
				got := w.until(30*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() || c.Status == voting.Appealable })
				took := time.Since(began)
				votes := way.most(took)
				t.Logf("calls a second to the RPC node that got most: idle %.2f, voting %.2f for %s", idle, votes, took.Round(time.Second))
				if idle > c.idle || votes > c.voting {
					t.Errorf("idle %.2f, at most %.2f; voting %.2f, at most %.2f", idle, c.idle, votes, c.voting)
				}
				if s := seatOf(t, got, w.nodes[3]); s.Slashed != 0 {
					t.Errorf("slashed %d", s.Slashed)
				}
			})
		})
	}
}
