// Package places gives out the places of a judge that works on few cases at once. If more cases
// come than it can judge in time, it gives up the least worthwhile ones while there is still time
// to abstain in them.
//
// A Places may be used by several goroutines at once. It knows nothing of courts: a case is an
// amount and a deadline.
package places

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Worth says what a case brings to a judge, in lamports.
type Worth struct {
	Pay  uint64 // for a vote for a side
	Cost uint64 // what the judge expects to spend on an opinion
}

// more reports whether a case brings more than another, after its cost.
func (w Worth) more(v Worth) bool {
	// pay - cost > pay' - cost', in sums that cannot wrap: all amounts are below 2^63.
	return w.Pay+v.Cost > v.Pay+w.Cost
}

// Need is a case that needs a place.
type Need struct {
	Worth
	Deadline time.Time // a later opinion is useless
}

// ErrFull says that a case got no place in time.
var ErrFull = errors.New("no place in time")

// full says why a case got no place.
type full struct {
	Places int
	Took   time.Duration // how long cases take at present
}

// Error says it in words that stand in an opinion.
func (f *full) Error() string {
	return fmt.Sprintf("%s: this judge works on %s at once, and one takes it about %s. Until it was too late for this case, the places were "+
		"taken; those that pay most after costs come first", ErrFull, counted(f.Places), f.Took.Round(time.Second))
}

func counted(cases int) string {
	if cases == 1 {
		return "1 case"
	}
	return fmt.Sprintf("%d cases", cases)
}

// Unwrap makes it an ErrFull.
func (f *full) Unwrap() error { return ErrFull }

// State is how the places are taken at one moment.
type State struct {
	Places, AtWork, Waiting int
	Took                    time.Duration // how long a case takes at present; 0: not known yet
}

// Places are the places of a judge.
type Places struct {
	places int

	mu      sync.Mutex
	working map[*entry]time.Time // when the work began
	waiting []*entry             // in the order of their coming
	ended   []ended              // the last cases, the newest at the end
	review  *time.Timer          // nil while no case waits
}

// entry is a case that waits or has a place.
type entry struct {
	Need
	waited bool       // there was no free place when it came
	answer chan error // nil: it has a place
}

// ended is a case that was judged.
type ended struct {
	took time.Duration
	at   time.Time
}

const (
	// remembered is how many cases the expectation rests on, at most.
	remembered = 16
	// forgetAfter is when a case counts no more. So a judge that was slow for a while takes cases
	// again.
	forgetAfter = 15 * time.Minute
	// reviewEvery is how often waiting cases are looked at. Cases at work show by the time that
	// they have taken how long a case takes.
	reviewEvery = time.Second
)

// New returns that many places, at least one.
func New(places int) *Places {
	return &Places{places: max(places, 1), working: map[*entry]time.Time{}}
}

// Enter waits for a place. The caller must call leave when the work has ended. Without a place the
// error is an ErrFull, or the cause of the end of ctx.
func (d *Places) Enter(ctx context.Context, n Need) (leave func(), err error) {
	e := &entry{Need: n, answer: make(chan error, 1)}
	d.change(func() { d.waiting = append(d.waiting, e) })
	select {
	case err = <-e.answer:
	case <-ctx.Done():
		d.change(func() { d.remove(e) })
		select {
		case err = <-e.answer: // the place came at the same moment
			if err == nil {
				d.leave(e)
			}
		default:
		}
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { d.leave(e) }), nil
}

// State returns how the places are taken now.
func (d *Places) State() State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return State{Places: d.places, AtWork: len(d.working), Waiting: len(d.waiting), Took: d.expected(time.Now())}
}

func (d *Places) leave(e *entry) {
	d.change(func() {
		if began, ok := d.working[e]; ok {
			delete(d.working, e)
			d.ended = append(d.ended, ended{time.Since(began), time.Now()})
			d.ended = d.ended[max(len(d.ended)-remembered, 0):]
		}
	})
}

// change makes a change and gives out what is free afterwards.
func (d *Places) change(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
	d.give(time.Now())
}

// give gives the free places to waiting cases, and refuses cases for which it is too late. While no
// place is free, that is if one of four cases takes longer than the time that is left. A case that
// waited and then finds a free place is refused if three of four take longer. One that finds a free
// place when it comes gets it.
func (d *Places) give(now time.Time) {
	took := d.expected(now)
	tooLate := func(least time.Duration) func(*entry) bool {
		return func(e *entry) bool { return now.Add(withSlack(least)).After(e.Deadline) }
	}
	waitedInVain := tooLate(quantile(d.lately(now), 1))
	d.refuse(took, func(e *entry) bool { return e.waited && waitedInVain(e) })
	for len(d.waiting) > 0 && len(d.working) < d.places {
		e := d.next(now, withSlack(took))
		d.remove(e)
		d.working[e] = now
		e.answer <- nil
	}
	d.refuse(took, tooLate(took))
	for _, e := range d.waiting {
		e.waited = true
	}
	switch {
	case len(d.waiting) > 0 && d.review == nil:
		d.review = time.AfterFunc(reviewEvery, func() { d.change(func() { d.review = nil }) })
	case len(d.waiting) == 0 && d.review != nil:
		d.review.Stop()
		d.review = nil
	}
}

// withSlack adds an eighth to a time, because a case that ends at its deadline may be late.
func withSlack(took time.Duration) time.Duration { return took + took/8 }

// refuse refuses some of the waiting cases.
func (d *Places) refuse(took time.Duration, which func(*entry) bool) {
	for _, e := range slices.Clone(d.waiting) {
		if which(e) {
			d.remove(e)
			e.answer <- &full{Places: d.places, Took: took}
		}
	}
}

func (d *Places) remove(e *entry) {
	d.waiting = slices.DeleteFunc(d.waiting, func(o *entry) bool { return o == e })
}

// expected returns how long a case takes: three of four are at least as fast. A case at work that
// already took longer counts, too. So the first cases, of which nothing is known, are not all.
func (d *Places) expected(now time.Time) time.Duration {
	all := d.lately(now)
	usual := quantile(all, 3)
	for _, began := range d.working {
		if lasts := now.Sub(began); lasts > usual {
			all = append(all, lasts)
		}
	}
	return quantile(all, 3)
}

// lately returns how long the last cases took.
func (d *Places) lately(now time.Time) (out []time.Duration) {
	for _, e := range d.ended {
		if now.Sub(e.at) < forgetAfter {
			out = append(out, e.took)
		}
	}
	return out
}

// quantile returns a quarter of some times, the first to the third, and 0 of none.
func quantile(all []time.Duration, quarter int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	all = slices.Clone(all)
	slices.Sort(all)
	return all[len(all)*quarter/4]
}
