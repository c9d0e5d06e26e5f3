package votetest

import (
	"cmp"
	"slices"
)

// Queue delivers events in the order of time, and of scheduling where times are equal.
type Queue struct {
	Now   int64   // milliseconds since the start of the simulation
	items []event // the latest first
}

// event happens at a time.
type event struct {
	at   int64
	what string // for the trace
	do   func()
}

// At schedules do, not before now.
func (q *Queue) At(ms int64, what string, do func()) {
	ms = max(ms, q.Now)
	i, _ := slices.BinarySearchFunc(q.items, ms, func(e event, at int64) int { return cmp.Compare(at, e.at) })
	q.items = slices.Insert(q.items, i, event{at: ms, what: what, do: do})
}

// In schedules do after a delay.
func (q *Queue) In(ms int64, what string, do func()) { q.At(q.Now+ms, what, do) }

// Next takes the earliest event and moves the time to it, unless it is after the end.
func (q *Queue) Next(end int64) (what string, do func(), ok bool) {
	last := len(q.items) - 1
	if last < 0 || q.items[last].at > end {
		return "", nil, false
	}
	e := q.items[last]
	q.items[last] = event{}
	q.items, q.Now = q.items[:last], e.at
	return e.what, e.do, true
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
