package megabrain

import "math/rand/v2"

// paper is what a worker hands in. Answer 0 is right.
type paper struct {
	honest  bool
	answer  int
	quality int // points that a careful evaluator sees
	copyOf  int // the seat that it copied, or -1
}

// worker does a task. It sees what those before it handed in, and the answer of its operator. Ours
// sees copies by the order of commitments, but not those of fields in which equal values are asked
// for.
type worker struct {
	cost  float64 // percent of the budget
	work  func(r *rand.Rand, before []paper, operator int) paper
	later *worker // what it does if it is called later, and can read the results of others
}

// sight is what some evaluators know: whether a task is a golden one, and their own reputation.
type sight struct {
	golden bool
	value  int
}

// evaluator scores the results of a task. It returns what the work cost, in percent of the budget.
type evaluator func(r *rand.Rand, papers []paper, known sight) (scores []int, cost float64)

// each scores every result by itself.
func each(cost float64, score func(r *rand.Rand, p paper) int) evaluator {
	return func(r *rand.Rand, papers []paper, _ sight) ([]int, float64) {
		out := make([]int, len(papers))
		for i, p := range papers {
			out[i] = score(r, p)
		}
		return out, cost
	}
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
var honestWorker = worker{cost: 5, work: func(r *rand.Rand, _ []paper, _ int) paper {
	p := made(r, 85, 80, 45, 1+r.IntN(3))
	p.honest = true
	return p
}}

// laterWorker works. If it is called later, it takes the result that evaluators find best, and its
// copy is not seen.
var laterWorker = worker{cost: honestWorker.cost, work: honestWorker.work, later: &worker{cost: .3, work: func(_ *rand.Rand, before []paper, _ int) paper {
	best := before[0]
	for _, p := range before[:seats] {
		if p.quality > best.quality {
			best = p
		}
	}
	best.honest, best.copyOf = false, -1
	return best
}}}

var lazyWorker = worker{cost: .3, work: func(r *rand.Rand, _ []paper, _ int) paper { return made(r, 15, 55, 25, 1+r.IntN(9)) }}

// copyingWorker takes the result of another seat, if one handed in before it.
var copyingWorker = worker{cost: .3, work: func(r *rand.Rand, before []paper, _ int) paper {
	if len(before) == 0 {
		return lazyWorker.work(r, before, 0)
	}
	p := before[0]
	p.honest, p.copyOf = false, 0
	return p
}}

// sybilWorker gives the same guess in all its seats of a task.
var sybilWorker = worker{cost: .3, work: func(r *rand.Rand, _ []paper, operator int) paper {
	p := made(r, 0, 0, 30, operator)
	if operator == 0 {
		p = made(r, 100, 55, 0, 0)
	}
	return p
}}

// cleverWorker works half, and writes so that faults are hard to see.
var cleverWorker = worker{cost: 2.5, work: func(r *rand.Rand, _ []paper, _ int) paper { return made(r, 60, 84, 60, 1+r.IntN(3)) }}

var honestEvaluator = each(2, func(r *rand.Rand, p paper) int { return points(p.quality + noise(r, 8)) })

// coarseEvaluator looks, and errs two and a half times as much.
var coarseEvaluator = each(2, func(r *rand.Rand, p paper) int { return points(p.quality + noise(r, 20)) })

var stampingEvaluator = each(.1, func(*rand.Rand, paper) int { return 85 })

// varyingEvaluator stamps, too, so that its scores differ.
var varyingEvaluator = each(.1, func(r *rand.Rand, _ paper) int { return 80 + noise(r, 12) })

var lazyEvaluator = each(.1, func(r *rand.Rand, _ paper) int { return 50 + r.IntN(41) })

var spitefulEvaluator = each(.1, func(*rand.Rand, paper) int { return 5 })

// colludingEvaluator praises the lazy workers of its group.
var colludingEvaluator = each(.1, func(_ *rand.Rand, p paper) int {
	if p.honest {
		return 20
	}
	return 90
})

// halfEvaluator looks at the results of every second task, and stamps those of the others.
func halfEvaluator(r *rand.Rand, papers []paper, known sight) ([]int, float64) {
	if r.IntN(2) == 0 {
		return stampingEvaluator(r, papers, known)
	}
	return honestEvaluator(r, papers, known)
}

// knowingEvaluator recognises every second golden task and looks at it. It stamps all others.
func knowingEvaluator(r *rand.Rand, papers []paper, known sight) ([]int, float64) {
	if known.golden && r.IntN(2) == 0 {
		return honestEvaluator(r, papers, known)
	}
	return varyingEvaluator(r, papers, known)
}

// sleepingEvaluator works until it has half of a full reputation, and stamps while it has more.
func sleepingEvaluator(r *rand.Rand, papers []paper, known sight) ([]int, float64) {
	if known.value < 5000 {
		return honestEvaluator(r, papers, known)
	}
	return varyingEvaluator(r, papers, known)
}

// mixture is a kind of agents beside honest ones.
type mixture struct {
	name      string
	worker    *worker
	evaluator evaluator
}

var mixtures = []mixture{
	{name: "all honest"},
	{name: "lazy workers", worker: &lazyWorker},
	{name: "copying workers", worker: &copyingWorker},
	{name: "sybil workers", worker: &sybilWorker},
	{name: "clever workers", worker: &cleverWorker},
	{name: "rubber-stamping evaluators", evaluator: stampingEvaluator},
	{name: "varying rubber stamps", evaluator: varyingEvaluator},
	{name: "half-looking evaluators", evaluator: halfEvaluator},
	{name: "stamps that know golden", evaluator: knowingEvaluator},
	{name: "stamps once they are known", evaluator: sleepingEvaluator},
	{name: "lazy evaluators", evaluator: lazyEvaluator},
	{name: "spiteful evaluators", evaluator: spitefulEvaluator},
	{name: "colluding groups", worker: &lazyWorker, evaluator: colludingEvaluator},
}
