package megabrain

import (
	"math/rand/v2"
	"strconv"

	"ojud/megabrain/pay"
)

// seat is an agent in a task.
type seat struct {
	*agent
	cost float64
}

// task is one task, before anybody is paid.
type task struct {
	workers []seat
	papers  []paper
	judges  []seat
	scores  [][]int // by evaluator and worker
	golden  bool    // its right result is known
}

// drawTask draws agents and lets them work. Everyone that could be called later has worked and
// scored, but only those that are called are looked at and paid. A golden task is like any other.
func (w *world) drawTask(r *rand.Rand, golden bool) (t task) {
	operator := 1
	if r.IntN(100) < 15 {
		operator = 0
	}
	t.golden = golden
	for n, a := range w.draw(r, 0, w.terms.MaxWorkers) {
		k := honestWorker
		if a.other {
			k = *w.mix.worker
		}
		if n >= seats && k.later != nil {
			k = *k.later
		}
		t.workers, t.papers = append(t.workers, seat{a, k.cost}), append(t.papers, k.work(r, t.papers, operator))
	}
	for _, a := range w.draw(r, 1, w.terms.MaxEvaluators) {
		e := honestEvaluator
		if a.other {
			e = w.mix.evaluator
		}
		scores, cost := e(r, t.papers, sight{golden, w.value(1, a)})
		t.judges, t.scores = append(t.judges, seat{a, cost}), append(t.scores, scores)
	}
	return t
}

// filled reports whether so many were drawn as a task begins with. If golden tasks are very
// frequent, too few have a reputation for some days, and a task ends without work and pay.
func (t task) filled() bool { return len(t.workers) >= seats && len(t.judges) >= judges }

// end is a task with what was paid.
type end struct {
	pay.Assignment
	out pay.Settlement
}

// settle pays by package pay, and calls further workers and evaluators as it asks.
func (w *world) settle(t task) (e end) {
	e.Assignment = pay.Assignment{Budget: budget, Deadline: 100, Difficulty: 100, Undistributed: "return", Parameters: w.terms}
	nobody := []pay.Evaluator{{ID: "e0"}, {ID: "e1"}}
	for n, called := 0, seats; n < called; n++ {
		at := int64(1 + n)
		s := pay.Submission{ID: name("w", n), Stake: budget / 20, Submitted: &at, Cluster: strconv.Itoa(t.papers[n].answer)}
		if c := t.papers[n].copyOf; c >= 0 {
			s.CopyOf = name("w", c)
		}
		e.Workers, e.Evaluators = append(e.Workers, s), nobody
		if n+1 == called {
			e.out = pay.Settle(e.Assignment)
			if e.out.Status == pay.FurtherWorker {
				called = min(called+e.out.Call, len(t.papers))
			}
		}
	}
	e.Poster = name("e", 0)
	e.Parameters.MaxWorkers, e.Evaluators = 0, nil // all that could be called have been
	e.Parameters.MaxEvaluators = min(e.Parameters.MaxEvaluators, len(t.judges))
	for n, called := 0, judges; n < called; n++ {
		who := t.judges[n].agent
		e.Evaluators = append(e.Evaluators, pay.Evaluator{
			ID: name("e", n), Stake: evaluatorStake, Reputation: max(w.value(1, who), 1),
		})
		for i := range e.Workers {
			e.Evaluations = append(e.Evaluations, pay.Evaluation{Evaluator: name("e", n), Worker: name("w", i), Score: t.scores[n][i], Confidence: 90, At: 200})
		}
		if n+1 == called {
			e.out = pay.Settle(e.Assignment)
			called += e.out.Call
		}
	}
	return e
}

// count enters how a task ended, and who earned what. It returns what was paid.
func (t task) count(f *Figures, p *purse, e end) (sum uint64) {
	paid := map[string]uint64{}
	for i, part := range e.out.Parts {
		gain := 100 * (float64(part.Paid+part.Bonus) - float64(part.Slashed)) / budget
		paid[part.Role] += part.Paid
		paid["bonus"] += part.Bonus
		sum += part.Paid + part.Bonus
		if n := i - len(e.Workers); n >= 0 {
			p.add(1, t.judges[n], gain)
		} else {
			p.add(0, t.workers[i], gain)
		}
	}
	if paid["worker"] > e.out.Pools.Worker || paid["evaluator"] > e.out.Pools.Evaluator || paid["bonus"] > e.out.Pools.Bonus {
		f.Overdrawn++
	}
	switch {
	case t.golden:
	case e.out.Status != pay.Paid:
		f.Inconclusive++
	case e.out.Cluster == "0":
		f.Right++
	default:
		f.Wrong++
	}
	return sum
}

func name(role string, i int) string { return role + strconv.Itoa(i) }
