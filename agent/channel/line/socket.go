package line

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"ojud/agent/channel"
)

// protocol is the subprotocol of websockets.
const protocol = "ojud-channel-1"

// socket is a websocket as a connection. Close ends it; to watch a context in each Read and Write
// costs as much as the frame.
type socket struct{ *websocket.Conn }

func (s socket) Read(ctx context.Context) ([]byte, error) {
	kind, raw, err := s.Conn.Read(context.WithoutCancel(ctx))
	if err == nil && kind != websocket.MessageText {
		return nil, errors.New("a frame is a text")
	}
	return raw, err
}

func (s socket) Write(ctx context.Context, raw []byte) error {
	return s.Conn.Write(context.WithoutCancel(ctx), websocket.MessageText, raw)
}

func (s socket) Close() error { return s.CloseNow() }

// Dialed is the client's side of a session.
type Dialed struct {
	*Side
	end  context.CancelFunc
	done chan struct{}
}

// Address is where an agent is.
type Address struct {
	URL    string // ws://HOST/agents/ID
	Header http.Header
	HTTP   *http.Client
	// Open opens a connection that is no websocket; nil: URL, Header and HTTP say where one is.
	Open func(ctx context.Context) (Conn, error)
	// Find finds the present address before each connection. Without it the address stays the same.
	Find func() (Address, error)
	// Away is told once why no connection opens any more, and then nil when the other side was
	// heard on one; nil: nobody. It does not wait.
	Away func(error)
}

// silence is how long nothing may be heard, without a connection, before Away is told.
const silence = 2 * time.Second

// mostQuiet is how long a connection may bring nothing before another one is tried.
const mostQuiet = 10 * time.Second

// find returns the present address.
func (a Address) find() (Address, error) {
	if a.Find == nil {
		return a, nil
	}
	now, err := a.Find()
	now.Find = a.Find
	return now, err
}

// NewName makes the name of a session, which nobody can guess.
func NewName() string { return rand.Text() }

// Dial begins a session by its name. It connects again for at most patience whenever the connection
// is lost; then the line ends with errGone. A session that exists already goes on only in the
// process that began it.
func Dial(ctx context.Context, to Address, name string, patience time.Duration) *Dialed {
	ctx, cancel := context.WithCancel(ctx)
	c := &Dialed{Side: newLine(name), end: cancel, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		c.stop(c.connect(ctx, to, patience))
	}()
	return c
}

// Close ends the connection. The session is over for this side.
func (c *Dialed) Close() {
	c.end()
	<-c.done
}

// ErrRefused is wrapped by an error of Address.Open that would be the same again.
var ErrRefused = errors.New("the agent host refuses the connection")

// Connect opens a connection.
func (a Address) Connect(ctx context.Context) (Conn, error) {
	if a.Open != nil {
		return a.Open(ctx)
	}
	k, answer, err := websocket.Dial(ctx, a.URL, &websocket.DialOptions{
		HTTPClient: a.HTTP, HTTPHeader: a.Header, Subprotocols: []string{protocol}, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		if refused(answer) && !a.moved() {
			return nil, fmt.Errorf("%w with status %d", ErrRefused, answer.StatusCode)
		}
		return nil, err
	}
	k.SetReadLimit(channel.MaxFrame)
	return socket{k}, nil
}

// absence tells somebody that the other side is away, and that it is back.
type absence struct {
	tell  func(error) // nil: nobody is told
	mu    sync.Mutex
	why   error
	timer *time.Timer // runs since the other side was heard last; nil: it is there
	away  bool
}

// lost says that there is no connection. The other side is away if this does not change soon, even
// if a dial takes longer.
func (a *absence) lost(why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.why = why
	if a.timer == nil && a.tell != nil {
		a.timer = time.AfterFunc(silence, func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			if a.timer != nil && !a.away {
				a.away = true
				a.tell(a.why)
			}
		})
	}
}

// back says that the other side was heard, or that nobody waits for it any more.
func (a *absence) back(over bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
	if a.away && !over {
		a.away = false
		a.tell(nil)
	}
}

// errSilent is why a connection opens that brings nothing, or none does so far.
var errSilent = errors.New("the other side does not answer")

// connect keeps a connection until the session is over. One on which nothing was heard counts for
// nothing: a proxy may open it for a host that is away.
func (c *Dialed) connect(ctx context.Context, to Address, patience time.Duration) error {
	since := time.Now()
	pause := 10 * time.Millisecond
	linked := false
	gone := &absence{tell: to.Away}
	gone.lost(errSilent)
	defer gone.back(true)
	var heard atomic.Bool
	c.greeted = func() {
		heard.Store(true)
		gone.back(false)
	}
	for {
		begun := time.Now()
		at, err := to.find()
		var k Conn
		if err == nil {
			k, err = at.Connect(ctx)
		}
		switch {
		case ctx.Err() != nil:
			if k != nil {
				_ = k.Close()
			}
			return context.Cause(ctx)
		case err == nil:
			linked = true
			heard.Store(false)
			on, cut := context.WithCancelCause(ctx)
			quiet := time.AfterFunc(mostQuiet, func() {
				if !heard.Load() {
					cut(errSilent)
				}
			})
			err = cmp.Or(c.attach(on, k, nil), errSilent)
			quiet.Stop()
			cut(nil)
			if heard.Load() {
				since = time.Now()
				if since.Sub(begun) > time.Second { // else it may greet and shut, again and again
					pause = 10 * time.Millisecond
				}
			}
		case !linked && errors.Is(err, ErrRefused):
			return err
		}
		c.mu.Lock()
		over := c.fault
		c.mu.Unlock()
		if over != nil {
			return over
		}
		gone.lost(err)
		if time.Since(since) > patience {
			return fmt.Errorf("%w: %w", errGone, err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
		pause = min(2*pause, time.Second)
	}
}

// refused says whether a host would give the same answer again.
func refused(answer *http.Response) bool {
	return answer != nil && answer.StatusCode >= 400 && answer.StatusCode < 500 && answer.StatusCode != http.StatusTooManyRequests
}

// moved says whether the agent is somewhere else now, or is known by another word.
func (a Address) moved() bool {
	now, err := a.find()
	return err != nil || now.URL != a.URL || now.Header.Get("Authorization") != a.Header.Get("Authorization")
}
