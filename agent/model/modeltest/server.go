package modeltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// maxRequest bounds the body of a request.
const maxRequest = 4 << 20

// Request is a recorded request.
type Request struct {
	Path   string
	Key    string // the header that has it
	Body   string
	Header http.Header
}

// Server answers /MODE/v1/chat/completions as the mode says. It has two addresses. The second is
// the target of redirects and counts its visitors.
type Server struct {
	server          *http.Server
	home, elsewhere string // hosts
	dial            func(ctx context.Context, network, address string) (net.Conn, error)
	transport       *http.Transport
	work            sync.WaitGroup
	strangers       atomic.Int64
	poured          atomic.Int64

	mu  sync.Mutex
	got map[Mode][]Request
	bad []error
}

// Open starts a server on free ports of this machine.
func Open() (*Server, error) {
	var lc net.ListenConfig
	home, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("modeltest: %w", err)
	}
	elsewhere, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("modeltest: %w", err), home.Close())
	}
	return start(home, elsewhere, (&net.Dialer{}).DialContext), nil
}

// Fly starts a server without sockets. Only its Transport reaches it, so time can be fake.
func Fly() *Server {
	home, elsewhere := newAir("models"), newAir("elsewhere")
	return start(home, elsewhere, func(ctx context.Context, _, address string) (net.Conn, error) {
		if strings.HasPrefix(address, elsewhere.host) {
			return elsewhere.dial(ctx)
		}
		return home.dial(ctx)
	})
}

func start(home, elsewhere net.Listener, dial func(context.Context, string, string) (net.Conn, error)) *Server {
	s := &Server{home: home.Addr().String(), elsewhere: elsewhere.Addr().String(), dial: dial, got: map[Mode][]Request{}}
	s.transport = &http.Transport{DialContext: dial}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	for _, l := range []net.Listener{home, elsewhere} {
		s.work.Go(func() {
			if err := s.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				s.fault(err)
			}
		})
	}
	return s
}

// Close stops the server and all requests. The error has requests that it did not understand.
func (s *Server) Close() error {
	s.transport.CloseIdleConnections()
	err := s.server.Close()
	s.work.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(append(s.bad, err)...)
}

// URL returns the base of the API in a mode.
func (s *Server) URL(m Mode) string { return "http://" + s.home + "/" + string(m) + "/v1" }

// Transport returns a transport to the server.
func (s *Server) Transport() http.RoundTripper { return s.transport }

// Requests returns the requests in a mode.
func (s *Server) Requests(m Mode) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.got[m]...)
}

// Strangers returns the number of requests to the other address.
func (s *Server) Strangers() int { return int(s.strangers.Load()) }

// Poured returns how many bytes of gigabytes were read.
func (s *Server) Poured() int64 { return s.poured.Load() }

func (s *Server) fault(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bad = append(s.bad, err)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Host == s.elsewhere {
		s.strangers.Add(1)
		return
	}
	mode, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return // the client went away
	}
	n := s.note(Mode(mode), Request{Path: r.URL.Path, Key: r.Header.Get("Authorization"), Body: string(body), Header: r.Header})
	q, err := read(body)
	if err != nil || path != "v1/chat/completions" {
		s.fault(fmt.Errorf("modeltest: %s: %w", r.URL.Path, errors.Join(errForm, err)))
		return
	}
	if err := s.behave(Mode(mode), w, r, q, n); err != nil {
		return // the client went away
	}
}

// note records a request and returns the number of earlier ones.
func (s *Server) note(m Mode, r Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got[m] = append(s.got[m], r)
	return len(s.got[m]) - 1
}
