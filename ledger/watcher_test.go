package ledger

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// text is an event as the program logs it.
func text(e program.Event) string { return base64.StdEncoding.EncodeToString(program.EncodeEvent(e)) }

// mark is an event that shows a number.
func mark(n int) string { return text(&program.RewardClaimed{Amount: uint64(n)}) }

// watch is a watcher under test with what it gave out.
type watch struct {
	*Watcher
	mu       sync.Mutex
	occurred []Occurred
	looks    []Look
	stop     func() error
}

// watched starts a watcher and takes what it gives out.
func watched(t *testing.T, c *Client, from Cursor, judges ...onchain.Address) *watch {
	t.Helper()
	w := &watch{Watcher: NewWatcher(c, from, judges...)}
	ctx, cancel := context.WithCancel(t.Context())
	done, taken := make(chan error, 1), make(chan struct{}, 2)
	go func() { done <- w.Run(ctx) }()
	go func() {
		for o := range w.Events() {
			w.mu.Lock()
			w.occurred = append(w.occurred, o)
			w.mu.Unlock()
		}
		taken <- struct{}{}
	}()
	go func() {
		for l := range w.Looks() {
			w.mu.Lock()
			w.looks = append(w.looks, l)
			w.mu.Unlock()
		}
		taken <- struct{}{}
	}()
	stopped := false
	w.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		err := <-done
		<-taken
		<-taken
		return err
	}
	t.Cleanup(func() { _ = w.stop() })
	return w
}

// numbers returns the numbers that the events of w.occurred show.
func (w *watch) numbers() (all []int) {
	for _, o := range w.occurred {
		for _, e := range o.Events {
			all = append(all, int(e.(*program.RewardClaimed).Amount))
		}
	}
	return all
}

// upTo is 1..n.
func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

