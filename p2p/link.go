package p2p

import (
	"slices"
	"sync"
	"time"
)

// pushBatch is how much is written to a stream at once, in bytes.
const pushBatch = 64 << 10

// parcel is a frame on its way. The frame is shared by all links it goes to.
type parcel struct {
	frame []byte
	until time.Time
	again bool // a copy of one in flight (pipe.nudge); it never waits in a queue
}

// link sends the messages of one protocol to one peer, oldest first, over one
// stream. A message leaves it when the peer has acknowledged it, when it is too
// old, or when there is no room. Its goroutine lives until it has been idle for a
// while.
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

	// Of the goroutine alone.
	pipe   *pipe // nil while there is no stream
	opened bool
	retry  time.Duration
}

func newLink(h *Host, key linkKey) *link {
	return &link{h: h, key: key, more: make(chan struct{}, 1), up: make(chan struct{}, 1), retry: retryFirst}
}

// put queues a parcel and sees that the goroutine runs. It reports false if the
// link has ended.
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
	poke(l.more)
	return true
}

// fit throws the oldest overboard until the queue is within its bounds.
func (l *link) fit() {
	n, bytes := 0, l.bytes
	for len(l.queue)-n > l.h.cfg.Push.Queue || bytes > l.h.cfg.Push.QueueBytes {
		bytes -= len(l.queue[n].frame)
		n++
	}
	l.cut(n)
	l.h.count.dropPushFull.Add(uint64(n))
}

// cut removes the n oldest.
func (l *link) cut(n int) []parcel {
	out := slices.Clone(l.queue[:n])
	for _, p := range out {
		l.bytes -= len(p.frame)
	}
	l.queue = slices.Delete(l.queue, 0, n)
	return out
}

// take removes the oldest parcels that fit in one write, at most room of them,
// after those that are too old.
func (l *link) take(room int) []parcel {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, late := time.Now(), 0
	for late < len(l.queue) && now.After(l.queue[late].until) {
		late++
	}
	l.cut(late)
	l.h.count.dropPushExpired.Add(uint64(late))
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

// end marks the link as ended if nothing is queued. The pusher holds its lock,
// so that no other link can take its place before.
func (l *link) end() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = len(l.queue) == 0
	return l.ended
}
