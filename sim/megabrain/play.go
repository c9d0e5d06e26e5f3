package megabrain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"ojud/megabrain/pay"
	"ojud/megabrain/reference"
)

// Sample says how much is played.
type Sample struct {
	Tasks int    `json:"tasks"` // of each mix
	Seed  uint64 `json:"seed"`
}

// DefaultSample plays for one or two seconds.
func DefaultSample() Sample { return Sample{Tasks: 10_000, Seed: 1} }

// Validate names what is outside its range.
func (s Sample) Validate() error {
	if s.Tasks < 100 || s.Tasks > 1_000_000 {
		return fmt.Errorf("tasks is %d; set it to 100 to 1000000", s.Tasks)
	}
	return nil
}

// What a task has: the defaults of the protocol, and how many of three agents are not honest.
const (
	seats       = 3
	judges      = 2
	budget      = 1_000_000_000
	dishonestOf = 3
)

// Figures are what one way to pay comes to, in percent of the budget for each seat and task, after
// what the work cost, and in percent of the tasks.
type Figures struct {
	Honest       float64 `json:"honest"`
	Other        float64 `json:"other"`
	Right        float64 `json:"right"` // the paid cluster is right
	Wrong        float64 `json:"wrong"`
	Inconclusive float64 `json:"inconclusive"`
	Overdrawn    float64 `json:"overdrawn"` // a pool pays more than it holds
}

// Mix is a kind of agents, of whom every third is not honest.
type Mix struct {
	Name    string  `json:"name"`
	Written Figures `json:"as_written"` // by the protocol as it is written
	Ours    Figures `json:"ours"`
	further int     // evaluators that were called
	open    string
}

// Findings are what Run found.
type Findings struct {
	Sample   Sample    `json:"sample"`
	Mixes    []Mix     `json:"mixes"`
	Promises []Promise `json:"promises"`
}

// Run plays all mixes.
func Run(ctx context.Context, s Sample) (*Findings, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	out := &Findings{Sample: s}
	for i, m := range mixtures {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.Mixes = append(out.Mixes, play(m, s.Tasks, rand.New(rand.NewPCG(s.Seed, uint64(i)))))
	}
	out.promise()
	return out, nil
}

// seat is a person in a task.
type seat struct {
	other bool
	cost  float64
}

// task is one task, before anybody is paid.
type task struct {
	workers []seat
	papers  []paper
	judges  []seat
	scores  [][]int // by evaluator and worker
}

// drawTask draws agents and lets them work. Every evaluator that could be called has scores.
func drawTask(m mixture, r *rand.Rand) (t task) {
	operator := 1
	if r.IntN(100) < 15 {
		operator = 0
	}
	for range seats {
		w, other := honestWorker, m.worker != nil && r.IntN(dishonestOf) == 0
		if other {
			w = *m.worker
		}
		t.workers = append(t.workers, seat{other, w.cost})
		t.papers = append(t.papers, w.work(r, t.papers, operator))
	}
	for range pay.Defaults().MaxEvaluators {
		e, other := honestEvaluator, m.evaluator != nil && r.IntN(dishonestOf) == 0
		if other {
			e = *m.evaluator
		}
		t.judges = append(t.judges, seat{other, e.cost})
		scores := make([]int, seats)
		for i, p := range t.papers {
			scores[i] = e.score(r, p)
		}
		t.scores = append(t.scores, scores)
	}
	return t
}

// purse adds up what seats earn, by role and by whether they are honest.
type purse struct{ sum, n [2][2]float64 }

func (p *purse) add(role int, s seat, percent float64) {
	of := 0
	if s.other {
		of = 1
	}
	p.sum[role][of] += percent - s.cost
	p.n[role][of]++
}

// mean of one kind of agents over the roles that a mix is about; for a mix without others, both.
func (p *purse) mean(m mixture, of int) float64 {
	sum, roles := 0., 0.
	for role, about := range []bool{m.worker != nil, m.evaluator != nil} {
		if (about || m.worker == nil && m.evaluator == nil) && p.n[role][of] > 0 {
			sum += p.sum[role][of] / p.n[role][of]
			roles++
		}
	}
	if roles == 0 {
		return 0
	}
	return math.Round(100*sum/roles) / 100
}

func play(m mixture, tasks int, r *rand.Rand) Mix {
	mix := Mix{Name: m.name, open: m.open}
	var ours, written purse
	for range tasks {
		t := drawTask(m, r)
		mix.further += t.settle(&mix.Ours, &ours)
		t.asWritten(&mix.Written, &written)
	}
	for f, p := range map[*Figures]*purse{&mix.Ours: &ours, &mix.Written: &written} {
		f.Honest, f.Other = p.mean(m, 0), p.mean(m, 1)
		for _, x := range []*float64{&f.Right, &f.Wrong, &f.Inconclusive, &f.Overdrawn} {
			*x = math.Round(1000**x/float64(tasks)) / 10
		}
	}
	return mix
}

