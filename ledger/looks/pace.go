package looks

import (
	"sync"
	"time"
)

// awakeFor is how long a watcher polls often after something happened. A dispute has several
// transactions, and the node has to see those that come after the first ones at once.
const awakeFor = time.Minute

// Pace says how often a watcher without a websocket polls: often while something happens, and
// seldom while nothing does.
type Pace struct {
	woken chan struct{}

	mu    sync.Mutex
	awake time.Time // when something happened last
}

// NewPace begins as if something had just happened.
func NewPace() *Pace { return &Pace{woken: make(chan struct{}, 1), awake: time.Now()} }

// Wake says that something happens.
func (p *Pace) Wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.awake) >= awakeFor {
		select {
		case p.woken <- struct{}{}:
		default:
		}
	}
	p.awake = time.Now()
}

// Woken tells that something happens for the first time in a minute, so that a pause that has begun
// is too long.
func (p *Pace) Woken() <-chan struct{} { return p.woken }

// Pick returns often if something happened in the last minute, and otherwise seldom.
func (p *Pace) Pick(often, seldom time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.awake) < awakeFor {
		return often
	}
	return seldom
}
