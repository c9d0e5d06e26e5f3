package evidence

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

// TestGate: only a limited number of functions hold room at once. A function that leaves makes room
// before it returns, and none starts after the end of ctx.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		g, started := newGate(2), atomic.Int32{}
		work := func(early bool) func(func()) {
			return func(leave func()) {
				started.Add(1)
				if early {
					leave()
				}
				time.Sleep(time.Minute)
			}
		}
		began := time.Now()
		for _, early := range []bool{true, false, false} {
			if !g.run(ctx, work(early)) {
				t.Error("refused")
			}
		}
		if time.Since(began) != 0 || started.Load() > 3 {
			t.Error("a function that left holds room")
		}
		g.run(ctx, work(false))
		if took := time.Since(began); took != time.Minute {
			t.Errorf("the fourth function waited %s, want a minute", took)
		}
		stop()
		g.run(context.WithoutCancel(ctx), work(false))
		first, second := g.run(ctx, work(false)), g.run(ctx, work(false))
		if first && second {
			t.Error("it started after the end")
		}
		g.wait()
	})
}

// TestOffers: an offer reaches the searches for its source. Strangers fill half of the room at
// most, so that judges always have some.
func TestOffers(t *testing.T) {
	d := newDataTopic(nil, nil, nil, nil, time.Second, nil, nil)
	if d.deliver("a", offer{}, true) {
		t.Error("an offer is taken without a search")
	}
	ch := d.listen("a")
	for range 2 * maxOffers {
		if !d.deliver("a", offer{from: "stranger"}, false) || d.deliver("b", offer{}, false) {
			t.Fatal("an offer goes to another search")
		}
	}
	if len(ch) != maxOffers/2 {
		t.Errorf("strangers have %d places, want %d", len(ch), maxOffers/2)
	}
	for range 2 * maxOffers {
		d.deliver("a", offer{from: "judge"}, true)
	}
	from := map[peer.ID]int{}
	for len(ch) > 0 {
		o := <-ch
		from[o.from]++
	}
	if from["judge"] != maxOffers/2 {
		t.Errorf("judges have %d places, want %d", from["judge"], maxOffers/2)
	}
	d.leave("a", ch)
	if d.deliver("a", offer{}, true) || len(d.waiting) != 0 {
		t.Error("a search that left is remembered")
	}
}
