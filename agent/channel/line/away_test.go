package line

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// one is a connection that brings one frame, and then nothing until its end.
type one chan string

func (c one) Read(ctx context.Context) ([]byte, error) {
	select {
	case frame, more := <-c:
		if !more {
			return nil, io.EOF
		}
		return []byte(frame), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
func (one) Write(context.Context, []byte) error { return nil }
func (one) Close() error                        { return nil }

// TestAway: who waits for a host that is away is told after two seconds, once, and when it is back.
func TestAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, told := time.Now(), make(chan error, 9)
		at := make(chan time.Duration, 9)
		name := NewName()
		c := Dial(t.Context(), Address{
			Open: func(context.Context) (Conn, error) {
				if time.Since(began) < 30*time.Second {
					return nil, errors.New("nobody is there")
				}
				k := make(one, 1)
				k <- fmt.Sprintf(`{"hello":{"version":1,"session":%q,"window":64,"seen":0,"ack":0,"from":1}}`, name)
				return k, nil
			},
			Away: func(err error) { at <- time.Since(began); told <- err },
		}, name, time.Minute)
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

// TestAttackSilentHost: a host whose dials hang, or that opens connections and says nothing, such
// as a proxy before a dead host, is away after two seconds. Its session ends after the patience,
// and it does not get a hundred connections a second.
func TestAttackSilentHost(t *testing.T) {
	for name, open := range map[string]func(context.Context) (Conn, error){
		"hangs": func(context.Context) (Conn, error) {
			<-time.After(10 * time.Second)
			return nil, errors.New("it takes too long")
		},
		"opens and shuts": func(context.Context) (Conn, error) {
			k := make(one)
			close(k)
			return k, nil
		},
		"opens and is silent": func(context.Context) (Conn, error) { return make(one), nil },
	} {
		synctest.Test(t, func(t *testing.T) {
			began, opened, told := time.Now(), 0, []time.Duration{}
			c := Dial(t.Context(), Address{
				Open: func(ctx context.Context) (Conn, error) { opened++; return open(ctx) },
				Away: func(error) { told = append(told, time.Since(began)) },
			}, NewName(), time.Minute)
			defer c.Close()
			_, err := c.Receive(t.Context())
			if took := time.Since(began); !errors.Is(err, errGone) || took > 75*time.Second || opened > 80 || len(told) != 1 || told[0] != silence {
				t.Errorf("%s: %d connections in %s, told %v, %v", name, opened, took, told, err)
			}
		})
	}
}
