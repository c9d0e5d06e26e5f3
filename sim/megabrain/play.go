package megabrain

import (
	"context"
	"math"
	"math/rand/v2"

	"ojud/config/bounds"
	"ojud/megabrain/pay"
	"ojud/megabrain/reputation"
)

// Sample says how much is played, and by what.
type Sample struct {
	Tasks         int    `json:"tasks"` // of each mix
	Seed          uint64 `json:"seed"`
	Others        int    `json:"others_one_in"` // of so many agents, one is not honest
	Golden        int    `json:"golden_one_in"` // to so many tasks, there is a golden one
	MaxWorkers    int    `json:"max_workers"`
	MaxEvaluators int    `json:"max_evaluators"`
	Reject        int    `json:"reject_bps"`
}

// DefaultSample plays for some seconds, by the default parameters.
func DefaultSample() Sample {
	p := pay.Defaults()
	return Sample{Tasks: 10_000, Seed: 1, Others: 3, Golden: 10, MaxWorkers: p.MaxWorkers, MaxEvaluators: p.MaxEvaluators, Reject: p.Reject}
}

// Validate names what is outside its range.
func (s Sample) Validate() error {
	return bounds.Check("",
		bounds.Of("tasks", s.Tasks, 100, 1_000_000),
		bounds.Of("others", s.Others, 3, 15),
		bounds.Of("golden", s.Golden, 1, 1000),
		bounds.Of("max-workers", s.MaxWorkers, seats, 10),
		bounds.Of("max-evaluators", s.MaxEvaluators, judges, 10),
		bounds.Of("reject", s.Reject, 0, reputation.Whole),
	)
}

// What a task has by the defaults of the protocol.
const (
	seats  = 3
	judges = 2
	budget = 1_000_000_000

	evaluatorStake = budget * 3 / 100
)

// Figures are what one way to pay comes to, in percent of the budget for each turn, after what the
// work cost, and in percent of the tasks. A turn is the time in which every agent would be drawn
// once, if all were drawn equally often.
type Figures struct {
	Honest       float64 `json:"honest"`
	Other        float64 `json:"other"`
	Right        float64 `json:"right"` // the paid cluster is right
	Wrong        float64 `json:"wrong"`
	Inconclusive float64 `json:"inconclusive"`
	Overdrawn    float64 `json:"overdrawn"` // a pool pays more than it holds
}

// Mix is a kind of agents beside honest ones.
type Mix struct {
	Name    string  `json:"name"`
	Written Figures `json:"as_written"`           // by the protocol as it is written
	Equal   Figures `json:"without_golden_tasks"` // by our payments, without reputation
	Ours    Figures `json:"ours"`                 // with golden tasks and the reputation from them
	Cost    float64 `json:"golden_tasks_cost"`    // percent of all other budgets
}

// Findings are what Run found.
type Findings struct {
	Sample   Sample    `json:"sample"`
	Mixes    []Mix     `json:"mixes"`
	Caught   []Caught  `json:"caught"`
	Posting  []Posting `json:"posting"`
	Promises []Promise `json:"promises"`
}

// Run plays the tasks of every mix. It stops early if the context ends.
func Run(ctx context.Context, s Sample) (*Findings, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	out := &Findings{Sample: s}
	for i, m := range mixtures {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.Mixes = append(out.Mixes, s.play(m, uint64(i)))
	}
	out.Caught, out.Posting = s.catch(), s.post()
	out.promise()
	return out, nil
}

func (s Sample) terms() pay.Parameters {
	p := pay.Defaults()
	p.MaxWorkers, p.MaxEvaluators, p.Reject = s.MaxWorkers, s.MaxEvaluators, s.Reject
	return p
}

// play plays the tasks of a mix three times: as the protocol is written and by our payments, with
// the same agents in each task, and by our payments with golden tasks.
func (s Sample) play(m mixture, stream uint64) Mix {
	mix := Mix{Name: m.name}
	equal, known := newWorld(m, s, false), newWorld(m, s, true)
	var written, plain, ours purse
	r := rand.New(rand.NewPCG(s.Seed, 2*stream))
	for range s.Tasks {
		t := equal.drawTask(r, false)
		t.count(&mix.Equal, &plain, equal.settle(t))
		t.asWritten(&mix.Written, &written)
	}
	r = rand.New(rand.NewPCG(s.Seed, 2*stream+1))
	tests, cost := 0, uint64(0)
	for n := range s.Tasks {
		known.now = int64(n) * 24 * 3600 / daily
		if n%s.Golden == 0 {
			cost += known.test(r, &mix.Ours, &ours)
			tests++
		}
		known.play(r, &mix.Ours, &ours)
	}
	mix.Cost = math.Round(1000*float64(cost)/budget/float64(s.Tasks)) / 10
	for _, k := range []struct {
		f     *Figures
		p     *purse
		w     *world
		tasks int
	}{{&mix.Equal, &plain, equal, s.Tasks}, {&mix.Written, &written, equal, s.Tasks}, {&mix.Ours, &ours, known, s.Tasks + tests}} {
		k.f.Honest, k.f.Other = k.p.mean(k.w, k.tasks, false), k.p.mean(k.w, k.tasks, true)
		for _, x := range []*float64{&k.f.Right, &k.f.Wrong, &k.f.Inconclusive, &k.f.Overdrawn} {
			*x = math.Round(1000**x/float64(s.Tasks)) / 10
		}
	}
	return mix
}
