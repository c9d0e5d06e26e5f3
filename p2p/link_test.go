package p2p

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// idleLink is a link whose goroutine never runs.
func idleLink(queue, bytes int) *link {
	h := &Host{count: &counters{}, cfg: Config{Push: Push{Queue: queue, QueueBytes: bytes}}}
	l := newLink(h, linkKey{})
	l.running = true
	return l
}

func texts(batch []parcel) string {
	out := ""
	for _, p := range batch {
		out += string(p.frame) + " "
	}
	return out
}

// TestLinkOrder: the oldest message is sent first and dropped first, and unacknowledged messages go
// to the front again.
func TestLinkOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := idleLink(4, 1000)
		send := func(names ...string) {
			for _, n := range names {
				if !l.put(parcel{frame: []byte(n), until: time.Now().Add(time.Minute)}) {
					t.Fatal("the link has ended")
				}
			}
		}
		send("a", "b", "c", "d", "e")
		if got := texts(l.take(2)); got != "b c " || l.h.count.dropped.pushFull.Load() != 1 {
			t.Errorf("took %q, %d overboard", got, l.h.count.dropped.pushFull.Load())
		}
		send("f")
		l.putBack([]parcel{{frame: []byte("b"), until: time.Now().Add(time.Minute)}, {frame: []byte("c"), until: time.Now().Add(time.Minute)}})
		if got := texts(l.take(9)); got != "c d e f " || l.h.count.dropped.pushFull.Load() != 2 || l.bytes != 0 {
			t.Errorf("took %q, %d overboard, %d bytes", got, l.h.count.dropped.pushFull.Load(), l.bytes)
		}
		send("g")
		time.Sleep(2 * time.Minute)
		send("h")
		if got := texts(l.take(9)); got != "h " || l.h.count.dropped.pushExpired.Load() != 1 {
			t.Errorf("took %q, %d expired", got, l.h.count.dropped.pushExpired.Load())
		}
		if !l.end() || l.put(parcel{}) {
			t.Error("an ended link takes more")
		}
	})
}

// TestLinkBytes: the queue is bounded in bytes, and so is one write.
func TestLinkBytes(t *testing.T) {
	l := idleLink(1000, 10*pushBatch)
	frame := make([]byte, pushBatch/4)
	for range 100 {
		l.put(parcel{frame: frame, until: time.Now().Add(time.Minute)})
	}
	if len(l.queue) != 40 || l.h.count.dropped.pushFull.Load() != 60 {
		t.Errorf("%d queued, %d overboard", len(l.queue), l.h.count.dropped.pushFull.Load())
	}
	if n := len(l.take(1000)); n != 4 {
		t.Errorf("%d frames in one write, want 4", n)
	}
	if n := len(l.take(0)); n != 0 {
		t.Errorf("%d frames taken without room", n)
	}
}

func TestRedialDelay(t *testing.T) {
	r := DefaultConfig().Redial
	for _, c := range []struct{ gone, low, high time.Duration }{
		{0, r.Interval, r.Interval},
		{40 * time.Second, 2500 * time.Millisecond, 2500 * time.Millisecond},
		{10 * time.Minute, r.Max, r.Max},
		{20 * time.Minute, 75 * time.Second, 75 * time.Second},
		{24 * time.Hour, redialRare, redialRare},
	} {
		for range 100 {
			if d := r.delay(c.gone); d < c.low*9/10 || d > c.high*11/10+1 {
				t.Fatal(fmt.Sprint("gone for ", c.gone, ": next attempt in ", d))
			}
		}
	}
}

// TestHeard: a node listens on IPv6 if its machine has it, and elsewhere names what it misses.
func TestHeard(t *testing.T) {
	all := append(Anywhere(4600), "/ip6/2a00::7/tcp/1")
	if got := heard(all, true); !slices.Equal(got, all) {
		t.Errorf("with IPv6: %v", got)
	}
	want := []string{"/ip4/0.0.0.0/tcp/4600", "/ip4/0.0.0.0/udp/4600/quic-v1", "/ip6/2a00::7/tcp/1"}
	if got := heard(all, false); !slices.Equal(got, want) || len(all) != 5 {
		t.Errorf("without: %v", got)
	}
}
