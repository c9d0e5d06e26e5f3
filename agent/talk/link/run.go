// Package link carries conversations of package talk: over a websocket with TLS and signed tokens,
// and over any other stream of frames whose peer is proven.
package link

import (
	"context"
	"time"

	"ojud/agent/talk"
	"ojud/agent/talk/cbor"
	"ojud/datasource/anex"
)

// Frames is a connection to a peer that is proven, or that speaks plain text.
type Frames interface {
	// Read returns the next frame, of at most anex.MaxInform bytes.
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, frame []byte) error
}

// Packed are frames in CBOR, of a connection on which both sides announced it. A frame that has no
// form in CBOR stays text. One that cannot be read is left as it is: the machine refuses it,
// because it is no text in UTF-8.
type Packed struct{ Frames }

// Read implements Frames.
func (p Packed) Read(ctx context.Context) ([]byte, error) {
	raw, err := p.Frames.Read(ctx)
	if err != nil || !cbor.Is(raw) {
		return raw, err
	}
	if text, err := cbor.Decode(raw, anex.MaxInform); err == nil {
		return text, nil
	}
	return raw, nil
}

// Write implements Frames.
func (p Packed) Write(ctx context.Context, frame []byte) error {
	if raw, ok := cbor.Encode(frame, anex.MaxInform); ok {
		frame = raw
	}
	return p.Frames.Write(ctx, frame)
}

// Owner is who speaks.
type Owner interface {
	// See is called after each move, in order, and returns what the owner says to it. An error
	// means that the machine refused the owner's move, or that it could not be carried out.
	See(m talk.Move, done talk.Done, refused error) []talk.Move
	// Keep stores an agreement, or terms that only this side has signed so far. It is called before
	// the frames of its move are sent, so that no signature leaves that its owner does not have. If
	// it fails, nothing is sent, and the conversation is over.
	Keep(a *talk.Agreement) error
}

// writeTime is how long a peer may take to read one frame.
const writeTime = 30 * time.Second

// Run runs a conversation to its end. Moves of the owner come from See and from moves, which may be
// nil. A peer that does not read makes Run end it. The error is that of ctx.
func Run(ctx context.Context, f Frames, s *talk.Session, o Owner, moves <-chan talk.Move) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	heard := make(chan talk.Move)
	go func() {
		for {
			raw, err := f.Read(ctx)
			m := talk.Move{Kind: talk.Frame, Raw: raw}
			if err != nil {
				m = talk.Move{Kind: talk.Hangup}
			}
			select {
			case heard <- m:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for queue := []talk.Move(nil); ; {
		if len(queue) == 0 {
			at, going := s.Next()
			if !going {
				return nil
			}
			timer.Reset(time.Until(time.UnixMilli(at)))
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-timer.C:
				queue = append(queue, talk.Move{Kind: talk.Clock})
			case m := <-heard:
				queue = append(queue, m)
			case m, ok := <-moves:
				if !ok {
					moves = nil
					continue
				}
				queue = append(queue, m)
			}
		}
		m := queue[0]
		queue = queue[1:]
		m.At = time.Now().UnixMilli()
		done, refused := s.Step(m)
		for _, a := range []*talk.Agreement{done.Signed, done.Agreed} {
			if a == nil {
				continue
			}
			if err := o.Keep(a); err != nil {
				queue = append(queue[:0], talk.Move{Kind: talk.Hangup})
				done, refused = talk.Done{}, err
				break // and nothing is sent
			}
		}
		for _, frame := range done.Send {
			if err := write(ctx, f, frame); err != nil {
				queue = append(queue, talk.Move{Kind: talk.Hangup})
				break
			}
		}
		queue = append(queue, o.See(m, done, refused)...)
	}
}

func write(ctx context.Context, f Frames, frame []byte) error {
	ctx, stop := context.WithTimeout(ctx, writeTime)
	defer stop()
	return f.Write(ctx, frame)
}
