package exchange

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"ojud/datasource/anex"
)

// machine is either side of anex.
type machine interface {
	Step(anex.Event) ([]anex.Effect, error)
	Next() (at int64, ok bool)
}

// party is what one side does about a conversation.
type party interface {
	// handle does what an effect wants and returns the events that follow. Effects come one after the other, beside the conversation's
	// timers; it returns when ctx ends.
	handle(ctx context.Context, e anex.Effect) []anex.Event
	// refused says what to do instead of an event that the machine did not take; nil is nothing.
	refused(e anex.Event, err error) anex.Event
	// ended is called once, when the machine has ended and its last effects are done, but before its last words are sent.
	ended(e anex.Ended)
}

// drive runs one conversation. All calls of the machine are made by the goroutine that called run; one goroutine reads the line, one
// writes it, one does what effects want. All of them have ended when run returns.
type drive struct {
	line    Stream
	machine machine
	party   party
	longest int           // bytes of a frame that the peer may send
	linger  time.Duration // for the last words
	log     *slog.Logger

	frames chan received
	events chan []anex.Event
	sent   chan error
	outbox chan []byte
	work   chan anex.Effect

	unsent  [][]byte
	todo    []anex.Effect
	writing bool
	busy    bool // an effect is being done
	broken  bool // nothing can be sent any more; what the peer sent before may still say why
	fault   error
	end     *anex.Ended
}

type received struct {
	raw []byte
	err error
}

// ahead is how many frames are read before the machine takes them; the machine bounds what it queues itself.
const ahead = 4

func newDrive(line Stream, m machine, p party, longest int, linger time.Duration, log *slog.Logger) *drive {
	return &drive{line: line, machine: m, party: p, longest: longest, linger: linger, log: log,
		frames: make(chan received, ahead), events: make(chan []anex.Event), sent: make(chan error, 1),
		outbox: make(chan []byte), work: make(chan anex.Effect)}
}

// run has the conversation, from the event first, if there is one, to its end. The end of ctx cancels it.
func (d *drive) run(ctx context.Context, first anex.Event) anex.Ended {
	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	doing, cancel := context.WithCancel(inner)
	var all sync.WaitGroup
	all.Go(func() { d.read(inner) })
	all.Go(func() { d.write(inner) })
	all.Go(func() { d.do(doing, inner) })
	if first != nil {
		d.step(first)
	}
	d.converse(ctx)
	cancel()
	d.finish(func() bool { return !d.busy && len(d.todo) == 0 })
	d.party.ended(*d.end)
	d.finish(func() bool { return !d.writing && len(d.unsent) == 0 })
	stop()
	if err := d.line.Close(); err != nil {
		d.log.Debug("closing a data conversation", "err", err)
	}
	all.Wait()
	return *d.end
}

// converse lets things happen until the machine has ended. While a frame waits to be written no answer is taken: a peer that does not read
// gets no further data, and the machine's timers end it.
func (d *drive) converse(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	stopped := ctx.Done()
	for d.end == nil {
		if at, ok := d.machine.Next(); ok {
			timer.Reset(time.Until(time.UnixMilli(at)))
		}
		events := d.events
		if d.writing || len(d.unsent) > 0 {
			events = nil
		}
		outbox, head := d.next()
		work, effect := d.task()
		select {
		case f := <-d.frames:
			d.take(f)
		case list := <-events:
			d.busy = false
			d.step(list...)
		case outbox <- head:
			d.unsent, d.writing = d.unsent[1:], true
		case err := <-d.sent:
			d.wrote(err)
		case work <- effect:
			d.todo, d.busy = d.todo[1:], true
		case <-timer.C:
			d.step(anex.TimeUp{At: now()})
		case <-stopped:
			stopped = nil
			d.step(anex.Stop{At: now(), Reason: "no longer needed"})
		}
	}
	d.todo = slices.DeleteFunc(d.todo, isQuestion)
}

// isQuestion reports whether nobody waits for what an effect wants once the conversation has ended.
func isQuestion(e anex.Effect) bool {
	switch e.(type) {
	case anex.Told, anex.Deliver, anex.Failed:
		return false
	}
	return true
}

// finish does what is left to do and sends what is left to say, soon.
func (d *drive) finish(done func() bool) {
	timer := time.NewTimer(d.linger)
	defer timer.Stop()
	for !done() {
		outbox, head := d.next()
		work, effect := d.task()
		select {
		case outbox <- head:
			d.unsent, d.writing = d.unsent[1:], true
		case err := <-d.sent:
			d.wrote(err)
		case work <- effect:
			d.todo, d.busy = d.todo[1:], true
		case list := <-d.events:
			d.busy = false
			d.drop(list)
		case <-timer.C:
			return
		}
	}
}

