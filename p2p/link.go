package p2p

import (
	"context"
	"slices"
	"sync"
	"time"
)

const pushBatch = 64 << 10

// parcel is a frame on its way. The frame is shared by all links it goes to.
type parcel struct {
	frame []byte
	until time.Time
	again bool // a copy of one in flight (pipe.resend); it never waits in a queue
}

// link sends the messages of one protocol to one peer, oldest first, over one stream. A message
// leaves it if the peer has acknowledged it, if it is too old, or if there is no room. Its
// goroutine ends after it has been idle for a while.
type link struct {
	h    *Host
	key  linkKey
	more chan struct{} // something was queued
	up   chan struct{} // the peer connected

	mu      sync.Mutex
	queue   []parcel
	bytes   int
	running bool
	ended   bool

	// Used by the goroutine alone.
	pipe   *pipe // nil while there is no stream
	opened bool
	retry  time.Duration
}

func newLink(h *Host, key linkKey) *link {
	return &link{h: h, key: key, more: make(chan struct{}, 1), up: make(chan struct{}, 1), retry: retryFirst}
}

// put queues a parcel and starts the goroutine if needed. It reports false if the link has ended.
func (l *link) put(p parcel) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return false
	}
	l.queue = append(l.queue, p)
	l.bytes += len(p.frame)
	l.fit()
	if !l.running {
		l.running = true
		l.h.run(l.loop)
	}
	signal(l.more)
	return true
}

// fit drops the oldest until the queue is within its bounds.
func (l *link) fit() {
	n, bytes := 0, l.bytes
	for len(l.queue)-n > l.h.cfg.Push.Queue || bytes > l.h.cfg.Push.QueueBytes {
		bytes -= len(l.queue[n].frame)
		n++
	}
	l.cut(n)
	l.h.count.dropped.pushFull.Add(uint64(n))
}

func (l *link) cut(n int) []parcel {
	out := slices.Clone(l.queue[:n])
	for _, p := range out {
		l.bytes -= len(p.frame)
	}
	l.queue = slices.Delete(l.queue, 0, n)
	return out
}

// take removes the expired parcels, and then the oldest that fit in one write, at most room of
// them.
func (l *link) take(room int) []parcel {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, late := time.Now(), 0
	for late < len(l.queue) && now.After(l.queue[late].until) {
		late++
	}
	l.cut(late)
	l.h.count.dropped.pushExpired.Add(uint64(late))
	n, size := 0, 0
	for n < min(room, len(l.queue)) && (n == 0 || size+len(l.queue[n].frame) <= pushBatch) {
		size += len(l.queue[n].frame)
		n++
	}
	return l.cut(n)
}

// putBack returns parcels that are not acknowledged to the front.
func (l *link) putBack(batch []parcel) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = slices.Insert(l.queue, 0, batch...)
	for _, p := range batch {
		l.bytes += len(p.frame)
	}
	l.fit()
}

// end marks the link as ended if nothing is queued. The pusher holds its lock meanwhile, so that no
// other link can take its place too early.
func (l *link) end() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = len(l.queue) == 0
	return l.ended
}

// Delays after a failure: the first, doubling to the last.
const (
	retryFirst = 250 * time.Millisecond
	retryLast  = 5 * time.Second
)

// loop sends until there has been nothing to send for Push.Idle.
func (l *link) loop(ctx context.Context) {
	defer l.hangUp()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		if err := l.pipe.failure(time.Now()); err != nil {
			l.fail(ctx, err)
			continue
		}
		if batch := l.take(l.h.cfg.Push.Queue - l.pipe.inFlight()); len(batch) > 0 {
			if err := l.send(ctx, batch); err != nil {
				l.fail(ctx, err)
			}
			continue
		}
		if err := l.pipe.revive(time.Now()); err != nil {
			l.fail(ctx, err)
			continue
		}
		if l.rest(ctx, timer) {
			return
		}
	}
}

// rest waits for work, and reports whether the link has ended.
func (l *link) rest(ctx context.Context, timer *time.Timer) bool {
	timer.Reset(l.pipe.patience(l.h.cfg.Push.Idle))
	select {
	case <-ctx.Done():
	case <-l.more:
	case <-l.pipe.changes():
	case <-timer.C:
		return l.pipe.inFlight() == 0 && l.h.pusher.retire(l)
	}
	return false
}

// send writes a batch, over a new stream if there is none. Afterwards the batch is in flight, or
// back in the queue.
func (l *link) send(ctx context.Context, batch []parcel) error {
	if l.pipe == nil {
		if err := l.dial(ctx); err != nil {
			l.putBack(batch)
			return err
		}
	}
	return l.pipe.write(batch)
}

func (l *link) dial(ctx context.Context) error {
	if l.h.book.banned(l.key.to) {
		return errBanned
	}
	ctx, cancel := context.WithTimeout(ctx, l.h.cfg.Push.Timeout)
	defer cancel()
	s, err := l.h.net.NewStream(ctx, l.key.to, l.key.proto)
	if err != nil {
		return err
	}
	if l.opened {
		l.h.count.push.reopened.Add(1)
	}
	l.opened, l.retry = true, retryFirst
	l.pipe = newPipe(l.h, s)
	return nil
}

// fail closes the stream. If parcels wait to be sent again, it pauses first.
func (l *link) fail(ctx context.Context, err error) {
	l.h.log.Debug("pushing to a peer", "peer", l.key.to, "protocol", l.key.proto, "error", err)
	if !l.hangUp() {
		return
	}
	timer := time.NewTimer(l.retry)
	defer timer.Stop()
	l.retry = min(2*l.retry, retryLast)
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-l.up:
	}
}

// hangUp ends the stream, queues the unacknowledged parcels again, and reports whether anything is
// queued.
func (l *link) hangUp() bool {
	if l.pipe != nil {
		l.putBack(l.pipe.close())
		l.pipe = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) > 0
}
