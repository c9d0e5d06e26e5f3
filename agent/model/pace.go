package model

import (
	"slices"
	"sync"
	"time"
)

const (
	samples  = 32               // remembered answers
	memory   = 15 * time.Minute // then one is forgotten, so that a slow model is tried again
	minRest  = 15 * time.Second
	mostRest = 5 * time.Minute
)

// pace measures how fast a model answers, and whether it rests after faults.
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

func (p *pace) answered(now time.Time, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(now, took)
	p.strikes, p.until = 0, time.Time{}
}

// late notes that no answer came in time. It counts as twice that time.
func (p *pace) late(now time.Time, waited time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(now, 2*waited)
}

func (p *pace) add(now time.Time, took time.Duration) {
	p.taken = append(p.taken, sample{now, took})
	p.taken = p.taken[max(0, len(p.taken)-samples):]
}

// struck makes the model rest, longer after each fault, and at least as long as its server wants.
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

// failing reports whether the last call failed.
func (p *pace) failing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.strikes > 0
}

// measured returns the median and the 95th percentile of the answers' times, or 0.
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
