package remote

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Bounds of what one node serves.
const (
	eachRate  = 100 // requests a second of one peer or machine
	eachBurst = 400
	maxPlaces = 4096 // peers and machines that are remembered
	eachAtOne = 32   // requests of one peer or machine at a time
	maxPuts   = 8    // artifacts that are taken at a time
	maxReads  = 64   // other requests at a time
	maxAudits = 2    // audits at a time: each reads up to 64 artifacts
)

// gate bounds what one place asks.
type gate struct {
	mu     sync.Mutex
	places map[string]*place
}

type place struct {
	limit *rate.Limiter
	at    int // requests at this time
}

// enter counts a request. The caller calls leave at its end.
func (g *gate) enter(from string, now time.Time) (leave func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.places == nil {
		g.places = map[string]*place{}
	}
	p := g.places[from]
	if p == nil {
		if len(g.places) >= maxPlaces && !g.forget(now) {
			return nil, false
		}
		p = &place{limit: rate.NewLimiter(eachRate, eachBurst)}
		g.places[from] = p
	}
	if p.at >= eachAtOne || !p.limit.AllowN(now, 1) {
		return nil, false
	}
	p.at++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		p.at--
	}, true
}

// forget removes places that ask nothing and have their whole budget again.
func (g *gate) forget(now time.Time) bool {
	for name, p := range g.places {
		if p.at == 0 && p.limit.TokensAt(now) >= eachBurst {
			delete(g.places, name)
		}
	}
	return len(g.places) < maxPlaces
}

// slots bounds how many do something at a time.
type slots chan struct{}

func (s slots) take() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s slots) give() { <-s }
