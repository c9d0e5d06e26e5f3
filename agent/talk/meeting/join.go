package meeting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ojud/agent/delegation"
	"ojud/datasource/anex"
)

// Move makes what a member says, when it may look at the minutes.
type Move func(*Minutes) (anex.Message, error)

// Join takes part in the meeting of a proven convener, to its end. It introduces the member, and
// says what comes from moves. All calls of owner come from one goroutine. An error is the fault of
// the convener, or the reason why the member was removed.
func Join(ctx context.Context, f Frames, key delegation.Signer, convener, introduction string, owner Owner, moves <-chan Move) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	frames, hangup := make(chan []byte), make(chan error, 1)
	go func() {
		for {
			raw, err := f.Read(ctx)
			if err != nil {
				hangup <- err
				return
			}
			select {
			case frames <- raw:
			case <-ctx.Done():
				return
			}
		}
	}()
	m, self := newMinutes(convener), key.Principal().String()
	say := func(x anex.Message) error {
		raw, err := m.Say(key, x)
		if err != nil {
			owner.Refused(err)
			return nil
		}
		within, stop := context.WithTimeout(ctx, writeTime)
		defer stop()
		return f.Write(within, raw)
	}
	carried := time.NewTimer(carryTime) // runs while something is not carried
	over := time.NewTimer(carryTime)    // until the meeting began, and then until it is over
	defer carried.Stop()
	defer over.Stop()
	for waits := true; ; {
		if m.Waits() != waits {
			if waits = m.Waits(); waits {
				carried.Reset(carryTime)
			} else {
				carried.Stop()
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-hangup:
			return fmt.Errorf("%w: %w", errHangup, err)
		case <-carried.C:
			return fmt.Errorf("%w: a remark of ours was not carried in %s", errChain, carryTime)
		case <-over.C:
			return fmt.Errorf("%w: the convener did not begin, or did not end, in time", errRule)
		case move := <-moves:
			x, err := move(m)
			if err != nil {
				owner.Refused(err)
			} else if err := say(x); err != nil {
				return fmt.Errorf("%w: %w", errHangup, err)
			}
		case raw := <-frames:
			h, err := m.Add(raw, time.Now().UnixMilli(), self)
			if err == nil {
				err = owner.Entry(raw, h)
			}
			if err != nil {
				return err
			}
			switch {
			case h.What == Opened:
				if m.members[self] == nil {
					return errors.New("meeting: we are not invited")
				}
				over.Reset(time.Until(time.UnixMilli(m.Until()).Add(slack)))
				content, err := json.Marshal(map[string]string{"message": introduction})
				if err == nil {
					err = say(anex.Message{Performative: anex.ActRequest, Protocol: anex.Handshaking, Content: content})
				}
				if err != nil {
					return err
				}
			case h.What == Closed, h.What == Left && h.From == self:
				return nil
			case h.What == Removed && h.Member == self:
				return fmt.Errorf("meeting: the convener removed us: %.300q", h.Message.Content)
			}
		}
	}
}
