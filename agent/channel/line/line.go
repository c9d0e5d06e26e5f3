// Package line carries the sessions of package channel over connections: websockets to an agent
// host. A connection may be lost at any time. The client connects again, and the session goes on.
//
// The caller closes each Dialed. One goroutine receives, and several may send.
package line

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"ojud/agent/channel"
)

// errGone is the end of a session whose other side did not come back.
var errGone = errors.New("the other side of the session did not come back")

// errReplaced is the end of a connection when a newer one has taken the session.
var errReplaced = errors.New("the session has a newer connection")

const (
	window    = 64               // messages
	writeTime = 30 * time.Second // for a frame to be written
	greetTime = 10 * time.Second // for the first frame
)

// conn is a connection that carries frames.
type conn interface {
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, frame []byte) error
	Close() error
}

// Side is one side of a session.
type Side struct {
	mu      sync.Mutex
	session *channel.PeerSession
	inbox   []json.RawMessage // delivered, not taken; the window bounds it
	outbox  []channel.Frame   // for the present connection
	link    context.CancelCauseFunc
	serial  int           // connections so far
	change  chan struct{} // closed and replaced by each change
	fault   error         // why the session is over
}

func newLine(name string) *Side {
	return &Side{session: channel.NewPeerSession(name, window), change: make(chan struct{})}
}

// step steps the session. The caller holds mu.
func (l *Side) step(e channel.Occurrence) {
	out := l.session.Step(e)
	l.outbox = append(l.outbox, out.Send...)
	if out.Deliver != nil {
		l.inbox = append(l.inbox, out.Deliver)
	}
	if out.Fault != nil && l.fault == nil {
		l.fault = out.Fault
		if !out.Fault.Theirs {
			l.outbox = append(l.outbox, channel.Frame{Bye: &out.Fault.Bye})
		}
	}
	l.wake()
}

func (l *Side) wake() {
	close(l.change)
	l.change = make(chan struct{})
}

// wait waits until ready is true. Ready is called with mu held.
func (l *Side) wait(ctx context.Context, ready func() bool) error {
	for {
		l.mu.Lock()
		if ready() {
			return nil // the caller unlocks
		}
		change := l.change
		l.mu.Unlock()
		select {
		case <-change:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Send sends a message. It waits for room, also while there is no connection.
func (l *Side) Send(ctx context.Context, m channel.Body) error {
	raw, err := m.Encode()
	if err != nil {
		return err
	}
	if err := l.wait(ctx, func() bool { return l.fault != nil || l.session.Room(len(raw)) }); err != nil {
		return err
	}
	defer l.mu.Unlock()
	if l.fault == nil {
		l.step(channel.Posted{Body: raw})
	}
	return l.fault
}

// Receive returns the next message of the other side. What came before the end of the session is
// still returned.
func (l *Side) Receive(ctx context.Context) (channel.Body, error) {
	if err := l.wait(ctx, func() bool { return l.fault != nil || len(l.inbox) > 0 }); err != nil {
		return channel.Body{}, err
	}
	defer l.mu.Unlock()
	if len(l.inbox) == 0 {
		return channel.Body{}, l.fault
	}
	raw := l.inbox[0]
	l.inbox = l.inbox[1:]
	l.step(channel.Taken{})
	m, err := channel.DecodeBody(raw)
	if err != nil {
		l.end(&channel.SessionFault{Bye: channel.Bye{Code: channel.Malformed, Error: err.Error()}})
		return m, l.fault
	}
	return m, nil
}

// Settle acknowledges what was received, and waits until the other side has acknowledged what was
// sent.
func (l *Side) Settle(ctx context.Context) error {
	l.mu.Lock()
	l.step(channel.Settled{})
	l.mu.Unlock()
	if err := l.wait(ctx, func() bool { return l.fault != nil || l.session.Clear() && len(l.outbox) == 0 }); err != nil {
		return err
	}
	defer l.mu.Unlock()
	return l.fault
}

// end ends the session, and tells the other side. The caller holds mu.
func (l *Side) end(f *channel.SessionFault) {
	if l.fault == nil {
		l.fault = f
		bye := f.Bye
		bye.Error = bye.Error[:min(len(bye.Error), 200)]
		l.outbox = append(l.outbox, channel.Frame{Bye: &bye})
		l.wake()
	}
}

// stop ends the session without a word.
func (l *Side) stop(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fault == nil {
		l.fault = why
	}
	if l.link != nil {
		l.link(why)
	}
	l.wake()
}

// attach carries the session over a connection until it is lost, replaced, or the session is over.
// First is the hello of the other side, if it was read already.
func (l *Side) attach(ctx context.Context, c conn, first *channel.Frame) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l.mu.Lock()
	if l.link != nil {
		l.link(errReplaced)
	}
	l.link = cancel
	l.serial++
	mine := l.serial
	l.outbox = nil
	l.step(channel.Linked{})
	if first != nil {
		l.step(channel.FrameCame{Frame: *first})
	}
	l.mu.Unlock()
	var reader sync.WaitGroup
	reader.Go(func() {
		if err := l.read(ctx, c); err != nil {
			cancel(err)
		}
	})
	cancel(l.write(ctx, c))
	err := c.Close()
	reader.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.serial == mine { // otherwise a newer connection has the session, whatever ended this one
		l.link = nil
		l.outbox = nil
		l.step(channel.Unlinked{})
	}
	return errors.Join(context.Cause(ctx), err)
}

// read gives the session what comes.
func (l *Side) read(ctx context.Context, c conn) error {
	for {
		raw, err := c.Read(ctx)
		if err != nil {
			return err
		}
		f, err := channel.Decode(raw)
		l.mu.Lock()
		switch {
		case ctx.Err() != nil: // the session may have a newer connection
		case err != nil:
			l.end(&channel.SessionFault{Bye: channel.Bye{Code: channel.Malformed, Error: err.Error()}})
		case l.fault == nil:
			l.step(channel.FrameCame{Frame: f})
		}
		over := ctx.Err() != nil || l.fault != nil
		l.mu.Unlock()
		if over {
			return context.Cause(ctx) // nil: the writer still says why
		}
	}
}

// write writes what the session has to say.
func (l *Side) write(ctx context.Context, c conn) error {
	for {
		if err := l.wait(ctx, func() bool { return ctx.Err() != nil || l.fault != nil || len(l.outbox) > 0 }); err != nil {
			return err
		}
		if ctx.Err() != nil {
			l.mu.Unlock()
			return context.Cause(ctx)
		}
		out, fault := l.outbox, l.fault
		l.outbox = nil
		l.wake()
		l.mu.Unlock()
		for _, f := range out {
			raw, err := f.Encode()
			if err != nil {
				return err
			}
			if err := c.Write(ctx, raw); err != nil {
				return err
			}
		}
		if fault != nil {
			return fault
		}
	}
}