// onLine is a client whose websocket works.
func (f *fakeNode) onLine(t *testing.T, cfg Config) *Client {
	t.Helper()
	cfg.WS = "ws://node.test:8900"
	c, err := New(cfg, f.program.ID(), Deps{Transport: f.withSocket(t), Metrics: prometheus.NewRegistry(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestStream: with a websocket that works or not, tells twice, in any order, floods, breaks, or is
// silent, every transaction is given out once.
func TestStream(t *testing.T) {
	for _, c := range []struct {
		name   string
		socket bool
		cfg    func(*Config)
		during func(f *fakeNode, n int)
		within time.Duration // after the last one
		order  bool          // given out in the order of the chain
	}{
		{name: "polls alone", within: 3 * time.Second, order: true},
		{name: "socket", socket: true, within: 500 * time.Millisecond, order: true},
		{name: "each told three times", socket: true, within: 500 * time.Millisecond, order: true, during: func(f *fakeNode, _ int) {
			f.tell = func(x *fakeTx) { f.notifyLogs(x); f.notifyLogs(x); f.notifyLogs(x) }
		}},
		{name: "out of order", socket: true, within: 500 * time.Millisecond, during: func(f *fakeNode, n int) {
			if f.tell != nil {
				return
			}
			var held []*fakeTx
			f.tell = func(x *fakeTx) {
				if held = append(held, x); len(held) == 3 {
					for _, x := range slices.Backward(held) {
						f.notifyLogs(x)
					}
					held = nil
				}
			}
		}},
		{name: "every other not notified", socket: true, within: 16 * time.Second, during: func(f *fakeNode, n int) {
			f.tell = func(x *fakeTx) {
				if x.sig[2]%2 == 0 {
					f.notifyLogs(x)
				}
			}
		}},
		{name: "silent from the tenth on", socket: true, within: 25 * time.Second, during: func(f *fakeNode, n int) { f.mute = n > 10 }},
		{name: "breaks now and then", socket: true, within: 3 * time.Second, during: func(f *fakeNode, n int) {
			if n%5 == 0 {
				f.mu.Unlock()
				f.hangUp()
				f.mu.Lock()
			}
		}},
		{name: "a buffer of one", socket: true, within: 16 * time.Second, cfg: func(c *Config) { c.Watch.Buffer = 1 }},
		{name: "no clock to be had", socket: true, within: 500 * time.Millisecond, order: true,
			during: func(f *fakeNode, n int) { f.refuse["accountSubscribe"] = true }},
		{name: "no heartbeat at all", socket: true, within: 500 * time.Millisecond, order: true,
			during: func(f *fakeNode, n int) { f.refuse["accountSubscribe"], f.refuse["slotSubscribe"] = true, true }},
		{name: "indexed late", within: 8 * time.Second, during: nil},
		{name: "RPC fails half of the time", socket: true, within: 20 * time.Second, during: func(f *fakeNode, n int) {
			f.fault = func(m string, i int) fault { return fault{before: m != "dial" && i%2 == 0} }
		}},
		{name: "pages of three", within: 3 * time.Second, order: true, cfg: func(c *Config) { c.Watch.Page, c.Watch.Window = 3, 7 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				node := newFakeNode()
				node.happen(9999, 0, mark(9999)) // before the watcher
				node.tick(5)
				node.start(t)
				cfg := testConfig()
				if c.cfg != nil {
					c.cfg(&cfg)
				}
				open := node.open
				if c.socket {
					open = node.onLine
				}
				if c.during != nil {
					node.mu.Lock()
					c.during(node, 0)
					node.mu.Unlock()
				}
				w := watched(t, open(t, cfg), Cursor{})
				time.Sleep(5 * time.Second)
				const total = 60
				for n := range total {
					if c.during != nil {
						node.mu.Lock()
						c.during(node, n)
						node.mu.Unlock()
					}
					late := uint64(0)
					if c.name == "indexed late" {
						late = uint64(n % 7)
					}
					node.happen(n+1, late, mark(n+1))
					time.Sleep(time.Duration(n%5) * 150 * time.Millisecond)
				}
				time.Sleep(400*time.Millisecond + c.within)
				if err := w.stop(); err != nil {
					t.Fatal(err)
				}
				got := w.numbers()
				if c.order && !slices.Equal(got, upTo(total)) {
					t.Errorf("given out: %v", got)
				}
				slices.Sort(got)
				if !slices.Equal(got, upTo(total)) {
					t.Errorf("given out, sorted: %v", got)
				}
				newest := uint64(0)
				for _, o := range w.occurred {
					if o.Late != (o.Slot < newest) || !o.Complete {
						t.Errorf("slot %d after %d: late %v, complete %v", o.Slot, newest, o.Late, o.Complete)
					}
					newest = max(newest, o.Slot)
				}
			})
		})
	}
}

// TestOutage: a watcher that was away takes up at its cursor, in pages and passes, while the node
// fails now and then.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		cfg := testConfig()
		cfg.Watch.Page, cfg.Watch.Window, cfg.Watch.Remember, cfg.Watch.Overlap = 10, 35, 64, 5
		node.start(t)
		first := watched(t, node.open(t, cfg), Cursor{})
		time.Sleep(5 * time.Second)
		for n := range 20 {
			node.happen(n+1, 0, mark(n+1))
			time.Sleep(400 * time.Millisecond)
		}
		time.Sleep(3 * time.Second)
		if err := first.stop(); err != nil {
			t.Fatal(err)
		}
		cursor := first.occurred[len(first.occurred)-1].Cursor
		if cursor.Slot == 0 || cursor.Slot >= first.occurred[19].Slot {
			t.Fatalf("cursor %+v after slot %d", cursor, first.occurred[19].Slot)
		}
		for n := 20; n < 320; n++ {
			node.happen(n+1, 0, mark(n+1))
			if n%3 == 0 {
				node.tick(1)
			}
		}
		node.fault = func(m string, i int) fault { return fault{before: i%3 == 0} }
		second := watched(t, node.open(t, cfg), cursor)
		time.Sleep(2 * time.Minute)
		if err := second.stop(); err != nil {
			t.Fatal(err)
		}
		got := second.numbers()
		again := 20 - got[0] + 1 // of the last slots before the cursor
		if want := upTo(320)[got[0]-1:]; !slices.Equal(got, want) || again > 15 {
			t.Errorf("given out from %d on: %v", got[0], got)
		}
	})
}

