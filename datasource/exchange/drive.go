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

// machine is either side of package anex.
type machine interface {
	Step(anex.Event) ([]anex.Effect, error)
	Next() (at int64, ok bool)
}

// party is one side of a conversation.
type party interface {
	// handle carries out an effect and returns the events that follow. Effects run one after the
	// other, beside the conversation's timers. handle returns when ctx ends.
	handle(ctx context.Context, e anex.Effect) []anex.Event
	// refused returns the event to send in place of one that the machine did not take, or nil.
	refused(e anex.Event, err error) anex.Event
	// ended is called once, after the last effects and before the last messages are sent.
	ended(e anex.Ended)
}

// drive runs one conversation. Only the goroutine that called run calls the machine. One goroutine
// reads the stream, one writes it, and one carries out effects. All of them have ended when run
// returns.
type drive struct {
	line    Stream
	machine machine
	party   party
	longest int           // of a frame of the peer
	linger  time.Duration // for the last messages
	log     *slog.Logger

	frames chan received
	events chan []anex.Event
	sent   chan error
	outbox chan []byte
	work   chan anex.Effect

	unsent  [][]byte
	todo    []anex.Effect
	writing bool
	busy    bool // an effect is under way
	broken  bool // nothing can be sent; frames of the peer may still say why
	fault   error
	end     *anex.Ended
}

type received struct {
	raw []byte
	err error
}

// ahead is how many frames are read in advance. The machine bounds its own queue.
const ahead = 4

func newDrive(line Stream, m machine, p party, longest int, linger time.Duration, log *slog.Logger) *drive {
	return &drive{line: line, machine: m, party: p, longest: longest, linger: linger, log: log,
		frames: make(chan received, ahead), events: make(chan []anex.Event), sent: make(chan error, 1),
		outbox: make(chan []byte), work: make(chan anex.Effect)}
}

// run runs the conversation from the event first, if any, to its end. ctx cancels it.
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

// converse handles frames, timers and effects until the machine has ended. It takes no answer while
// a frame waits to be written, so a peer that does not read gets no further data, and the machine's
// timers end the conversation.
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

// isQuestion reports whether an effect is of no use after the end of the conversation.
func isQuestion(e anex.Effect) bool {
	switch e.(type) {
	case anex.Told, anex.Deliver, anex.Failed:
		return false
	}
	return true
}

// finish carries out remaining effects and sends remaining frames, within the close timeout.
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

// take takes a frame or error of the reader.
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

// step steps the machine and sorts its effects.
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

// instead replaces a refused event. Without a beginning or an end there would be no Ended.
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

// Stream carries the frames of one conversation with one peer. The transport has proven the peer's
// identity. One goroutine sends while another receives. Close ends both, and may be called again.
type Stream interface {
	// Send sends a frame. It may block while the peer does not read.
	Send(frame []byte) error
	// Receive returns the next frame, or io.EOF after the peer has closed its end. It does not read
	// a frame of more than most bytes, and returns ErrOversized. It returns when ctx ends.
	Receive(ctx context.Context, most int) ([]byte, error)
	// Close ends the stream. The peer still receives sent frames if it reads them.
	Close() error
}

// The longest frames that each side takes, in bytes. The transport enforces them too.
const (
	MaxToHolder = anex.MaxMessage
	MaxToAsker  = anex.MaxInform
)

// ErrOversized: the peer sent a frame over the protocol's limit.
var ErrOversized = errors.New("exchange: frame is longer than the protocol allows")

// next returns the frame for the writer. The channel is nil if there is none or the writer is busy.
func (d *drive) next() (chan<- []byte, []byte) {
	if d.writing || len(d.unsent) == 0 {
		return nil, nil
	}
	return d.outbox, d.unsent[0]
}

// task returns the effect to carry out, in the same way.
func (d *drive) task() (chan<- anex.Effect, anex.Effect) {
	if d.busy || len(d.todo) == 0 {
		return nil, nil
	}
	return d.work, d.todo[0]
}

// wrote takes the result of a write. After an error, frames of the peer may still say why.
func (d *drive) wrote(err error) {
	d.writing = false
	if err != nil {
		d.log.Debug("sending in a data conversation", "err", err)
		d.unsent, d.broken = nil, true
	}
}

// read reads a few frames ahead.
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

func (d *drive) write(ctx context.Context) {
	for {
		select {
		case raw := <-d.outbox:
			d.sent <- d.line.Send(raw) // there is room, because one frame is sent at a time
		case <-ctx.Done():
			return
		}
	}
}

// do carries out effects. Each ends in a list of events, which may be empty.
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

// drop discards answers that came after the end of the conversation.
func (d *drive) drop(events []anex.Event) {
	for _, e := range events {
		d.party.refused(e, anex.ErrEnded)
	}
}
