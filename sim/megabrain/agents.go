package megabrain

import "math/rand/v2"

// paper is what a worker hands in. Answer 0 is right.
type paper struct {
	honest  bool
	answer  int
	quality int // points that a careful evaluator sees
	copyOf  int // the seat that it copied, or -1
}

// worker does a task. It sees what those before it handed in, and the answer of its operator.
type worker struct {
	cost float64 // percent of the budget
	work func(r *rand.Rand, before []paper, operator int) paper
}

// evaluator scores a result.
type evaluator struct {
	cost  float64 // percent of the budget, for all results of a task
	score func(r *rand.Rand, p paper) int
}

// noise is between -most and most, and mostly small.
func noise(r *rand.Rand, most int) int {
	return (r.IntN(2*most+1) + r.IntN(2*most+1) + r.IntN(2*most+1) - 3*most) / 3
}

func points(n int) int { return min(max(n, 0), 100) }

// made is a result that is right with a chance in percent.
func made(r *rand.Rand, right, good, bad, wrong int) paper {
	if r.IntN(100) < right {
		return paper{quality: points(good + noise(r, 15)), copyOf: -1}
	}
	return paper{answer: wrong, quality: points(bad + noise(r, 15)), copyOf: -1}
}

// honestWorker errs in 15 of 100 tasks, and then often as others do.
var honestWorker = worker{5, func(r *rand.Rand, _ []paper, _ int) paper {
	p := made(r, 85, 80, 45, 1+r.IntN(3))
	p.honest = true
	return p
}}

var lazyWorker = worker{.3, func(r *rand.Rand, _ []paper, _ int) paper { return made(r, 15, 55, 25, 1+r.IntN(9)) }}

// copyingWorker takes the result of another seat, if one handed in before it.
var copyingWorker = worker{.3, func(r *rand.Rand, before []paper, _ int) paper {
	if len(before) == 0 {
		return lazyWorker.work(r, before, 0)
	}
	p := before[0]
	p.honest, p.copyOf = false, 0
	return p
}}

// sybilWorker gives the same guess in all its seats of a task.
var sybilWorker = worker{.3, func(r *rand.Rand, _ []paper, operator int) paper {
	p := made(r, 0, 0, 30, operator)
	if operator == 0 {
		p = made(r, 100, 55, 0, 0)
	}
	return p
}}

// cleverWorker works half, and writes so that faults are hard to see.
var cleverWorker = worker{2.5, func(r *rand.Rand, _ []paper, _ int) paper { return made(r, 60, 84, 60, 1+r.IntN(3)) }}

var honestEvaluator = evaluator{2, func(r *rand.Rand, p paper) int { return points(p.quality + noise(r, 8)) }}

var stampingEvaluator = evaluator{.1, func(*rand.Rand, paper) int { return 85 }}

var lazyEvaluator = evaluator{.1, func(r *rand.Rand, _ paper) int { return 50 + r.IntN(41) }}

var spitefulEvaluator = evaluator{.1, func(*rand.Rand, paper) int { return 5 }}

// colludingEvaluator praises the lazy workers of its group.
var colludingEvaluator = evaluator{.1, func(_ *rand.Rand, p paper) int {
	if p.honest {
		return 20
	}
	return 90
}}

// mixture is a kind of agents beside honest ones.
type mixture struct {
	name      string
	worker    *worker
	evaluator *evaluator
	open      string // why the honest need not earn more
}

var mixtures = []mixture{
	{name: "all honest"},
	{name: "lazy workers", worker: &lazyWorker},
	{name: "copying workers", worker: &copyingWorker},
	{name: "sybil workers", worker: &sybilWorker},
	{name: "clever workers", worker: &cleverWorker},
	{name: "rubber-stamping evaluators", evaluator: &stampingEvaluator, open: "nothing detects rubber stamps where most results are good"},
	{name: "lazy evaluators", evaluator: &lazyEvaluator},
	{name: "spiteful evaluators", evaluator: &spitefulEvaluator},
	{name: "colluding groups", worker: &lazyWorker, evaluator: &colludingEvaluator},
}
