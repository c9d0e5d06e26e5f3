package batches

import (
	"math/rand/v2"
	"slices"

	"ojud/ledger/program"
)

// times are those of the steps of a leaf. They do not depend on its answer.
type times struct {
	post   int64 // seconds after the commitment
	submit int64 // after the claim
	object int64 // after the result
	answer int64 // after the objection
	work   uint32
}

// bounds of the terms of a task. Parties of ordinary tasks choose round numbers.
var workHours = [...]uint32{1, 2, 4, 8, 24, 48}

const (
	steadies = 3  // steps of a leaf that take time
	quick    = 30 // part of the span that a step takes on average
)

// window is how many seconds after the commitment the last step has to be done: the case may take
// as long as the rules permit, and a twentieth is left for the opening.
func window(p program.Params) int64 {
	return int64(p.BatchSeconds) - int64(p.BatchSeconds)/20 - longest(p)
}

// pace draws the times of all leaves within a span of seconds. The leaves are posted in their
// order.
func pace(r *rand.Rand, leaves int, span int64, p program.Params) []times {
	all, posts := make([]times, leaves), make([]int64, leaves)
	for i := range all {
		t := &all[i]
		t.work = workHours[r.IntN(len(workHours))] * 3600
		draw := func(most uint32) int64 { // exponential, as the time until somebody looks
			return min(int64(r.ExpFloat64()*float64(span)/quick), int64(most)*3/4, span/(2*steadies))
		}
		t.submit, t.object, t.answer = draw(t.work), draw(p.VerifySeconds), draw(p.AnswerSeconds)
		posts[i] = int64(r.Float64() * float64(max(span-span/2, 0)))
	}
	slices.Sort(posts)
	for i := range all {
		all[i].post = posts[i]
	}
	return all
}
