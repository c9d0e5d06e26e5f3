package exchange_test

import (
	"context"
	"io"
	"sync"

	"ojud/datasource/exchange"
)

// wire is one end of a line in memory.
type wire struct {
	in, out      chan []byte
	mine, theirs chan struct{} // closed with the end
	once         *sync.Once
}

// pipe is a line between two parties. It holds so many frames at once.
func pipe(frames int) (a, b *wire) {
	x, y := make(chan []byte, frames), make(chan []byte, frames)
	p, q := make(chan struct{}), make(chan struct{})
	return &wire{x, y, p, q, &sync.Once{}}, &wire{y, x, q, p, &sync.Once{}}
}

func (w *wire) Send(frame []byte) error {
	select {
	case <-w.mine:
		return io.ErrClosedPipe
	case <-w.theirs:
		return io.ErrClosedPipe
	default:
	}
	select {
	case w.out <- frame:
		return nil
	case <-w.mine:
	case <-w.theirs:
	}
	return io.ErrClosedPipe
}

func (w *wire) Receive(ctx context.Context, most int) ([]byte, error) {
	select {
	case raw := <-w.in: // frames sent before the end come first
		return fits(raw, most)
	default:
	}
	select {
	case raw := <-w.in:
		return fits(raw, most)
	case <-w.mine:
		return nil, io.ErrClosedPipe
	case <-w.theirs:
		select {
		case raw := <-w.in:
			return fits(raw, most)
		default:
			return nil, io.EOF
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func fits(raw []byte, most int) ([]byte, error) {
	if len(raw) > most {
		return nil, exchange.ErrOversized
	}
	return raw, nil
}

func (w *wire) Close() error {
	w.once.Do(func() { close(w.mine) })
	return nil
}

// hang ends lines. Those in memory cannot fail.
func hang(lines ...exchange.Stream) {
	for _, line := range lines {
		if err := line.Close(); err != nil {
			panic(err)
		}
	}
}

// tampered is a line that changes sent frames: one frame becomes none, one or several.
type tampered struct {
	exchange.Stream
	change func(frame []byte) [][]byte
}

func (t tampered) Send(frame []byte) error {
	for _, raw := range t.change(frame) {
		if err := t.Stream.Send(raw); err != nil {
			return err
		}
	}
	return nil
}
