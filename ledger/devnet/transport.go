package devnet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Transport reaches the server without a network: give it to an http.Client and use any URL. A
// request is answered in the caller's goroutine. A websocket's handshake goes through Dial.
func (s *Server) Transport() http.RoundTripper {
	return transport{s.Handler(), &http.Transport{DialContext: s.Dial, DisableKeepAlives: true}}
}

type transport struct {
	handler http.Handler
	socket  *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Upgrade") != "" {
		return t.socket.RoundTrip(r)
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	if r.Body == nil {
		r.Body = http.NoBody
	}
	if r.URL.Path == "" {
		r.URL.Path = "/" // as a client sends it
	}
	w := &recorder{header: http.Header{}, code: http.StatusOK}
	t.handler.ServeHTTP(w, r)
	if err := r.Body.Close(); err != nil {
		return nil, err
	}
	return &http.Response{
		Status: http.StatusText(w.code), StatusCode: w.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// recorder keeps a response.
type recorder struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(code int)        { w.code = code }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }

// Dial connects to the server without a network, for websockets. It has the form of
// http.Transport.DialContext and ignores the address.
func (s *Server) Dial(ctx context.Context, _, _ string) (net.Conn, error) { return s.memory.dial(ctx) }

// memoryListener accepts connections made of pipes.
type memoryListener struct {
	server *http.Server
	conns  chan net.Conn
	done   chan struct{}
	once   sync.Once
	start  sync.Once
	group  sync.WaitGroup
}

var _ net.Listener = (*memoryListener)(nil)

func newMemoryListener(h http.Handler, timeout time.Duration) *memoryListener {
	return &memoryListener{
		server: &http.Server{Handler: h, ReadHeaderTimeout: timeout},
		conns:  make(chan net.Conn), done: make(chan struct{}),
	}
}

var errMemoryClosed = errors.New("devnet: the server is closed")

// dial connects. The first call starts the accept loop.
func (l *memoryListener) dial(ctx context.Context) (net.Conn, error) {
	l.start.Do(func() {
		l.group.Go(func() {
			// Serve returns when the listener is closed, with an error that says so.
			if err := l.server.Serve(l); err != nil {
				return
			}
		})
	})
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
		return nil, errMemoryClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, errMemoryClosed
	}
}

// Close implements net.Listener.
func (l *memoryListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// stop ends the accept loop and the connections that are not websockets.
func (l *memoryListener) stop() error {
	err := errors.Join(l.Close(), l.server.Close())
	l.group.Wait()
	return err
}

// Addr implements net.Listener.
func (l *memoryListener) Addr() net.Addr { return memoryAddr{} }

type memoryAddr struct{}

func (memoryAddr) Network() string { return "memory" }
func (memoryAddr) String() string  { return "devnet" }
