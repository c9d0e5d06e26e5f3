package megabrain

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"ojud/megabrain/pay"
	"ojud/megabrain/reputation"
)

// The population: how many agents there are of each role, and how many tasks there are a day.
const (
	workers    = 45
	evaluators = 30
	daily      = 50
	class      = "tasks"
)

// agent is one of the population. If its reputation is frozen and it is not honest, it begins again
// under another name.
type agent struct {
	other bool
	seat  int
	names int
}

func (a *agent) name() string { return strconv.Itoa(a.seat) + "." + strconv.Itoa(a.names) }

// world is a population with what is known about it.
type world struct {
	mix    mixture
	agents [2][]*agent // by role
	book   *reputation.Records
	terms  pay.Parameters
	now    int64 // Unix seconds
	known  bool  // reputation counts
}

var roles = [2]reputation.Role{reputation.Worker, reputation.Evaluator}

func newWorld(m mixture, s Sample, known bool) *world {
	w := &world{mix: m, book: reputation.New(reputation.Defaults(), nil), terms: s.terms(), known: known}
	for role, n := range []int{workers, evaluators} {
		about := m.worker != nil
		if role == 1 {
			about = m.evaluator != nil
		}
		for i := range n {
			w.agents[role] = append(w.agents[role], &agent{other: about && i%s.Others == 0, seat: i})
		}
	}
	return w
}

func (w *world) value(role int, a *agent) int {
	if !w.known {
		return reputation.Whole / 2
	}
	return w.book.Value(a.name(), roles[role], class, w.now)
}

// draw draws agents, none twice, by their reputation.
func (w *world) draw(r *rand.Rand, role, n int) []*agent {
	values := make([]int, len(w.agents[role]))
	sum := 0
	for i, a := range w.agents[role] {
		if values[i] = w.value(role, a); values[i] == 0 && a.other {
			a.names++
			values[i] = w.value(role, a)
		}
		sum += values[i]
	}
	out := make([]*agent, 0, n)
	for range n {
		if sum == 0 {
			break
		}
		at := r.IntN(sum)
		i := 0
		for ; at >= values[i]; i++ {
			at -= values[i]
		}
		sum -= values[i]
		values[i] = 0
		out = append(out, w.agents[role][i])
	}
	return out
}

// play plays one task, and learns from it.
func (w *world) play(r *rand.Rand, f *Figures, p *purse) {
	t := w.drawTask(r, false)
	if !t.filled() {
		return
	}
	e := w.settle(t)
	t.count(f, p, e)
	if e.out.Status != pay.Paid {
		return
	}
	for i, who := range e.Workers {
		end := reputation.Failed
		if who.CopyOf != "" {
			end = reputation.Lost
		} else if who.Cluster == e.out.Cluster {
			end = reputation.Good
		}
		w.book.Outcome(t.workers[i].name(), reputation.Worker, class, w.now, end)
	}
	for i := range e.Evaluators {
		end := reputation.Good
		for _, j := range e.out.Judgements {
			if slices.Contains(j.Outliers, name("e", i)) {
				end = reputation.Failed
			}
		}
		w.book.Outcome(t.judges[i].name(), reputation.Evaluator, class, w.now, end)
	}
}

// test plays a golden task, and learns more from it, if the right cluster was paid. Who was called
// later is not tested. It returns what was paid.
func (w *world) test(r *rand.Rand, f *Figures, p *purse) uint64 {
	t := w.drawTask(r, true)
	if !t.filled() {
		return 0
	}
	e := w.settle(t)
	if e.out.Status != pay.Paid || e.out.Cluster != "0" {
		return t.count(f, p, e)
	}
	for n, judge := range t.judges[:judges] {
		who := judge.agent
		if seen := marked(t.papers[:len(e.Workers)], t.scores[n]); reputation.Both(seen) {
			passed := reputation.Tells(seen, w.terms.Pass, w.terms.Sigma)
			if w.book.Golden(who.name(), reputation.Evaluator, class, w.now, passed) {
				e.out.Parts[len(e.Workers)+n].Slashed += evaluatorStake * uint64(w.terms.RubberStamp) / reputation.Whole
			}
		}
	}
	for i, who := range t.workers[:seats] {
		if t.papers[i].copyOf < 0 {
			w.book.Golden(who.name(), reputation.Worker, class, w.now, t.papers[i].answer == 0)
		}
	}
	return t.count(f, p, e)
}

// marked are the scores of an evaluator beside the truth. Copies count for nobody.
func marked(papers []paper, scores []int) (seen []reputation.Seen) {
	for i, p := range papers {
		if p.copyOf >= 0 {
			continue
		}
		seen = append(seen, reputation.Seen{Right: p.answer == 0, Score: scores[i]})
	}
	return seen
}

// purse adds up what agents earn, by role and by whether they are honest.
type purse struct{ sum [2][2]float64 }

func (p *purse) add(role int, s seat, percent float64) {
	of := 0
	if s.other {
		of = 1
	}
	p.sum[role][of] += percent - s.cost
}

// mean is what one agent earns in the time in which it would have been drawn once if all were drawn
// equally often, over the roles that a mix is about.
func (p *purse) mean(w *world, tasks int, other bool) float64 {
	of := 0
	if other {
		of = 1
	}
	sum, n := 0., 0.
	for role, about := range []bool{w.mix.worker != nil, w.mix.evaluator != nil} {
		if !about && (w.mix.worker != nil || w.mix.evaluator != nil) {
			continue
		}
		count := 0
		for _, a := range w.agents[role] {
			if a.other == other {
				count++
			}
		}
		if count == 0 {
			continue
		}
		turns := float64(tasks*[2]int{seats, judges}[role]) / float64(len(w.agents[role]))
		sum += p.sum[role][of] / float64(count) / turns
		n++
	}
	if n == 0 {
		return 0
	}
	return math.Round(100*sum/n) / 100
}
