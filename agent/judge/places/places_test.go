package places

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// trial is how the cases of a test ended.
type trial struct {
	mu     sync.Mutex
	judged map[int]time.Duration // pay of the case: when its work began
	full   map[int]time.Duration // pay of the case: when it was refused
	late   int                   // ended after the deadline
	most   int                   // at work at once
	text   string
}

// play enters cases with pays of 1 to n, the dearest last, within some milliseconds, and lets each
// take equally long. gate replaces Enter, if it is not nil.
func play(t *testing.T, n, places int, took, limit time.Duration, gate func(context.Context, Need) (func(), error)) *trial {
	t.Helper()
	out := &trial{judged: map[int]time.Duration{}, full: map[int]time.Duration{}}
	d := New(places)
	if gate == nil {
		gate = d.Enter
	}
	began, working := time.Now(), 0
	deadline := began.Add(limit)
	ctx, cancel := context.WithDeadline(t.Context(), deadline)
	defer cancel()
	var all sync.WaitGroup
	for pay := range n {
		time.Sleep(time.Duration(min(pay, 1)) * time.Millisecond) // so that the order of their coming is known
		all.Go(func() {
			leave, err := gate(ctx, Need{Worth: Worth{Pay: uint64(pay + 1)}, Deadline: deadline})
			out.mu.Lock()
			if err != nil {
				if out.full[pay+1] = time.Since(began); !errors.Is(err, ErrFull) {
					out.late++
				}
				out.text = err.Error()
				out.mu.Unlock()
				return
			}
			working++
			out.most = max(out.most, working)
			out.judged[pay+1] = time.Since(began)
			out.mu.Unlock()
			time.Sleep(took)
			out.mu.Lock()
			if working--; time.Now().After(deadline) {
				out.late++
			}
			out.mu.Unlock()
			leave()
		})
	}
	all.Wait()
	return out
}

// paid is the sum of the pays of the cases that waited and were judged in time.
func (o *trial) paid(took, limit time.Duration) (sum int) {
	for pay, began := range o.judged {
		if began > time.Second && began+took <= limit {
			sum += pay
		}
	}
	return sum
}

// TestMoreCasesThanTime: of 40 cases that come at once, 4 places judge 24 in 375 s if a case takes
// a minute. The other 16 are the least worthwhile ones of those that had to wait, and they are
// refused a minute before the deadline.
func TestMoreCasesThanTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := play(t, 40, 4, time.Minute, 375*time.Second, nil)
		if len(o.judged) != 24 || len(o.full) != 16 || o.late != 0 || o.most != 4 {
			t.Fatalf("%d judged, %d refused, %d late, %d at once", len(o.judged), len(o.full), o.late, o.most)
		}
		dearest := 0
		for pay, when := range o.full {
			if dearest = max(dearest, pay); when < 300*time.Second || when > 320*time.Second {
				t.Errorf("a case of %d was refused after %s", pay, when)
			}
		}
		for pay, began := range o.judged {
			if began > time.Second && pay < dearest {
				t.Errorf("a case of %d waited and was judged, one of %d was not", pay, dearest)
			}
		}
		for _, want := range []string{"4 cases at once", "about 1m0s", "pay most after costs"} {
			if !strings.Contains(o.text, want) {
				t.Errorf("the reason lacks %q: %s", want, o.text)
			}
		}
	})
}

// TestMoreCasesThanTimeControl: without the choice, first come, first served, the same cases bring
// half as much, and those without a place learn it only at their deadline.
func TestMoreCasesThanTimeControl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := make(chan struct{}, 4)
		queue := func(ctx context.Context, _ Need) (func(), error) {
			select {
			case slots <- struct{}{}:
				return func() { <-slots }, nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		const took, limit = time.Minute, 375 * time.Second
		without, with := play(t, 40, 4, took, limit, queue), play(t, 40, 4, took, limit, nil)
		if without.late != 12+4 { // 12 waited until the deadline, and 4 began too late
			t.Errorf("%d were late", without.late)
		}
		if got, best := without.paid(took, limit), with.paid(took, limit); 2*got > best {
			t.Errorf("first come, first served brings %d, the choice %d", got, best)
		}
	})
}

