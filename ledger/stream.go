package ledger

import (
	"context"
	"errors"
	"time"

	"ojud/ledger/onchain"
)

// stream gives out transactions: what the websocket tells, and what sweeps find that it did not tell.
type stream struct {
	*Watcher
	seen   *memory
	cursor Cursor
	first  bool   // no sweep was finished yet
	newest uint64 // slot of what was given out
	pass   *pass  // a sweep that was interrupted
	absent map[onchain.Signature]int
	state  condition
}

func newStream(w *Watcher, from Cursor) *stream {
	return &stream{
		Watcher: w, cursor: from, first: from == Cursor{}, seen: newMemory(w.cfg.Remember),
		absent: make(map[onchain.Signature]int), state: condition{log: w.log, what: "listing the program's transactions"},
	}
}

// run sweeps at once, at every kick of the line, and as often as the line's health wants it.
func (s *stream) run(ctx context.Context) error {
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case t := <-s.line.queue:
			s.take(ctx, *t)
			continue
		case <-s.line.kick:
		case <-due.C:
		}
		again, err := s.sweep(ctx)
		if errors.Is(err, ErrOtherChain) {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
		s.state.set(err)
		due.Reset(s.pause(again, err))
	}
}

// pause is the time to the next sweep.
func (s *stream) pause(again bool, err error) time.Duration {
	switch {
	case again:
		return 0
	case err == nil && s.up.Load():
		return s.cfg.Sweep
	}
	return s.cfg.Poll
}

// take gives out what the websocket told, unless a sweep was faster.
func (s *stream) take(ctx context.Context, t told) {
	if s.seen.add(t.Signature) && !t.failed {
		s.give(ctx, t.Occurred, "socket")
	}
}

// give gives out a transaction; it waits until somebody takes it.
func (s *stream) give(ctx context.Context, o Occurred, by string) {
	o.Late, o.Cursor = o.Slot < s.newest, s.cursor
	s.newest = max(s.newest, o.Slot)
	s.metrics.found.WithLabelValues(by).Inc()
	if o.Late {
		s.metrics.late.Inc()
	}
	if !o.Complete {
		s.metrics.blind.Inc()
	}
	select {
	case s.events <- o:
	case <-ctx.Done():
	}
}
