package sim

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/transact"
)

// link is the way from a node to its RPC node. It fails and lies as a fault says.
type link struct {
	chain *cluster
	cov   *coverage
	work  *sync.WaitGroup // transactions that are on their way

	mu      sync.Mutex
	rng     *rand.Rand
	off     int // number of reasons why nothing gets through
	now     *event
	sockets map[io.Closer]bool
	past    map[string][]answer
	told    map[string]bool // signatures that were said to have landed
}

// answer is a result as it was given at a time.
type answer struct {
	at     time.Time
	result json.RawMessage
}

func newLink(c *cluster, cov *coverage, work *sync.WaitGroup, seed uint64) *link {
	return &link{chain: c, cov: cov, work: work, rng: rand.New(rand.NewPCG(seed, 0x11c)), sockets: map[io.Closer]bool{}, past: map[string][]answer{}, told: map[string]bool{}}
}

// cut blocks everything, even transactions on their way. It counts: each cut must be undone once.
func (l *link) cut(off bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !off {
		l.off--
		return
	}
	l.off++
	for s := range l.sockets {
		delete(l.sockets, s)
		l.work.Go(func() { _ = s.Close() }) // the socket is cut, so its error has no use
	}
}

// hold begins a fault; nil ends it.
func (l *link) hold(e *event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = e
}

func (l *link) state() (off bool, e event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now != nil {
		e = *l.now
	}
	return l.off > 0, e
}

// chance returns true in that share of calls.
func (l *link) chance(share float64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rng.Float64() < share
}

// RoundTrip implements http.RoundTripper.
func (l *link) RoundTrip(r *http.Request) (*http.Response, error) {
	off, e := l.state()
	if off {
		return nil, io.ErrUnexpectedEOF
	}
	if r.Header.Get("Upgrade") != "" {
		return l.socket(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var call struct {
		ID     json.RawMessage
		Method string
		Params []json.RawMessage
	}
	if err := json.Unmarshal(body, &call); err != nil {
		return nil, fmt.Errorf("sim: request: %w", err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := l.faulty(r, body, e, call.ID, call.Method, call.Params)
	if off, _ := l.state(); off {
		return nil, io.ErrUnexpectedEOF
	}
	return resp, err
}

// faulty forwards a request under the fault e.
func (l *link) faulty(r *http.Request, body []byte, e event, id json.RawMessage, method string, params []json.RawMessage) (*http.Response, error) {
	hit := func() { l.cov.effect(string(e.kind)) }
	sends := method == "sendTransaction"
	switch {
	case e.kind == slowRPC:
		hit()
		if !pause(r.Context(), time.Duration((0.5+7*e.dose)*float64(time.Second))) {
			return nil, r.Context().Err()
		}
	case e.kind == flakyRPC && l.chance(0.1+0.4*e.dose):
		hit()
		if l.chance(0.5) { // it got there, and the answer is lost
			if resp, err := l.forward(r, body); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
			}
		}
		return nil, io.ErrUnexpectedEOF
	case e.kind == otherChain && method == "getGenesisHash":
		hit()
		return reply(r, id, onchain.Hash{1, 2, 3}.String())
	case sends && (e.kind == falseLanded || e.kind == droppedTx && l.chance(0.3+0.4*e.dose)):
		hit()
		return l.swallow(r, id, params, e.kind == falseLanded)
	case sends && e.kind == lateTx:
		hit()
		wait := time.Duration((1 + 14*e.dose) * float64(time.Second))
		l.work.Go(func() {
			time.Sleep(wait)
			if resp, err := l.forward(r.Clone(context.WithoutCancel(r.Context())), body); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
			}
		})
		return l.swallow(r, id, params, false)
	}
	resp, err := l.forward(r, body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	return l.lie(r, resp, e, id, method, params)
}

func (l *link) forward(r *http.Request, body []byte) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return l.chain.RoundTrip(r)
}

// swallow answers as if a transaction had been taken.
func (l *link) swallow(r *http.Request, id json.RawMessage, params []json.RawMessage, landed bool) (*http.Response, error) {
	var text string
	if err := json.Unmarshal(params[0], &text); err != nil {
		return nil, err
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("sim: transaction: %w", err)
	}
	sig := transact.SignatureOf(raw).String()
	if landed {
		l.mu.Lock()
		l.told[sig] = true
		l.mu.Unlock()
	}
	return reply(r, id, sig)
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// reply returns an answer of JSON-RPC.
func reply(r *http.Request, id json.RawMessage, result any) (*http.Response, error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

// socket opens a websocket that is cut with the link.
func (l *link) socket(r *http.Request) (*http.Response, error) {
	resp, err := l.chain.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if s, ok := resp.Body.(io.ReadWriteCloser); ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.sockets[s] = true
	}
	return resp, nil
}
