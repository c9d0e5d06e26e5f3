package p2p

import (
	"context"
	"time"
)

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

// rest waits for something to do, and reports whether the link has ended.
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

// send writes a batch, over a new stream if there is none. The batch is in
// flight from then on, or back in the queue.
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
		l.h.count.pushReopened.Add(1)
	}
	l.opened, l.retry = true, retryFirst
	l.pipe = newPipe(l.h, s)
	return nil
}

// fail gives up the stream. If something waits to be sent again it pauses first.
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

// hangUp ends the stream, puts what was not acknowledged back in the queue, and
// reports whether anything is queued.
func (l *link) hangUp() bool {
	if l.pipe != nil {
		l.putBack(l.pipe.close())
		l.pipe = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) > 0
}
