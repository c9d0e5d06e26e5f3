package line

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"ojud/agent/channel"
)

// Hall has the sessions of a server. Wait waits for their ends.
type Hall struct {
	life     context.Context
	most     int
	patience time.Duration // for a client to come back
	wait     sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*session
}

// session is a session with the caller who began it.
type session struct {
	*Side
	owner string
	timer *time.Timer // runs while there is no connection
	links int
}

// NewHall makes a hall for so many sessions, which end with ctx.
func NewHall(ctx context.Context, most int, patience time.Duration) *Hall {
	return &Hall{life: ctx, most: most, patience: patience, sessions: map[string]*session{}}
}

// Wait waits until all sessions are over.
func (h *Hall) Wait() { h.wait.Wait() }

// Serve serves a websocket of a caller, as Take says.
func (h *Hall) Serve(w http.ResponseWriter, r *http.Request, owner string, begin func(ctx context.Context, name string, l *Side), known func(fresh bool)) error {
	k, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{protocol}, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return err
	}
	k.SetReadLimit(channel.MaxFrame)
	return h.Take(socket{k}, owner, begin, known)
}

// Take serves a connection of a caller until it ends, and closes it. Owner names the caller and
// what the caller asks for: only the same owner can go on with a session. For a new session it
// calls begin in a goroutine, which ends the session when it returns. Known is called when there is
// a session, before it uses the connection, with whether it is a new one; it may be nil.
func (h *Hall) Take(c Conn, owner string, begin func(ctx context.Context, name string, l *Side), known func(fresh bool)) error {
	ctx, cancel := context.WithCancel(h.life)
	defer cancel()
	first, err := greeting(ctx, c)
	if err != nil {
		return errors.Join(dismiss(ctx, c, channel.Malformed, "the first frame is no hello"), err)
	}
	s, fresh, code := h.enter(*first.Hello, owner, begin)
	if code == "" && known != nil {
		known(fresh)
	}
	if code != "" {
		return errors.Join(dismiss(ctx, c, code, "there is no such session, or no room for it"), fmt.Errorf("a session is refused: %s", code))
	}
	defer h.leave(s)
	return s.attach(ctx, c, &first)
}

// greeting reads the hello of a client.
func greeting(ctx context.Context, c Conn) (f channel.Frame, err error) {
	ctx, cancel := context.WithTimeout(ctx, greetTime)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	raw, err := c.Read(ctx)
	if err != nil {
		return f, err
	}
	if f, err = channel.Decode(raw); err == nil && f.Hello == nil {
		err = errors.New("no hello")
	}
	return f, err
}

// dismiss says why a connection is not taken.
func dismiss(ctx context.Context, c Conn, code, why string) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	raw, err := channel.Frame{Bye: &channel.Bye{Code: code, Error: why}}.Encode()
	if err == nil {
		err = c.Write(ctx, raw)
	}
	return errors.Join(err, c.Close())
}

// enter finds or begins a session for a connection, or returns the code of a refusal.
func (h *Hall) enter(hello channel.Hello, owner string, begin func(context.Context, string, *Side)) (s *session, fresh bool, code string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s = h.sessions[hello.Session]
	switch {
	case h.life.Err() != nil:
		return nil, false, channel.Crowded
	case s != nil && (s.owner != owner || !s.knows(hello)): // the session is left alone
		return nil, false, channel.Gone
	case s == nil && (hello.From != 1 || hello.Seen != 0):
		return nil, false, channel.Gone // it is a session of another host, or one that is over
	case s == nil && len(h.sessions) >= h.most:
		return nil, false, channel.Crowded
	case s == nil:
		fresh = true
		s = &session{Side: newLine(hello.Session), owner: owner}
		s.timer = time.AfterFunc(h.patience, func() { s.stop(errGone) })
		h.sessions[hello.Session] = s
		h.wait.Go(func() { h.run(s, hello.Session, begin) })
	}
	s.timer.Stop()
	s.links++
	return s, fresh, ""
}

// leave begins to wait for a client whose connection is lost.
func (h *Hall) leave(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.links--; s.links == 0 {
		s.timer.Reset(h.patience)
	}
}

// run runs a session. It is kept until its client has acknowledged its end.
func (h *Hall) run(s *session, name string, begin func(context.Context, string, *Side)) {
	ctx, cancel := context.WithCancel(h.life)
	defer cancel()
	begin(ctx, name, s.Side)
	settle, stop := context.WithTimeout(ctx, h.patience)
	defer stop()
	over := "everything was said"
	if err := s.Settle(settle); err != nil {
		over = fmt.Sprint("the end of the call was not taken: ", err)
	}
	h.mu.Lock()
	delete(h.sessions, name)
	s.timer.Stop()
	h.mu.Unlock()
	s.mu.Lock()
	s.end(&channel.SessionFault{Bye: channel.Bye{Code: channel.Ended, Error: over}})
	s.mu.Unlock()
}
