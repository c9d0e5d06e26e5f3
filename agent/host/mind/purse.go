package mind

import (
	"fmt"
	"sync"
	"time"

	"ojud/agent"
	"ojud/agent/model"
)

// Purse is what one call may spend, on its own models and on calls of other hosts together. Until
// the call begins, nothing is in it. Many goroutines may use it.
type Purse struct {
	mu     sync.Mutex
	models *model.Session // of a mind with a model: it counts what both cost; nil: left does
	left   agent.Usage    // its Prompt has all tokens
	given  agent.Usage    // to calls of other hosts
	meter  meter          // of its programs
}

// CPU returns the processor time that the programs of the call used.
func (p *Purse) CPU() time.Duration { return p.meter.total() }

// Give takes out what a call of another host may spend. It counts as spent, also if the other host
// gives some back. The error wraps agent.ErrSpent if less is left, and then nothing is taken.
func (p *Purse) Give(tokens int, micros uint64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := agent.Usage{Prompt: tokens, Cost: micros}
	if err := p.take(u); err != nil {
		return err
	}
	p.given.Add(u)
	return nil
}

// Given returns what calls of other hosts may have spent.
func (p *Purse) Given() agent.Usage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.given
}

// spend takes out what a program says that its models cost. If less is left, over is all that was
// left, which is taken out.
func (p *Purse) spend(u agent.Usage) (over agent.Usage, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err = p.take(u); err != nil {
		over, p.left = p.left, agent.Usage{}
	}
	return over, err
}

// take takes out of what is left. The caller holds mu.
func (p *Purse) take(u agent.Usage) error {
	if p.models != nil {
		return p.models.Take(u)
	}
	if tokens := u.Prompt + u.Completion; tokens > p.left.Prompt || u.Cost > p.left.Cost {
		return fmt.Errorf("%w: %d more tokens and %d millionths of a dollar, with %d and %d left", agent.ErrSpent, tokens, u.Cost, p.left.Prompt, p.left.Cost)
	}
	p.left.Prompt -= u.Prompt + u.Completion
	p.left.Cost -= u.Cost
	return nil
}

// fill puts in what a call may spend, before it begins.
func (w *Worker) fill(j Job) {
	p := j.Purse
	p.mu.Lock()
	defer p.mu.Unlock()
	p.meter.begin(w.m.Quota.CPU)
	p.left = agent.Usage{Prompt: w.m.Quota.Tokens, Cost: w.m.Quota.Micros}
	if j.Admitted {
		p.left = agent.Usage{Prompt: j.MayTokens, Cost: j.MayMicros}
	}
	if w.ladder == nil {
		return
	}
	budget := w.m.Models.Budget
	budget.Tokens, budget.Cost = min(budget.Tokens, p.left.Prompt), min(budget.Cost, float64(p.left.Cost)/1e6)
	p.models = w.ladder.Session(budget)
}
