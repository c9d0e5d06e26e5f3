package p2p

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"ojud/p2p/wire"
)

// errSilent means that a peer no longer reads our messages, or its host is gone and the connection
// does not know yet.
var errSilent = errors.New("no acknowledgement")

// resendEvery is how long a peer may be silent before a message is sent to it again. After a cut
// shorter than the transport's idle time nothing else makes the transport try: it doubles its pause
// during the cut, and could wait as long again as the cut lasted.
const resendEvery = 2 * time.Second

// errStale means that the peer has dialled us again and is silent on its older connection: it
// closed that one, and our side does not know yet.
var errStale = errors.New("the peer has a newer connection")

// staleAfter is how long a peer that has a newer connection may be silent on the older one.
// Acknowledgements take ackDelay and a round trip.
const staleAfter = time.Second

// pipe is one outgoing push stream and the messages in flight on it. A stream accepts bytes long
// after the peer has vanished, so only an acknowledgement counts. Its methods may be called on nil
// if there is no stream.
type pipe struct {
	h *Host
	s network.Stream

	mu      sync.Mutex
	flight  []parcel
	since   time.Time // when the oldest in flight was sent, or the last was acknowledged
	resent  time.Time // when one of them was last sent again
	err     error     // of reading
	changed chan struct{}
}

func newPipe(h *Host, s network.Stream) *pipe {
	p := &pipe{h: h, s: s, changed: make(chan struct{}, 1)}
	h.run(p.read)
	return p
}

func (p *pipe) read(context.Context) {
	r := bufio.NewReaderSize(p.s, 16)
	for {
		n, err := wire.ReadAck(r)
		if err == nil {
			err = p.acknowledge(n)
		}
		if err != nil {
			p.fail(err)
			return
		}
	}
}

func (p *pipe) acknowledge(n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n > len(p.flight) {
		return fmt.Errorf("%w: %d messages of %d", wire.ErrAck, n, len(p.flight))
	}
	p.h.count.push.sent.Add(uint64(len(slices.DeleteFunc(slices.Clone(p.flight[:n]), parcel.copied))))
	p.flight = slices.Delete(p.flight, 0, n)
	p.since = time.Now()
	signal(p.changed)
	return nil
}

func (p *pipe) fail(err error) {
	if errors.Is(err, wire.ErrAck) {
		p.h.badFrame(p.s.Conn().RemotePeer(), err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
	signal(p.changed)
}

// write sends a batch, which is in flight from then on even if that fails.
func (p *pipe) write(batch []parcel) error {
	p.mu.Lock()
	if len(p.flight) == 0 {
		p.since = time.Now()
	}
	p.flight = append(p.flight, batch...)
	p.mu.Unlock()
	if err := p.s.SetWriteDeadline(time.Now().Add(p.h.cfg.Push.Timeout)); err != nil {
		return err
	}
	_, err := p.s.Write(joined(batch))
	return err
}

// resend sends the smallest message in flight again if it is time. A message may come twice, and
// its acknowledgements count.
func (p *pipe) resend(now time.Time) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	if now.Before(p.nextResend()) || len(p.flight) == 0 {
		p.mu.Unlock()
		return nil
	}
	least := slices.MinFunc(p.flight, func(a, b parcel) int { return len(a.frame) - len(b.frame) })
	p.resent, least.again = now, true
	p.mu.Unlock()
	return p.write([]parcel{least})
}

func (p parcel) copied() bool { return p.again }

func (p *pipe) nextResend() time.Time {
	if p.resent.After(p.since) {
		return p.resent.Add(resendEvery)
	}
	return p.since.Add(resendEvery)
}

func joined(batch []parcel) []byte {
	if len(batch) == 1 {
		return batch[0].frame
	}
	var out []byte
	for _, p := range batch {
		out = append(out, p.frame...)
	}
	return out
}

// failure returns why the stream is no longer usable, or nil.
func (p *pipe) failure(now time.Time) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil && len(p.flight) > 0 && now.Sub(p.since) >= p.h.cfg.Push.Timeout {
		return errSilent
	}
	return p.err
}

// revive tries to restore a stream whose peer is silent.
func (p *pipe) revive(now time.Time) error {
	if err := p.stale(now); err != nil {
		return err
	}
	return p.resend(now)
}

// stale closes the connection below a silent stream if the peer has opened a newer one meanwhile.
// After a cut in one direction only one side notices that the link is dead. The other would write
// to it, and open streams on it, for half a minute more.
func (p *pipe) stale(now time.Time) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	since, silent := p.since, len(p.flight) > 0 && now.Sub(p.since) >= staleAfter
	p.mu.Unlock()
	old := p.s.Conn()
	if !silent || !slices.ContainsFunc(p.h.net.Network().ConnsToPeer(old.RemotePeer()), func(c network.Conn) bool {
		return c.ID() != old.ID() && c.Stat().Opened.After(since)
	}) {
		return nil
	}
	return errors.Join(errStale, old.Close())
}

// patience returns how long to wait for an event on the stream.
func (p *pipe) patience(idle time.Duration) time.Duration {
	if p.inFlight() == 0 {
		return idle
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, min(time.Until(p.since.Add(p.h.cfg.Push.Timeout)), time.Until(p.nextResend())))
}

func (p *pipe) inFlight() int {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.flight)
}

func (p *pipe) changes() <-chan struct{} {
	if p == nil {
		return nil
	}
	return p.changed
}

// close ends the stream and returns the messages that were not acknowledged.
func (p *pipe) close() []parcel {
	reset(p.s)
	p.mu.Lock()
	defer p.mu.Unlock()
	left := slices.DeleteFunc(p.flight, parcel.copied)
	p.flight = nil
	return left
}

// Acknowledgements are sent together. Votes do not wait for them, and one for each message would
// double the number of packets.
const (
	ackEvery = 32                     // messages, at once
	ackDelay = 250 * time.Millisecond // otherwise
)

type acks struct {
	s       network.Stream
	timeout time.Duration

	mu    sync.Mutex
	owed  int
	timer *time.Timer
}

func (a *acks) owe() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.owed++
	switch {
	case a.owed >= ackEvery:
		return a.flush()
	case a.owed > 1: // the timer runs
	case a.timer == nil:
		a.timer = time.AfterFunc(ackDelay, a.late)
	default:
		a.timer.Reset(ackDelay)
	}
	return nil
}

// late sends the acknowledgements due. If that fails, it ends the stream, and the reader sees that.
func (a *acks) late() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.flush() != nil {
		reset(a.s)
	}
}

func (a *acks) flush() error {
	if a.owed == 0 {
		return nil
	}
	if err := a.s.SetWriteDeadline(time.Now().Add(a.timeout)); err != nil {
		return err
	}
	_, err := a.s.Write(wire.AppendAck(nil, a.owed))
	a.owed = 0
	return err
}

func (a *acks) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.owed = 0
	if a.timer != nil {
		a.timer.Stop()
	}
}
