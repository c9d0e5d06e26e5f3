package batches

import (
	"math"
	"math/rand/v2"
	"slices"

	"ojud/ledger/program"
)

// times are those of the steps of a leaf. They do not depend on its answer.
type times struct {
	post   int64  // seconds after the commitment
	claim  int64  // after the creation
	submit int64  // after the claim
	object int64  // after the result
	answer int64  // after the objection
	pick   uint64 // whose terms the task has
	// whose tempo the task has, and whose steps
	whose [1 + steadies]uint64
}

const (
	steadies = 4 // steps of a leaf that take time
	// A step takes a part of the span on average. Some people are slower than others, so each leaf
	// draws its own part, between these.
	slow, quick = 10, 90
)

// window is how many seconds after the commitment the last step has to be done: the case may take
// as long as the rules permit, and a twentieth is left for the opening.
func window(p program.Params) int64 {
	return int64(p.BatchSeconds) - int64(p.BatchSeconds)/20 - longest(p)
}

// within shortens a step so that it is done in three quarters of the time that there is.
func within(step, most int64) int64 { return min(step, most*3/4) }

// pace draws the times of all leaves within a span of seconds. The leaves are posted in their
// order.
func pace(r *rand.Rand, leaves int, span int64) []times {
	all, posts := make([]times, leaves), make([]int64, leaves)
	for i := range all {
		t := &all[i]
		mean := float64(span) / slow * math.Pow(float64(slow)/quick, r.Float64())
		// exponential, as the time until somebody looks
		draw := func() int64 { return min(int64(r.ExpFloat64()*mean), span/(2*steadies)) }
		t.claim, t.submit, t.object, t.answer = draw(), draw(), draw(), draw()
		t.pick = r.Uint64()
		for k := range t.whose {
			t.whose[k] = r.Uint64()
		}
		posts[i] = int64(r.Float64() * float64(max(span-span/2, 0)))
	}
	slices.Sort(posts)
	for i := range all {
		all[i].post = posts[i]
	}
	return all
}
