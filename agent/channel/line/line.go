// Package line carries the sessions of package channel over connections: websockets to an agent
// host, or other streams of frames. A connection may be lost at any time. The client connects
// again, and the session goes on.
//
// The caller closes each Dialed. One goroutine receives, and several may send.
package line

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"ojud/agent/channel"
)

// errGone is the end of a session whose other side did not come back.
var errGone = errors.New("the other side of the session did not come back")

// errStuck is the end of a connection to a peer that does not read.
var errStuck = errors.New("a frame could not be written in time")

// errReplaced is the end of a connection when a newer one has taken the session.
var errReplaced = errors.New("the session has a newer connection")

const (
	window    = 64               // messages
	smallSend = 4 << 10          // bytes of a message that its sender writes itself
	writeTime = 30 * time.Second // for a frame to be written
	greetTime = 10 * time.Second // for the first frame
)

// Conn is a connection that carries frames of at most channel.MaxFrame bytes. Close ends Read and
// Write.
type Conn interface {
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
	link    *link
	serial  int   // connections so far
	fault   error // why the session is over
	// greeted is called when the first frame comes on a connection, if it is not nil.
	greeted func()

	// Whom a change may concern: the writer, the reader of messages, and those that wait for room.
	writes, reads, rooms bell
}

// link is a connection that a session uses.
type link struct {
	Conn
	ctx     context.Context
	end     context.CancelCauseFunc
	late    *time.Timer // ends it if a frame cannot be written
	writing bool        // somebody writes frames
	spare   []channel.Frame
}

// bell wakes those who wait for a change. The mutex of the side guards it.
type bell struct{ rung chan struct{} }

func (b *bell) ring() {
	if b.rung != nil {
		close(b.rung)
		b.rung = nil
	}
}

func (b *bell) hear() <-chan struct{} {
	if b.rung == nil {
		b.rung = make(chan struct{})
	}
	return b.rung
}

func newLine(name string) *Side { return &Side{session: channel.NewPeerSession(name, window)} }

// step steps the session. The caller holds mu.
func (l *Side) step(e channel.Occurrence) {
	out := l.session.Step(e)
	l.outbox = append(l.outbox, out.Send...)
	if len(out.Send) > 0 && (l.link == nil || !l.link.writing) {
		l.writes.ring()
	}
	if out.Deliver != nil {
		l.inbox = append(l.inbox, out.Deliver)
		l.reads.ring()
	}
	if _, ok := e.(channel.FrameCame); ok { // it may acknowledge messages
		l.rooms.ring()
	}
	if out.Fault != nil && l.fault == nil {
		l.fault = out.Fault
		if !out.Fault.Theirs {
			l.outbox = append(l.outbox, channel.Frame{Bye: &out.Fault.Bye})
		}
		l.wake()
	}
}

// wake wakes all.
func (l *Side) wake() {
	l.writes.ring()
	l.reads.ring()
	l.rooms.ring()
}

