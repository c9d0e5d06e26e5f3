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

// errSilent means that a peer reads our messages no more, or its host is gone
// and the connection does not know yet.
var errSilent = errors.New("no acknowledgement")

// pipe is one outgoing push stream and what is in flight on it. A stream takes
// bytes long after the peer has vanished, so only an acknowledgement counts.
// Its methods may be called on nil, where there is no stream.
type pipe struct {
	h *Host
	s network.Stream

	mu      sync.Mutex
	flight  []parcel
	since   time.Time // when the oldest in flight was sent, or the last was acknowledged
	err     error     // of reading
	changed chan struct{}
}

// newPipe starts reading acknowledgements.
func newPipe(h *Host, s network.Stream) *pipe {
	p := &pipe{h: h, s: s, changed: make(chan struct{}, 1)}
	h.run(p.read)
	return p
}

// read takes acknowledgements until the stream ends.
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
	p.flight = slices.Delete(p.flight, 0, n)
	p.since = time.Now()
	p.h.count.pushSent.Add(uint64(n))
	poke(p.changed)
	return nil
}

func (p *pipe) fail(err error) {
	if errors.Is(err, wire.ErrAck) {
		p.h.badFrame(p.s.Conn().RemotePeer(), err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
	poke(p.changed)
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

// failure returns why the stream is of no more use, or nil.
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

// patience is how long to wait for something to happen on the stream.
func (p *pipe) patience(idle time.Duration) time.Duration {
	if p.inFlight() == 0 {
		return idle
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, time.Until(p.since.Add(p.h.cfg.Push.Timeout)))
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

// close ends the stream and returns what was not acknowledged.
func (p *pipe) close() []parcel {
	reset(p.s)
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.flight
	p.flight = nil
	return left
}
