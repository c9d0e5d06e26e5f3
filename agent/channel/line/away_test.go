package line

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// mute is a connection that brings no message.
type mute struct{}

func (mute) Read(ctx context.Context) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() }
func (mute) Write(context.Context, []byte) error      { return nil }
func (mute) Close() error                             { return nil }

// TestAway: who waits for a host that is away is told after two seconds, once, and when it is back.
func TestAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, told := time.Now(), make(chan error, 9)
		at := make(chan time.Duration, 9)
		c := Dial(t.Context(), Address{
			Open: func(context.Context) (Conn, error) {
				if time.Since(began) < 30*time.Second {
					return nil, errors.New("nobody is there")
				}
				return mute{}, nil
			},
			Away: func(err error) { at <- time.Since(began); told <- err },
		}, NewName(), time.Minute)
		first, second := <-told, <-told
		if first == nil || second != nil {
			t.Errorf("told %v and then %v", first, second)
		}
		if away, back := <-at, <-at; away < silence || away > silence+time.Second || back < 30*time.Second || len(told) > 0 {
			t.Errorf("told after %s and %s, and %d times more", away, back, len(told))
		}
		c.Close()
	})
}
