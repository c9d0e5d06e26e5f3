package kind

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is an opened MCP. It has one session at a time. It starts a session if one is needed, and
// a new one after the old one died.
type server struct {
	*MCP
	env     Env
	secrets *secrets
	client  *http.Client // for URL

	life context.Context // ends with Close
	end  context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	session  *session
	starting *attempt
	failures int       // sessions in a row without success
	after    time.Time // no start before
	late     int       // calls in a row that were too slow
}

// attempt is a start under way.
type attempt struct {
	done    chan struct{}
	session *session
	err     error
}

// session is a connection to the server, with the process behind it if there is one.
type session struct {
	client  *mcp.ClientSession
	process *process
	bodies  *bodies
	gone    chan struct{} // closed when the connection has ended
}

func (s *session) large() bool {
	return s.process != nil && s.process.large.Load() || s.bodies != nil && s.bodies.large.Load()
}

const (
	backoffFirst = time.Second
	backoffMost  = time.Minute
	latest       = 3 // calls in a row that are too slow; then the session is closed
)

// backoff is the wait after failures in a row: none after the first, then doubling.
func backoff(failures int) time.Duration {
	if failures < 2 {
		return 0
	}
	return min(backoffMost, backoffFirst<<min(failures-2, 16))
}

// acquire returns or awaits the session. A start goes on without ctx, for the next call.
func (s *server) acquire(ctx context.Context) (*session, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, fmt.Errorf("%w: the source was closed", ErrDown)
	}
	if s.session != nil {
		defer s.mu.Unlock()
		return s.session, nil
	}
	if s.starting == nil {
		if wait := time.Until(s.after); wait > 0 {
			s.mu.Unlock()
			return nil, fmt.Errorf("%w: the server failed; it is started again in %s", ErrDown, wait.Round(time.Second))
		}
		s.starting = &attempt{done: make(chan struct{})}
		s.work.Go(s.start)
	}
	a := s.starting
	s.mu.Unlock()
	select {
	case <-a.done:
		return a.session, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: the server is being started: %w", ErrSlow, ctx.Err())
	}
}

// start makes the attempt that acquire prepared.
func (s *server) start() {
	ctx, cancel := context.WithTimeout(s.life, s.patience())
	defer cancel()
	session, err := s.connect(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.starting
	s.starting = nil
	a.session, a.err = session, err
	close(a.done)
	if err != nil {
		s.failed()
		s.env.Log.Warn("mcp server not started", "tool", s.Tool, "err", s.secrets.mask(bounded(err.Error(), 600)))
		return
	}
	s.work.Go(func() { s.watch(session) })
	if s.closed {
		s.work.Go(func() { s.hangUp(session) })
		return
	}
	s.session, s.late = session, 0
	s.env.Log.Info("mcp server ready", "tool", s.Tool)
}

// failed counts a session without success. The caller holds mu.
func (s *server) failed() {
	s.failures++
	s.after = time.Now().Add(backoff(s.failures))
}

// watch waits until the session ends, by itself or through drop.
func (s *server) watch(session *session) {
	err := session.client.Wait()
	s.drop(session)
	if session.process != nil {
		session.process.stop()
	}
	close(session.gone)
	if s.life.Err() == nil {
		s.env.Log.Warn("mcp server gone", "tool", s.Tool, "err", err)
	}
}

// drop closes a session. Calls that still use it see its end.
func (s *server) drop(session *session) {
	s.mu.Lock()
	current := s.session == session
	if current {
		s.session = nil
		s.failed()
	}
	s.mu.Unlock()
	if current {
		s.work.Go(func() { s.hangUp(session) })
	}
}

// hangUp ends the process first, because closing a connection waits for calls under way.
func (s *server) hangUp(session *session) {
	if session.process != nil {
		session.process.stop()
	}
	if err := session.client.Close(); err != nil {
		s.env.Log.Debug("mcp session closed", "tool", s.Tool, "err", s.secrets.mask(err.Error()))
	}
}

func (s *server) answered(session *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == session {
		s.failures, s.late = 0, 0
	}
}

// slow notes a call that was too slow. After a few in a row the server counts as hanging.
func (s *server) slow(session *session) {
	s.mu.Lock()
	s.late++
	hangs := s.late >= latest && s.session == session
	s.mu.Unlock()
	if hangs {
		s.drop(session)
	}
}

func (s *server) Close() error {
	s.mu.Lock()
	session := s.session
	s.session, s.closed = nil, true
	s.mu.Unlock()
	if session != nil {
		s.hangUp(session)
	}
	s.end()
	s.work.Wait()
	if s.client != nil {
		s.client.CloseIdleConnections()
	}
	return nil
}
