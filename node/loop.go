package node

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"ojud/ledger"
	"ojud/voting"
)

// inbox takes the events for the loop, and has the machine's view. The parts of a node know it
// before the loop exists, because the loop needs the parts that execute effects.
type inbox struct {
	view    atomic.Pointer[voting.View]
	inputs  chan input
	clock   func() int64
	metrics *metrics
}

type input func(at int64) voting.Event

const (
	// maxInputs bounds the events that wait for the loop. Notices that do not fit are dropped;
	// catch-up brings them again.
	maxInputs = 4096
	// maxBatch bounds the events that share one write.
	maxBatch = 64
)

func newInbox(clock func() int64, m *metrics) *inbox {
	return &inbox{inputs: make(chan input, maxInputs), clock: clock, metrics: m}
}

// View returns the machine's knowledge after the last step; nil before the first.
func (b *inbox) View() *voting.View { return b.view.Load() }

// answer hands the loop an event that must not be lost.
func (b *inbox) answer(ctx context.Context, in input) {
	select {
	case b.inputs <- in:
	case <-ctx.Done():
	}
}

// offer hands the loop an event that may be lost.
func (b *inbox) offer(in input) {
	select {
	case b.inputs <- in:
	default:
		b.metrics.dropped.Inc()
	}
}

// batch makes events of an input and of the inputs that wait behind it. In a round 27 votes come at
// once, and a write to disk takes as long for all of them as for one.
func (b *inbox) batch(in input) []voting.Event {
	at := b.clock()
	events := []voting.Event{in(at)}
	for len(events) < maxBatch {
		select {
		case in := <-b.inputs:
			events = append(events, in(at))
		default:
			return events
		}
	}
	return events
}

// loop steps the machine: one goroutine gives it events, and executes its effects in order.
type loop struct {
	*inbox
	machine *voting.Machine // only the loop's goroutine uses it
	execute func(ctx context.Context, effects []voting.Effect) error
	log     *slog.Logger
}

// run steps the machine until ctx ends or an effect fails. It passes each look to learn before the
// machine gets it. From time to time it asks waiting for events for which the machine had no room.
func (l *loop) run(ctx context.Context, looks <-chan ledger.Look, learn func(ledger.Look) error, every time.Duration,
	waiting func() []voting.Event) error {
	again := time.NewTicker(every)
	defer again.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
			err = l.step(ctx, waiting()...)
		case look, ok := <-looks:
			if !ok {
				return nil
			}
			if err = learn(look); err == nil {
				err = l.step(ctx, look.Event())
			}
		case in := <-l.inputs:
			err = l.step(ctx, l.batch(in)...)
		}
		if err != nil {
			return err
		}
	}
}

// step gives the machine events and executes its effects in order. It publishes the view only after
// that: a record that is not on disk yet must not leak through an answer to a peer.
func (l *loop) step(ctx context.Context, events ...voting.Event) error {
	if len(events) == 0 {
		return nil
	}
	var all []voting.Effect
	for _, e := range events {
		effects, err := l.machine.Step(e)
		if err != nil {
			l.metrics.refused.Inc()
			l.log.Warn("event refused", "event", fmt.Sprintf("%T", e), "err", err)
		}
		all = append(all, effects...)
	}
	if err := l.execute(ctx, all); err != nil {
		return err
	}
	l.view.Store(l.machine.View())
	return nil
}
