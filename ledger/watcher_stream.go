package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"ojud/ledger/onchain"
	"ojud/ledger/rpc"
)

// stream sends transactions: those from the websocket, and those that sweeps find.
type stream struct {
	*Watcher
	seen   *memory
	cursor Cursor
	first  bool   // no sweep was finished yet
	newest uint64 // slot of the newest event that was given out
	pass   *pass  // a sweep that was interrupted
	absent map[onchain.Signature]int
	state  rpc.Condition
}

func newStream(w *Watcher, from Cursor) *stream {
	return &stream{
		Watcher: w, cursor: from, first: from == Cursor{}, seen: newMemory(w.cfg.Remember),
		absent: make(map[onchain.Signature]int), state: rpc.Condition{Log: w.log, What: "listing the program's transactions"},
	}
}

// run sweeps at once, at every kick of the feed, and as often as the feed's health wants it.
func (s *stream) run(ctx context.Context) error {
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case t := <-s.feed.queue:
			s.take(ctx, *t)
			continue
		case <-s.feed.kick:
		case <-s.pace.Woken():
		case <-due.C:
		}
		again, err := s.sweep(ctx)
		if errors.Is(err, ErrOtherChain) {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
		s.state.Set(err)
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
	case err == nil:
		return s.pace.Pick(s.cfg.Poll, s.cfg.Sweep)
	}
	return s.cfg.Poll
}

// take gives out a transaction from the websocket, unless a sweep was faster.
func (s *stream) take(ctx context.Context, t notified) {
	if s.seen.add(t.Signature) && !t.failed {
		s.give(ctx, t.Occurred, "socket")
	}
}

// give sends a transaction, and waits for the receiver.
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

// A sweep lists the program's transactions from the newest back to the cursor, and gives out from
// the oldest on those that were not given out before. Memory is bounded: of a list longer than
// Watch.Window only the oldest part is kept, and the next sweep finds the rest. A sweep that is
// interrupted goes on where it was.

// pass is a sweep under way.
type pass struct {
	listing
	next int // which of found, oldest first, is to be given out
}

// listing is a list of signatures in the making, from the newest on.
type listing struct {
	found []listed // the newest first; when the list is whole, the oldest first
	cut   bool     // newer ones were left out
	whole bool
}

// listed is a transaction as getSignaturesForAddress shows it.
type listed struct {
	slot      uint64
	signature onchain.Signature
	time      int64
	index     int64 // in its block; −1: the node does not say
	failed    bool
}

// maxAbsent is how often a node may list a transaction that it then does not have.
const maxAbsent = 3

// sweep does one pass, or the rest of one. again means that more transactions wait.
func (s *stream) sweep(ctx context.Context) (again bool, err error) {
	if s.first {
		return false, s.begin(ctx)
	}
	if s.pass == nil {
		s.pass = &pass{}
	}
	p := s.pass
	if err := s.client.complete(ctx, &p.listing, s.client.program.ID(), s.cursor, s.cfg.Window); err != nil {
		return false, err
	}
	if err := s.giveAll(ctx, p); err != nil {
		return false, err
	}
	s.advance(p)
	s.pass = nil
	return p.cut, nil
}

// begin sets the cursor of a watcher that begins now. It does not send earlier transactions.
func (s *stream) begin(ctx context.Context) error {
	now, err := s.client.Now(ctx)
	if err != nil {
		return err
	}
	page, err := s.client.page(ctx, s.client.program.ID(), onchain.Signature{}, onchain.Signature{})
	if err != nil {
		return err
	}
	for _, l := range page {
		s.seen.add(l.signature)
	}
	s.cursor, s.first = Cursor{Slot: now.Slot}, false
	return nil
}

// giveAll sends the transactions of a pass in its order. It uses those in the websocket's queue
// instead of reading them again.
func (s *stream) giveAll(ctx context.Context, p *pass) error {
	held := s.drain()
	for p.next < len(p.found) {
		part := p.found[p.next:min(p.next+fetchers, len(p.found))]
		got, err := s.fetch(ctx, part, held)
		if err != nil {
			s.release(ctx, held)
			return err
		}
		for i, l := range part {
			delete(s.absent, l.signature)
			if o := got[i]; o != nil && s.seen.add(l.signature) {
				s.reader.hear(*o)
				by := "sweep"
				if _, ok := held[l.signature]; ok {
					by = "socket"
				}
				s.give(ctx, *o, by)
			}
			p.next++
		}
	}
	s.release(ctx, held)
	return ctx.Err()
}

// drain takes all transactions that came by websocket so far.
func (s *stream) drain() map[onchain.Signature]notified {
	held := make(map[onchain.Signature]notified)
	for range len(s.feed.queue) {
		t := <-s.feed.queue
		held[t.Signature] = *t
	}
	return held
}

// release gives out what was drained and is not in the list (yet), in the order of slots.
func (s *stream) release(ctx context.Context, held map[onchain.Signature]notified) {
	rest := make([]notified, 0, len(held))
	for _, t := range held {
		rest = append(rest, t)
	}
	slices.SortFunc(rest, func(a, b notified) int { return int(int64(a.Slot) - int64(b.Slot)) })
	for _, t := range rest {
		s.take(ctx, t)
	}
}

