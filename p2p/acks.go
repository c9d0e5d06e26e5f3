package p2p

import (
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"ojud/p2p/wire"
)

// Acknowledgements travel together: they are off the path of the votes, and one
// for each would double the number of packets.
const (
	ackEvery = 32                     // messages, at once
	ackDelay = 250 * time.Millisecond // otherwise
)

// acks acknowledges what a push stream has brought.
type acks struct {
	s       network.Stream
	timeout time.Duration

	mu    sync.Mutex
	owed  int
	timer *time.Timer
}

// owe notes one more message taken.
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

// late sends what is owed. Failing, it ends the stream, which the reader sees.
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
