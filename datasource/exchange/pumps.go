package exchange

import (
	"context"

	"ojud/datasource/anex"
)

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
