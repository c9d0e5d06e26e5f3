package votetest

import "container/heap"

// queue delivers what was scheduled in the order of time, and of scheduling where times are equal.
type queue struct {
	now   int64 // milliseconds since the start of the simulation
	count uint64
	heap  pending
}

// item is something that happens at a time.
type item struct {
	at   int64
	seq  uint64
	what string // for the trace
	do   func()
}

// at schedules do, not before now.
func (q *queue) at(ms int64, what string, do func()) {
	q.count++
	heap.Push(&q.heap, item{at: max(ms, q.now), seq: q.count, what: what, do: do})
}

// in schedules do after a delay.
func (q *queue) in(ms int64, what string, do func()) { q.at(q.now+ms, what, do) }

// next takes the earliest item and moves the time to it, unless that would be after the end.
func (q *queue) next(end int64) (item, bool) {
	if len(q.heap) == 0 || q.heap[0].at > end {
		return item{}, false
	}
	i := heap.Pop(&q.heap).(item)
	q.now = i.at
	return i, true
}

type pending []item

func (p pending) Len() int { return len(p) }

func (p pending) Less(i, j int) bool {
	return p[i].at < p[j].at || p[i].at == p[j].at && p[i].seq < p[j].seq
}

func (p pending) Swap(i, j int) { p[i], p[j] = p[j], p[i] }

// Push is for container/heap.
func (p *pending) Push(x any) { *p = append(*p, x.(item)) }

// Pop is for container/heap.
func (p *pending) Pop() any {
	last := len(*p) - 1
	x := (*p)[last]
	(*p)[last] = item{}
	*p = (*p)[:last]
	return x
}