// take takes what the reader got.
func (d *drive) take(f received) {
	if f.err == nil {
		d.step(anex.Received{At: now(), Raw: f.raw})
		return
	}
	if errors.Is(f.err, ErrOversized) {
		d.fault = fmt.Errorf("%w: %w", anex.ErrTooLarge, f.err)
	}
	d.step(anex.Hangup{At: now()})
}

// step steps the machine, and sorts what it wants done.
func (d *drive) step(events ...anex.Event) {
	for len(events) > 0 && d.end == nil {
		e := events[0]
		events = events[1:]
		effects, err := d.machine.Step(e)
		if err != nil {
			d.log.Debug("an answer came to nothing", "event", fmt.Sprintf("%T", e), "err", err)
			events = d.instead(e, err, events)
			continue
		}
		for _, effect := range effects {
			d.sort(effect)
		}
	}
}

// instead is what happens when the machine did not take an event. Without a beginning or an end there would be no Ended.
func (d *drive) instead(e anex.Event, err error, rest []anex.Event) []anex.Event {
	switch e.(type) {
	case anex.Start, anex.Stop:
		d.sort(anex.Ended{Outcome: anex.Broken, Err: err, Fault: anex.Ours})
		return nil
	}
	if other := d.party.refused(e, err); other != nil {
		return append([]anex.Event{other}, rest...)
	}
	return rest
}

func (d *drive) sort(effect anex.Effect) {
	switch e := effect.(type) {
	case anex.Send:
		if !d.broken {
			d.unsent = append(d.unsent, e.Raw)
		}
	case anex.Ended:
		if d.fault != nil {
			e.Err, e.Fault = d.fault, anex.Blame(d.fault)
		}
		d.end = &e
	default:
		d.todo = append(d.todo, effect)
	}
}

func now() int64 { return time.Now().UnixMilli() }

// Stream carries the frames of one conversation with one peer, whose identity the transport has proven. One goroutine sends while
// another receives, and Close, which may be called again, ends both.
type Stream interface {
	// Send sends a frame. It may block while the peer does not read.
	Send(frame []byte) error
	// Receive returns the next frame, and io.EOF when the peer has closed its end. A frame of more than most bytes is not read: then the
	// error is ErrOversized. It returns when ctx ends.
	Receive(ctx context.Context, most int) ([]byte, error)
	// Close gives the line back. What was sent is still delivered if the peer reads it.
	Close() error
}

// The longest frames that each side takes, in bytes: limits for the transport.
const (
	MaxToHolder = anex.MaxMessage
	MaxToAsker  = anex.MaxInform
)

// ErrOversized is what Stream.Receive returns for a frame over its limit: the peer's fault, for the limit is the protocol's.
var ErrOversized = errors.New("exchange: frame is longer than the protocol allows")

// next is the frame that may be handed to the writer; a nil channel if there is none or it is busy.
func (d *drive) next() (chan<- []byte, []byte) {
	if d.writing || len(d.unsent) == 0 {
		return nil, nil
	}
	return d.outbox, d.unsent[0]
}

// task is the same for the effect to be done.
func (d *drive) task() (chan<- anex.Effect, anex.Effect) {
	if d.busy || len(d.todo) == 0 {
		return nil, nil
	}
	return d.work, d.todo[0]
}

// wrote takes the result of a frame. If it cannot be sent, nothing can; what the peer has sent may still say why.
func (d *drive) wrote(err error) {
	d.writing = false
	if err != nil {
		d.log.Debug("sending in a data conversation", "err", err)
		d.unsent, d.broken = nil, true
	}
}

// read reads ahead a few frames.
func (d *drive) read(ctx context.Context) {
	for {
		raw, err := d.line.Receive(ctx, d.longest)
		select {
		case d.frames <- received{raw, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// write writes one frame at a time.
func (d *drive) write(ctx context.Context) {
	for {
		select {
		case raw := <-d.outbox:
			d.sent <- d.line.Send(raw) // there is room: one frame at a time
		case <-ctx.Done():
			return
		}
	}
}

// do does what effects want. Each ends in a list of events, which may be empty.
func (d *drive) do(ctx, inner context.Context) {
	for {
		select {
		case e := <-d.work:
			events := d.party.handle(ctx, e)
			select {
			case d.events <- events:
			case <-inner.Done():
				d.drop(events)
				return
			}
		case <-inner.Done():
			return
		}
	}
}

// drop gives back answers that came when the conversation had ended.
func (d *drive) drop(events []anex.Event) {
	for _, e := range events {
		d.party.refused(e, anex.ErrEnded)
	}
}
