package votetest

import (
	"cmp"
	"slices"
)

// Queue delivers events in the order of time, and of scheduling where times are equal. A flood
// schedules hundreds of thousands of events for a few thousand milliseconds.
type Queue struct {
	Now    int64             // milliseconds since the start of the simulation
	times  []int64           // of events, the latest first
	events map[int64][]event // by time, in the order of scheduling
}

// event happens at a time.
type event struct {
	what string // for the trace
	do   func()
}

// At schedules do, not before now.
func (q *Queue) At(ms int64, what string, do func()) {
	ms = max(ms, q.Now)
	if q.events == nil {
		q.events = map[int64][]event{}
	}
	if len(q.events[ms]) == 0 {
		i, _ := slices.BinarySearchFunc(q.times, ms, func(have, at int64) int { return cmp.Compare(at, have) })
		q.times = slices.Insert(q.times, i, ms)
	}
	q.events[ms] = append(q.events[ms], event{what: what, do: do})
}

// In schedules do after a delay.
func (q *Queue) In(ms int64, what string, do func()) { q.At(q.Now+ms, what, do) }

// Next takes the earliest event and moves the time to it, unless it is after the end.
func (q *Queue) Next(end int64) (what string, do func(), ok bool) {
	last := len(q.times) - 1
	if last < 0 || q.times[last] > end {
		return "", nil, false
	}
	q.Now = q.times[last]
	next := q.events[q.Now]
	if q.events[q.Now] = next[1:]; len(next) == 1 {
		delete(q.events, q.Now)
		q.times = q.times[:last]
	}
	return next[0].what, next[0].do, true
}

// MapOrder leaves an order to a Go map: the fault that the tests of determinism plant.
func MapOrder[T comparable](in []T) []T {
	set := make(map[T]bool, len(in))
	for _, x := range in {
		set[x] = true
	}
	planted := make([]T, 0, len(set))
	for x := range set {
		planted = append(planted, x)
	}
	return planted
}
