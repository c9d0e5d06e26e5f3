package p2p

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

func TestInboxBounds(t *testing.T) {
	b := newInbox[int](3, 100)
	for i, c := range []struct {
		size int
		ok   bool
	}{{60, true}, {50, false}, {40, true}, {1, false}, {0, true}, {0, false}} {
		if got := b.put(i, c.size); got != c.ok {
			t.Errorf("item %d of %d bytes: taken %v, want %v", i, c.size, got, c.ok)
		}
	}
	b.close()
	for _, want := range []int{0, 2, 4} {
		if got, err := b.next(t.Context()); got != want || err != nil {
			t.Errorf("%d, %v, want %d", got, err, want)
		}
	}
	if _, err := b.next(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// TestInboxReaders: with any number of readers no item is lost or given twice.
func TestInboxReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newInbox[int](10000, 10000)
		var mu sync.Mutex
		seen := map[int]int{}
		for range 4 {
			go func() {
				for {
					i, err := b.next(context.Background())
					if err != nil {
						return
					}
					mu.Lock()
					seen[i]++
					mu.Unlock()
				}
			}()
		}
		for i := range 1000 {
			if !b.put(i, 1) {
				t.Fatal("no room")
			}
		}
		synctest.Wait()
		if len(seen) != 1000 {
			t.Errorf("%d of 1000 items came", len(seen))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		b.close()
		if _, err := b.next(ctx); !errors.Is(err, ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// TestLimitersForget: the buckets of peers that went quiet are not kept.
func TestLimitersForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiters(10, 20)
		for i := range 10 * minSweep {
			l.of(peer.ID(rune(i))).Allow()
			time.Sleep(10 * time.Millisecond) // each is full again after 100 ms
		}
		if n := len(l.peers); n > 2*minSweep {
			t.Errorf("%d buckets kept", n)
		}
	})
}
