package datasource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/datasource/kind"
	"ojud/voting"
)

// entry is one version of a source, open from its first request until it is retired and unused.
type entry struct {
	Source
	shape    *Shape
	redactor *redactor
	access   []selector
	hash     voting.Hash // of the card
	version  uint64
	turns    chan struct{}
	pace     *pace
	fault    atomic.Pointer[string] // why the last call of the upstream failed; nil: it did not

	mu       sync.Mutex
	upstream kind.Upstream
	users    int
	retired  bool
	idle     chan struct{} // closed when it is retired and unused
}

func newEntry(s Source, version uint64) (*entry, error) {
	e := &entry{Source: s, version: version, turns: make(chan struct{}, s.Limits.Parallel), pace: &pace{rate: s.Limits.MaxRate}, idle: make(chan struct{})}
	card := s.Card()
	var err error
	if e.shape, err = card.compile(); err != nil {
		return nil, err
	}
	if e.redactor, err = s.Redact.compile(); err != nil {
		return nil, err
	}
	if e.access, err = topLevel(s.Terms.Access); err != nil {
		return nil, err
	}
	e.hash, err = card.Hash()
	return e, err
}

// hold keeps the upstream open until release. It returns false if the version is retired.
func (e *entry) hold() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.retired {
		e.users++
	}
	return !e.retired
}

func (e *entry) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.users--; e.users == 0 && e.retired {
		close(e.idle)
	}
}

// retire ends the version, and closes the upstream after the last request under way.
func (e *entry) retire() error {
	e.mu.Lock()
	e.retired = true
	if e.users == 0 {
		close(e.idle)
	}
	e.mu.Unlock()
	<-e.idle
	if e.upstream == nil {
		return nil
	}
	return e.upstream.Close()
}

// open returns the upstream of a held entry. The next call tries again after an error.
func (e *entry) open(open func(Source) (kind.Upstream, error)) (kind.Upstream, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.upstream != nil {
		return e.upstream, nil
	}
	upstream, err := open(e.Source)
	if err != nil {
		return nil, classed(err)
	}
	e.upstream = upstream
	return upstream, nil
}

// turn waits until the upstream may be called. Whoever waits for the rate holds nobody up. The
// caller calls done after its call.
func (e *entry) turn(ctx context.Context, outside bool) (done func(), err error) {
	for {
		select {
		case e.turns <- struct{}{}:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %d other requests are under way", ErrSlow, cap(e.turns))
		}
		if ctx.Err() != nil { // its turn came too late
			<-e.turns
			return nil, fmt.Errorf("%w: %w", ErrSlow, ctx.Err())
		}
		again, ok := e.pace.take(time.Now(), outside)
		if ok {
			return func() { <-e.turns }, nil
		}
		<-e.turns
		if end, bounded := ctx.Deadline(); !bounded || again.Before(end) {
			wait := time.NewTimer(time.Until(again))
			select {
			case <-wait.C:
				continue
			case <-ctx.Done():
				wait.Stop()
			}
		}
		half := ""
		if outside {
			half = ", half of these outside of cases"
		}
		return nil, fmt.Errorf("%w: its owner calls it at most %d times in %d s%s", ErrSlow, e.Limits.MaxRate.Requests, e.Limits.MaxRate.Seconds, half)
	}
}

// fetch asks the upstream and makes an answer from its result.
func (e *entry) fetch(ctx context.Context, upstream kind.Upstream, request json.RawMessage, outside bool) (Answer, error) {
	done, err := e.turn(ctx, outside)
	if err != nil {
		return Answer{}, err
	}
	defer done()
	at := time.Now()
	raw, err := upstream.Answer(ctx, request)
	if err != nil {
		return Answer{}, classed(err)
	}
	body, err := e.give(ctx, raw)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Source: e.Name, Card: e.hash, Body: body, Hash: casefile.HashOf(body), FetchedAt: at}, nil
}

// note keeps whether a call of the upstream failed.
func (e *entry) note(err error) {
	switch {
	case err == nil:
		e.fault.Store(nil)
	case !errors.Is(err, ErrRequest):
		why := Reason(err)
		e.fault.Store(&why)
	}
}

// classed makes sure that an error has a class.
func classed(err error) error {
	if class := kind.ClassOf(err); !errors.Is(err, class) {
		return fmt.Errorf("%w: %w", class, err)
	}
	return err
}

// give checks the upstream's whole answer against the schema, and then removes secret parts.
func (e *entry) give(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) > e.Limits.Bytes {
		return nil, fmt.Errorf("%w: %d bytes; at most %d", ErrLarge, len(raw), e.Limits.Bytes)
	}
	whole, err := canon.JSON(raw, e.Limits.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	doc, err := kind.DecodeJSON(whole)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	if err := satisfies(ctx, e.shape.out, doc, ErrSchema); err != nil {
		return nil, err
	}
	if e.Redact.empty() && len(e.access) == 0 && len(whole) <= MaxAnswer {
		return whole, nil // unchanged: encoding it again would give the same
	}
	if doc, err = e.redactor.apply(doc); err != nil {
		return nil, err
	}
	if len(e.access) > 0 {
		if doc, err = narrow(doc, e.access); err != nil {
			return nil, err
		}
	}
	return canonical(doc)
}