// wait waits until ready is true, and looks when the bell rings. Ready is called with mu held.
func (l *Side) wait(ctx context.Context, b *bell, ready func() bool) error {
	for {
		l.mu.Lock()
		if ready() {
			return nil // the caller unlocks
		}
		change := b.hear()
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
	if err := l.wait(ctx, &l.rooms, func() bool { return l.fault != nil || l.session.Room(len(raw)) }); err != nil {
		return err
	}
	defer l.mu.Unlock()
	if l.fault != nil {
		return l.fault
	}
	k := l.link
	direct := k != nil && !k.writing && len(l.outbox) == 0 && len(raw) <= smallSend && l.session.Unheard() < window/2
	if direct {
		k.writing = true // so the writer sleeps
	}
	l.step(channel.Posted{Body: raw})
	if direct {
		l.flush(k)
	}
	return l.fault
}

// Receive returns the next message of the other side. What came before the end of the session is
// still returned.
func (l *Side) Receive(ctx context.Context) (channel.Body, error) {
	if err := l.wait(ctx, &l.reads, func() bool { return l.fault != nil || len(l.inbox) > 0 }); err != nil {
		return channel.Body{}, err
	}
	defer l.mu.Unlock()
	if len(l.inbox) == 0 {
		return channel.Body{}, l.fault
	}
	raw := l.inbox[0]
	l.inbox = slices.Delete(l.inbox, 0, 1)
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
	if err := l.wait(ctx, &l.rooms, func() bool {
		return l.fault != nil || l.session.Unheard() == 0 && len(l.outbox) == 0 && (l.link == nil || !l.link.writing)
	}); err != nil {
		return err
	}
	defer l.mu.Unlock()
	return l.fault
}

// knows says whether a hello is of this session, and not of a client that begins it again.
func (l *Side) knows(h channel.Hello) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session.Knows(h)
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

// Leave ends the session without a word. The other side is not waited for.
func (l *Side) Leave() { l.stop(errGone) }

// stop ends the session without a word.
func (l *Side) stop(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fault == nil {
		l.fault = why
	}
	if l.link != nil {
		l.link.end(why)
	}
	l.wake()
}

// attach carries the session over a connection until it is lost, replaced, or the session is over.
// First is the hello of the other side, if it was read already.
func (l *Side) attach(ctx context.Context, c Conn, first *channel.Frame) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	k := &link{Conn: c, ctx: ctx, end: cancel, late: time.AfterFunc(writeTime, func() { cancel(errStuck) })}
	k.late.Stop()
	defer k.late.Stop()
	closed := sync.OnceValue(c.Close)
	over := context.AfterFunc(ctx, func() { _ = closed() }) // which ends Read and Write
	defer over()
	l.mu.Lock()
	if l.link != nil {
		l.link.end(errReplaced)
	}
	l.link = k
	l.serial++
	l.outbox = nil
	l.step(channel.Linked{})
	if first != nil {
		l.step(channel.FrameCame{Frame: *first})
	}
	l.wake()
	l.mu.Unlock()
	var reader sync.WaitGroup
	reader.Go(func() {
		if err := l.read(k); err != nil {
			cancel(err)
		}
	})
	cancel(l.write(k))
	err := closed()
	reader.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.link == k { // otherwise a newer connection has the session, whatever ended this one
		l.link = nil
		l.outbox = nil
		l.step(channel.Unlinked{})
	}
	return errors.Join(context.Cause(ctx), err)
}

// read gives the session what comes.
func (l *Side) read(k *link) error {
	ctx := k.ctx
	for first := true; ; first = false {
		raw, err := k.Read(ctx)
		if err != nil {
			return err
		}
		f, err := channel.Decode(raw)
		if first && err == nil && l.greeted != nil {
			l.greeted()
		}
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

// write writes the frames of the session that no sender has written.
func (l *Side) write(k *link) error {
	for {
		if err := l.wait(k.ctx, &l.writes, func() bool {
			return k.ctx.Err() != nil || !k.writing && (l.fault != nil || len(l.outbox) > 0)
		}); err != nil {
			return err
		}
		if k.ctx.Err() == nil {
			k.writing = true
			l.flush(k)
		}
		fault := l.fault
		l.mu.Unlock()
		switch {
		case k.ctx.Err() != nil:
			return context.Cause(k.ctx)
		case fault != nil:
			return fault
		}
	}
}

// flush writes the outbox. The caller has set writing and holds mu, which is free meanwhile.
func (l *Side) flush(k *link) {
	for len(l.outbox) > 0 && l.link == k && k.ctx.Err() == nil {
		out := l.outbox
		l.outbox, k.spare = k.spare, nil
		l.mu.Unlock()
		for _, f := range out {
			k.late.Reset(writeTime)
			raw, err := f.Encode()
			if err == nil {
				err = k.Write(k.ctx, raw)
			}
			if err != nil {
				k.end(err)
				break
			}
		}
		k.late.Stop()
		clear(out)
		l.mu.Lock()
		k.spare = out[:0]
	}
	k.writing = false
	l.rooms.ring()
	if l.fault != nil {
		l.writes.ring()
	}
}