// settle pays by package pay, calls further evaluators as it asks, and returns how many.
func (t task) settle(f *Figures, p *purse) (further int) {
	a := pay.Assignment{Budget: budget, Deadline: 100, Difficulty: 100, Undistributed: "return", Parameters: pay.Defaults()}
	for i, paper := range t.papers {
		at := int64(1 + i)
		w := pay.Submission{ID: name("w", i), Stake: budget / 20, Submitted: &at, Cluster: strconv.Itoa(paper.answer)}
		if paper.copyOf >= 0 {
			w.CopyOf = name("w", paper.copyOf)
		}
		a.Workers = append(a.Workers, w)
	}
	var s pay.Settlement
	for n := 0; n < judges || s.Status == pay.FurtherEvaluator; n++ {
		a.Evaluators = append(a.Evaluators, pay.Evaluator{ID: name("e", n), Stake: budget * 3 / 100, Reputation: 5000})
		for i, score := range t.scores[n] {
			a.Evaluations = append(a.Evaluations, pay.Evaluation{Evaluator: name("e", n), Worker: name("w", i), Score: score, Confidence: 90, At: 200})
		}
		if n+1 >= judges {
			s = pay.Settle(a)
		}
	}
	paid := map[string]uint64{}
	for i, part := range s.Parts {
		gain := 100 * (float64(part.Paid+part.Bonus) - float64(part.Slashed)) / budget
		paid[part.Role] += part.Paid
		paid["bonus"] += part.Bonus
		if i < seats {
			p.add(0, t.workers[i], gain)
		} else {
			p.add(1, t.judges[i-seats], gain)
		}
	}
	switch {
	case s.Status != pay.Paid:
		f.Inconclusive++
	case s.Cluster == "0":
		f.Right++
	default:
		f.Wrong++
	}
	if paid["worker"] > s.Pools.Worker || paid["evaluator"] > s.Pools.Evaluator || paid["bonus"] > s.Pools.Bonus {
		f.Overdrawn++
	}
	return len(a.Evaluators) - judges
}

func name(role string, i int) string { return role + strconv.Itoa(i) }

// asWritten pays by the reference algorithms of the protocol. Copies are not seen, because it has
// no way to see them, and the largest cluster of two and more is dominant.
func (t task) asWritten(f *Figures, p *purse) {
	size := map[int]int{}
	for _, paper := range t.papers {
		size[paper.answer]++
	}
	dominant := -1
	for answer, n := range size {
		if n >= 2 {
			dominant = answer
		}
	}
	if dominant < 0 {
		f.Inconclusive++
		for _, s := range t.workers {
			p.add(0, s, 0)
		}
		for _, s := range t.judges[:judges] {
			p.add(1, s, 0)
		}
		return
	}
	if dominant == 0 {
		f.Right++
	} else {
		f.Wrong++
	}
	var all, raw, distances, confidence []float64
	outlier := make([]bool, judges)
	distances, confidence = make([]float64, judges), make([]float64, judges)
	for i := range t.papers {
		var e []reference.Evaluation
		for n := range judges {
			e = append(e, reference.Evaluation{Score: float64(t.scores[n][i]), Confidence: .9, Reputation: .5})
			all = append(all, float64(t.scores[n][i]))
		}
		score, outliers, _ := reference.Aggregate(e)
		raw = append(raw, score)
		for n := range judges {
			distances[n] += math.Abs(e[n].Score-score) / seats
			confidence[n] = .9
		}
		for _, n := range outliers {
			outlier[n] = true
		}
	}
	var in []int
	var scores []float64
	for i, paper := range t.papers {
		if paper.answer == dominant {
			in, scores = append(in, i), append(scores, reference.Normalise(raw[i], all, 1))
		}
	}
	gain := make([]float64, seats)
	for k, paid := range reference.Workers(70, 10, scores) {
		gain[in[k]] = paid
	}
	for i, s := range t.workers {
		p.add(0, s, gain[i])
	}
	sum := 0.
	for n, paid := range reference.Evaluators(20, distances, confidence, 100) {
		sum += paid
		if outlier[n] {
			paid -= 3. / 4
		}
		p.add(1, t.judges[n], paid)
	}
	if sum > 20 {
		f.Overdrawn++
	}
}