// TestDeadlines: a case that is due soon goes before a more worthwhile one if both can be judged
// then, and otherwise the more worthwhile one is judged.
func TestDeadlines(t *testing.T) {
	for _, c := range []struct {
		second time.Duration // deadline of the more worthwhile case
		want   string
	}{{150 * time.Second, "soon dear"}, {130 * time.Second, "soon dear"}, {100 * time.Second, "dear"}} {
		synctest.Test(t, func(t *testing.T) {
			d, began := New(1), time.Now()
			d.ended = []ended{{40 * time.Second, time.Now()}}
			var mu sync.Mutex
			var order []string
			var all sync.WaitGroup
			for _, in := range []struct {
				name string
				Need
			}{
				{"first", Need{Worth{Pay: 1}, began.Add(time.Hour)}}, {"dear", Need{Worth{Pay: 9}, began.Add(c.second)}},
				{"soon", Need{Worth{Pay: 5, Cost: 2}, began.Add(90 * time.Second)}},
			} {
				synctest.Wait()
				all.Go(func() {
					leave, err := d.Enter(t.Context(), in.Need)
					if err != nil {
						return
					}
					mu.Lock()
					order = append(order, in.name)
					mu.Unlock()
					time.Sleep(40 * time.Second)
					leave()
				})
			}
			all.Wait()
			if got := fmt.Sprint(order); got != "[first "+c.want+"]" {
				t.Errorf("%s: %s", c.second, got)
			}
		})
	}
}

// TestCost: of two cases with the same pay the cheaper one is judged first, and a dear case goes
// before a cheap one only if it pays that much more.
func TestCost(t *testing.T) {
	for _, c := range []struct {
		a, b Worth
		more bool
	}{
		{Worth{10, 3}, Worth{10, 4}, true}, {Worth{10, 4}, Worth{10, 3}, false}, {Worth{100, 95}, Worth{10, 4}, false}, {Worth{1, 9}, Worth{1, 10}, true},
		{Worth{1 << 62, 0}, Worth{0, 1 << 62}, true}, {Worth{}, Worth{}, false},
	} {
		if c.a.more(c.b) != c.more {
			t.Errorf("%v and %v", c.a, c.b)
		}
	}
}

// TestLeave: a case that goes away while it waits takes no place, a place that is left twice is
// free once, and a first case that never ends does not make the others wait for ever.
func TestLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, ctx := New(1), t.Context()
		hour := Need{Deadline: time.Now().Add(time.Hour)}
		leave, err := d.Enter(ctx, hour)
		if err != nil {
			t.Fatal(err)
		}
		gone, cancel := context.WithCancelCause(ctx)
		cause := errors.New("stopped")
		time.AfterFunc(time.Minute, func() { cancel(cause) })
		if _, err := d.Enter(gone, hour); !errors.Is(err, cause) {
			t.Error(err)
		}
		if s := d.State(); s.AtWork != 1 || s.Waiting != 0 || s.Places != 1 || s.Took != time.Minute {
			t.Errorf("%+v", s)
		}
		began := time.Now()
		if _, err := d.Enter(ctx, hour); !errors.Is(err, ErrFull) || time.Since(began) < 26*time.Minute || time.Since(began) > 31*time.Minute {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		leave()
		leave()
		if s := d.State(); s.AtWork != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestSlowForAWhile: a judge that was slow takes a case that finds it idle, and refuses one that
// would have to wait. A quarter of an hour later it takes both.
func TestSlowForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(1)
		take := func(takes time.Duration) error {
			leave, err := d.Enter(t.Context(), Need{Deadline: time.Now().Add(5 * time.Minute)})
			if err == nil {
				time.Sleep(takes)
				leave()
			}
			return err
		}
		both := func() error {
			first := make(chan error)
			go func() { first <- take(time.Minute) }()
			synctest.Wait()
			second := take(0)
			if err := <-first; err != nil {
				t.Error(err)
			}
			return second
		}
		if err := take(6 * time.Minute); err != nil {
			t.Fatal(err)
		}
		if err := both(); !errors.Is(err, ErrFull) {
			t.Error(err)
		}
		time.Sleep(forgetAfter)
		if err := both(); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkFull chooses among 500 waiting cases.
func BenchmarkFull(b *testing.B) {
	d, now := New(4), time.Now()
	for i := range 500 {
		d.waiting = append(d.waiting, &entry{Need: Need{Worth{Pay: uint64(i * 7919 % 503)}, now.Add(time.Duration(60+i%60) * time.Second)}})
	}
	for b.Loop() {
		d.next(now, time.Second)
	}
}