// TestPruned: what a node lists and no longer has does not stop the stream: it is given out without
// events.
func TestPruned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.start(t)
		w := watched(t, node.open(t, testConfig()), Cursor{})
		time.Sleep(5 * time.Second)
		node.happen(1, 0, mark(1))
		sig := node.happen(2, 0, mark(2))
		node.happen(3, 0, mark(3))
		node.mu.Lock()
		delete(node.landed, sig)
		node.mu.Unlock()
		time.Sleep(15 * time.Second)
		if err := w.stop(); err != nil {
			t.Fatal(err)
		}
		if len(w.occurred) != 3 || w.occurred[1].Complete || w.occurred[1].Signature != sig || !slices.Equal(w.numbers(), []int{1, 3}) {
			t.Errorf("%+v", w.occurred)
		}
	})
}

// TestForgottenPage: a node that does not know where a page begins gives an empty one; that is not
// taken for the end.
func TestForgottenPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		cfg := testConfig()
		cfg.Watch.Page, cfg.Watch.Window = 3, 100
		cursor := Cursor{Slot: node.slot}
		for n := range 9 {
			node.happen(n+1, 0, mark(n+1))
			node.tick(1)
		}
		forgets := true
		node.fault = func(m string, i int) fault {
			if m == "getSignaturesForAddress" && i == 2 {
				return fault{body: []byte(`{"jsonrpc":"2.0","id":2,"result":[]}`)}
			}
			if m == "getSignatureStatuses" && forgets {
				forgets = false
				return fault{body: []byte(`{"jsonrpc":"2.0","id":3,"result":{"context":{"slot":1},"value":[null]}}`)}
			}
			return fault{}
		}
		c := node.open(t, cfg)
		var l listing
		if err := c.complete(t.Context(), &l, c.program.ID(), cursor, 100); !errors.Is(err, ErrUnavailable) || len(l.found) != 0 {
			t.Fatalf("%d found, %v", len(l.found), err)
		}
		if err := c.complete(t.Context(), &l, c.program.ID(), cursor, 100); err != nil || len(l.found) != 9 {
			t.Errorf("%d found, %v", len(l.found), err)
		}
	})
}

// TestStall: a websocket that answers pings and brings nothing is opened anew.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.start(t)
		w := watched(t, node.onLine(t, testConfig()), Cursor{})
		time.Sleep(10 * time.Second)
		if !w.Health().Socket || node.count("dial") != 1 {
			t.Fatalf("%+v, %d dials", w.Health(), node.count("dial"))
		}
		node.mu.Lock()
		node.mute = true
		node.mu.Unlock()
		time.Sleep(25 * time.Second)
		if n := node.count("dial"); n != 2 {
			t.Errorf("%d dials after 25 s of silence, want 2", n)
		}
	})
}

// TestNoSocket: where there is no websocket it is tried less and less often.
func TestNoSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.start(t)
		node.fault = func(m string, _ int) fault {
			if m == "dial" {
				return fault{status: 404}
			}
			return fault{}
		}
		w := watched(t, node.onLine(t, testConfig()), Cursor{})
		time.Sleep(10 * time.Minute)
		if n := node.count("dial"); w.Health().Socket || n < 20 || n > 60 {
			t.Errorf("%+v, %d dials in 10 minutes", w.Health(), n)
		}
	})
}

// TestWatcherOtherChain: on another chain a watcher ends.
func TestWatcherOtherChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.start(t)
		c := node.open(t, testConfig())
		if err := c.CheckChain(t.Context(), node.genesis); err != nil {
			t.Fatal(err)
		}
		w := NewWatcher(c, Cursor{})
		go func() {
			for range w.Looks() {
			}
		}()
		time.AfterFunc(5*time.Second, func() {
			node.mu.Lock()
			defer node.mu.Unlock()
			node.fault = func(_ string, n int) fault { return fault{before: true} }
		})
		time.AfterFunc(20*time.Second, func() {
			node.mu.Lock()
			defer node.mu.Unlock()
			node.fault, node.genesis = nil, onchain.Hash{1}
		})
		if err := w.Run(t.Context()); !errors.Is(err, ErrOtherChain) {
			t.Error(err)
		}
	})
}