// fetchers is how many transactions are read at once.
const fetchers = 8

// fetch brings the transactions of a part of the list; nil for those that need not be given out.
func (s *stream) fetch(ctx context.Context, part []listed, held map[onchain.Signature]notified) ([]*Occurred, error) {
	got := make([]*Occurred, len(part))
	errs := make([]error, len(part))
	group, ctx := errgroup.WithContext(ctx)
	for i, l := range part {
		if l.failed || s.seen.has(l.signature) {
			continue
		}
		if t, ok := held[l.signature]; ok {
			o := t.Occurred
			o.Time = l.time
			got[i] = &o
			continue
		}
		group.Go(func() error {
			t, err := s.client.recall(ctx, l)
			if errors.Is(err, ErrNotFound) {
				errs[i] = err
				return nil
			}
			if err == nil && !failed(t.failure) {
				o := s.client.occurred(t.slot, t.signature, t.time, t.logs)
				got[i] = &o
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, l := range part {
		if errs[i] == nil {
			continue
		}
		if s.absent[l.signature]++; s.absent[l.signature] < maxAbsent {
			return nil, fmt.Errorf("%w: transaction %s is listed but not there", ErrUnavailable, l.signature)
		}
		// Pruned: its events are lost, the accounts are not.
		got[i] = &Occurred{Slot: l.slot, Signature: l.signature, Time: l.time}
	}
	return got, nil
}

// advance moves the cursor to the newest that nothing can come before any more, or as far as a list
// that was cut goes.
func (s *stream) advance(p *pass) {
	for i := len(p.found) - 1; i >= 0; i-- {
		l := p.found[i]
		if p.cut || l.slot+s.cfg.Overlap <= s.client.Slot() {
			s.cursor = Cursor{Slot: l.slot, Signature: l.signature}
			return
		}
	}
}

// complete makes a listing of the transactions of an address after a cursor whole. It goes on where
// it was.
func (c *Client) complete(ctx context.Context, l *listing, address onchain.Address, after Cursor, window int) error {
	if l.whole {
		return nil
	}
	for !l.whole {
		page, err := c.page(ctx, address, l.last(), after.Signature)
		if err != nil {
			return err
		}
		if len(page) == 0 && len(l.found) > 0 {
			if err := knows(ctx, c, l.last()); err != nil {
				*l = listing{}
				return err
			}
		}
		l.add(page, after.Slot, window)
		l.whole = l.whole || len(page) < c.cfg.Watch.Page
	}
	slices.Reverse(l.found)
	return nil
}

// add appends a page as far as that slot. Of more than a window the newest are left out.
func (l *listing) add(page []listed, after uint64, window int) {
	for _, t := range page {
		if t.slot < after {
			l.whole = true
			break
		}
		l.found = append(l.found, t)
	}
	if over := len(l.found) - window; over > 0 {
		l.found = append(l.found[:0], l.found[over:]...)
		l.cut = true
	}
}

func (l *listing) last() onchain.Signature {
	if n := len(l.found); n > 0 {
		return l.found[n-1].signature
	}
	return onchain.Signature{}
}

// page asks for one page of a list, the newest first.
func (c *Client) page(ctx context.Context, address onchain.Address, before, until onchain.Signature) ([]listed, error) {
	limit := c.cfg.Watch.Page
	options := c.at(c.floor.Load())
	options["limit"] = limit
	if !before.IsZero() {
		options["before"] = before
	}
	if !until.IsZero() {
		options["until"] = until
	}
	var all []*struct {
		Slot      uint64            `json:"slot"`
		Signature onchain.Signature `json:"signature"`
		Err       json.RawMessage   `json:"err"`
		Time      int64             `json:"blockTime"`
		Index     *int64            `json:"transactionIndex"`
	}
	if err := c.call(ctx, "getSignaturesForAddress", []any{address, options}, &all, nil); err != nil {
		return nil, err
	}
	if len(all) > limit {
		return nil, fmt.Errorf("%w: getSignaturesForAddress: %d signatures, %d were asked for", ErrAnswer, len(all), limit)
	}
	page := make([]listed, 0, len(all))
	for _, t := range all {
		if t == nil {
			return nil, fmt.Errorf("%w: getSignaturesForAddress: null", ErrAnswer)
		}
		l := listed{slot: t.Slot, signature: t.Signature, time: t.Time, failed: failed(t.Err), index: -1}
		if t.Index != nil {
			l.index = *t.Index
		}
		page = append(page, l)
	}
	return page, nil
}

// knows makes sure that a node has a transaction: a node that does not know where a page should
// begin gives an empty one, which looks like the end.
func knows(ctx context.Context, c *Client, sig onchain.Signature) error {
	all, _, err := c.statuses(ctx, sig)
	if err != nil {
		return err
	}
	if all[0] == nil {
		return fmt.Errorf("%w: the node no longer knows transaction %s, listing anew", ErrUnavailable, sig)
	}
	return nil
}
