package kind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ojud/datasource/exact"
)

// Bounds of what a server may make this client do to get the rest of a lost stream.
const (
	maxRetries = 3  // without an event between them
	maxResumes = 32 // since the last request of this client
)

// errResumes ends a session whose server closes its streams again and again.
var errResumes = fmt.Errorf("the server closed its stream %d times without an answer", maxResumes)

// frame bounds one message. Structured content comes a second time as escaped text.
func (s *server) frame() int { return 3*s.env.MaxBytes + 64<<10 }

// connect opens a session: it starts the program or calls the URL, and does the handshake.
func (s *server) connect(ctx context.Context) (*session, error) {
	out := &session{gone: make(chan struct{})}
	transport, err := s.transport(out)
	if err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "ojud", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	out.client, err = client.Connect(ctx, transport, nil)
	if err == nil {
		return out, nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it did not answer within %s; if it needs longer to start, raise start_seconds (ojud source add --start, at most %ds)", s.patience(), startMost)
	}
	if out.process == nil {
		return nil, fmt.Errorf("%w: %s: the handshake failed: %w", ErrDown, withoutQuery(s.URL), reached(err))
	}
	out.process.stop()
	return nil, fmt.Errorf("%w: %s was started, but the handshake failed: %w; it printed: %s", ErrDown, s.Command, err, out.process.lastWords())
}

func (s *server) transport(out *session) (mcp.Transport, error) {
	if s.Command != "" {
		p, err := launch(s)
		if err != nil {
			return nil, err
		}
		out.process = p
		return &mcp.IOTransport{Reader: p.out, Writer: p.in, MaxLineLength: -1}, nil // p.out bounds lines
	}
	endpoint, err := url.Parse(s.URL)
	if err != nil {
		return nil, fmt.Errorf("%w: url cannot be read", ErrSetup)
	}
	out.bodies = &bodies{next: s.client.Transport, server: s, origin: origin(endpoint)}
	client := &http.Client{Transport: out.bodies, CheckRedirect: s.client.CheckRedirect}
	return &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxRetries: maxRetries, DisableStandaloneSSE: true, MaxEventSize: s.frame()}, nil
}

// bodies adds secrets to requests and bounds answers, for a session over HTTP.
type bodies struct {
	next   http.RoundTripper
	server *server
	origin string
	large  atomic.Bool
	resume atomic.Int32 // times that a stream was asked for again since the last request
}

// RoundTrip adds the owner's headers, but not for another host after a redirect.
func (b *bodies) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		b.resume.Store(0)
	} else if r.Header.Get("Last-Event-Id") != "" && b.resume.Add(1) > maxResumes {
		return nil, errResumes
	}
	if origin(r.URL) == b.origin {
		r = r.Clone(r.Context())
		if err := headers(r.Header, b.server.Headers, b.server.secrets); err != nil {
			return nil, err
		}
	}
	response, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body = &body{exact.NewReader(response.Body, 0, ErrLarge), response.Body, b.server.frame(), b}
	return response, nil
}

// body is a bounded answer whose numbers are kept exact.
type body struct {
	exact io.Reader
	io.Closer
	left int
	of   *bodies
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.exact.Read(p)
	if b.left -= n; b.left < 0 {
		b.of.large.Store(true)
		return 0, errors.Join(ErrLarge, err)
	}
	return n, err
}
