package line

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
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
	// Away is told once why no connection opens any more, and then nil when one does; nil: nobody.
	Away func(error)
}

// silence is how long connections may fail before Away is told.
const silence = 2 * time.Second

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

// connect keeps a connection until the session is over.
func (c *Dialed) connect(ctx context.Context, to Address, patience time.Duration) error {
	since := time.Now()
	pause := 10 * time.Millisecond
	linked, away := false, false
	for {
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
			pause = 10 * time.Millisecond
			if away {
				away = false
				to.Away(nil)
			}
			err = c.attach(ctx, k, nil)
			since = time.Now()
		case !linked && errors.Is(err, ErrRefused):
			return err
		}
		c.mu.Lock()
		over := c.fault
		c.mu.Unlock()
		if over != nil {
			return over
		}
		if time.Since(since) > patience {
			return fmt.Errorf("%w: %w", errGone, err)
		}
		if !away && to.Away != nil && time.Since(since) > silence {
			away = true
			to.Away(err)
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
