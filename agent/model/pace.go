package model

import (
	"slices"
	"sync"
	"time"
)

const (
	samples  = 32               // answers that are remembered
	memory   = 15 * time.Minute // after which one is forgotten, so that a model that was slow once is tried again
	minRest  = 15 * time.Second
	mostRest = 5 * time.Minute
)

// pace is how fast a model answers, measured, and whether it rests after faults.
type pace struct {
	mu      sync.Mutex
	taken   []sample // oldest first
	strikes int
	until   time.Time // it rests
}

type sample struct {
	at   time.Time
	took time.Duration
}

// answered notes an answer.
func (p *pace) answered(now time.Time, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(now, took)
	p.strikes, p.until = 0, time.Time{}
}

// late notes that there was no answer in time: it takes longer than that, and is taken to need twice as long.
func (p *pace) late(now time.Time, waited time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(now, 2*waited)
}

func (p *pace) add(now time.Time, took time.Duration) {
	p.taken = append(p.taken, sample{now, took})
	p.taken = p.taken[max(0, len(p.taken)-samples):]
}

// struck makes the model rest, longer after each fault, and at least as long as its server asks for.
func (p *pace) struck(now time.Time, asked time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := min(minRest<<min(p.strikes, 8), mostRest)
	p.strikes++
	p.until = now.Add(max(rest, asked))
}

func (p *pace) resting(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return now.Before(p.until)
}

// measured returns how long half of the answers took at most, and 19 of 20; 0 if none is known.
func (p *pace) measured(now time.Time) (median, most time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken = slices.DeleteFunc(p.taken, func(s sample) bool { return now.Sub(s.at) > memory })
	if len(p.taken) == 0 {
		return 0, 0
	}
	var took []time.Duration
	for _, s := range p.taken {
		took = append(took, s.took)
	}
	slices.Sort(took)
	return took[(len(took)-1)/2], took[(len(took)*19+19)/20-1]
}
