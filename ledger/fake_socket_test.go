package ledger

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"ojud/ledger/onchain"
	"ojud/ledger/rpc"
)

// fakeSocket is a websocket connection to the fake node.
type fakeSocket struct {
	out  chan []byte
	subs map[string]uint64 // method → number
	kill context.CancelFunc
}

// pipes is a network inside of the process, which works on fake time.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error { p.once.Do(func() { close(p.done) }); return nil }

// Addr implements net.Listener.
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// both sends websockets over pipes to a server, and everything else straight to the node.
type both struct {
	node   http.RoundTripper
	socket *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (b both) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Upgrade") != "" {
		return b.socket.RoundTrip(r)
	}
	return b.node.RoundTrip(r)
}

// overPipes serves a handler over pipes until the test ends.
func overPipes(t *testing.T, handler http.Handler, before func()) *http.Transport {
	t.Helper()
	p := newPipes()
	server := &http.Server{Handler: handler}
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(p) }()
	t.Cleanup(func() {
		before()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-stopped
	})
	return &http.Transport{DialContext: p.dial, DisableKeepAlives: true}
}

// withSocket is the node with its websocket.
func (f *fakeNode) withSocket(t *testing.T) http.RoundTripper {
	t.Helper()
	return both{f, overPipes(t, http.HandlerFunc(f.serveSocket), f.hangUp)}
}

func (f *fakeNode) serveSocket(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.calls["dial"]++
	wrong := fault{}
	if f.fault != nil {
		wrong = f.fault("dial", f.calls["dial"])
	}
	f.mu.Unlock()
	if wrong.status != 0 {
		w.WriteHeader(wrong.status)
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := &fakeSocket{out: make(chan []byte, 100_000), subs: make(map[string]uint64), kill: cancel}
	f.mu.Lock()
	f.listeners = append(f.listeners, s)
	f.mu.Unlock()
	done := make(chan struct{})
	go func() { defer close(done); defer cancel(); f.hear(ctx, conn, s) }()
	s.speak(ctx, conn)
	_ = conn.CloseNow()
	<-done
}

func (s *fakeSocket) speak(ctx context.Context, conn *websocket.Conn) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-s.out:
			if conn.Write(ctx, websocket.MessageText, m) != nil {
				return
			}
		}
	}
}

// hear takes subscriptions.
func (f *fakeNode) hear(ctx context.Context, conn *websocket.Conn, s *fakeSocket) {
	for {
		_, body, err := conn.Read(ctx)
		if err != nil {
			return
		}
		var r struct {
			ID     uint64
			Method string
		}
		must(json.Unmarshal(body, &r))
		f.mu.Lock()
		if f.refuse[r.Method] {
			s.say(map[string]any{"jsonrpc": "2.0", "id": r.ID, "error": map[string]any{"code": rpc.CodeNoMethod, "message": "no"}})
		} else {
			s.subs[r.Method] = uint64(len(s.subs) + 1)
			s.say(map[string]any{"jsonrpc": "2.0", "id": r.ID, "result": s.subs[r.Method]})
		}
		f.mu.Unlock()
	}
}

func (s *fakeSocket) say(m any) {
	text, err := json.Marshal(m)
	must(err)
	s.raw(text)
}

func (s *fakeSocket) raw(text []byte) {
	select {
	case s.out <- text:
	default:
	}
}

// notify tells all who subscribed by that method.
func (f *fakeNode) notify(method, name string, result any) {
	if f.mute {
		return
	}
	for _, s := range f.listeners {
		if n := s.subs[method]; n != 0 {
			s.say(map[string]any{"jsonrpc": "2.0", "method": name, "params": map[string]any{"subscription": n, "result": result}})
		}
	}
}

// hangUp breaks all connections.
func (f *fakeNode) hangUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.listeners {
		s.kill()
	}
	f.listeners = nil
}

// tellClock tells of the block that is confirmed now.
func (f *fakeNode) tellClock() {
	f.mu.Lock()
	defer f.mu.Unlock()
	waiting := f.untold
	f.untold = nil
	for _, t := range waiting {
		if f.tell == nil {
			f.notifyLogs(t)
		} else {
			f.tell(t)
		}
	}
	f.notify("accountSubscribe", "accountNotification", f.with(0, jsonAccount(f.clock(0), 0, 0)))
	f.notify("slotSubscribe", "slotNotification", map[string]any{"slot": f.slot})
}

// tellLogs has a transaction told when its slot is confirmed.
func (f *fakeNode) tellLogs(t *fakeTx) { f.untold = append(f.untold, t) }

func (f *fakeNode) notifyLogs(t *fakeTx) {
	f.notify("logsSubscribe", "logsNotification", map[string]any{
		"context": map[string]any{"slot": t.slot},
		"value":   map[string]any{"signature": t.sig, "err": errorOf(t.failure), "logs": t.logs},
	})
}

// happen puts a transaction of the program into the open slot, with events. late: slots until the
// node's index has it.
func (f *fakeNode) happen(n int, late uint64, events ...string) onchain.Signature {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.program.ID().String()
	logs := []string{"Program " + id + " invoke [1]"}
	for _, e := range events {
		logs = append(logs, "Program data: "+e)
	}
	logs = append(logs, "Program "+id+" success")
	sig := onchain.Signature{byte(n >> 16), byte(n >> 8), byte(n), 1}
	keys := append([]onchain.Address{f.program.ID()}, f.naming...)
	f.append(&fakeTx{slot: f.slot, sig: sig, logs: logs, raw: make([]byte, 100), keys: keys, late: late})
	return sig
}
