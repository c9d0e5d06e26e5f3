package remote

import (
	"context"
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"ojud/agent/talk/link"
)

// Bounds of what one node serves.
const (
	eachRate  = 100 // requests a second of one peer or machine
	eachBurst = 400
	maxPlaces = 4096 // peers and machines that are remembered
	eachAtOne = 32   // requests of one peer or machine at a time
	maxPuts   = 8    // artifacts that are written at a time
	maxGets   = 8    // artifacts that are read at a time
	maxReads  = 64   // other requests at a time
	maxAudits = 4    // audits at a time: each reads up to 64 artifacts
	maxBodies = 8    // of the largest size, or more small ones, that come in at a time; as many go out

	eachWaits = 10 * time.Second // for its turn
	headStart = 10 * time.Second // for a body, beside the time for its bytes
	leastRate = 64 << 10         // bytes of a body in a second
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

// turns bounds how many requests do something at a time, in all and of one place. The others wait
// in the order in which they came, and a place has few that wait. So it holds nobody up for long.
type turns struct {
	room  chan struct{}
	shelf *shelf // those that wait, too
}

// newTurns returns so many turns, and each of them for a place.
func newTurns(all, each int) *turns {
	return &turns{make(chan struct{}, all), newShelf(1<<31, int64(each))}
}

// take waits for a turn. The caller calls give at its end.
func (t *turns) take(ctx context.Context, place string) (give func(), ok bool) {
	leave, ok := t.shelf.take(place, 1)
	if !ok {
		return nil, false
	}
	late := time.NewTimer(eachWaits)
	defer late.Stop()
	select {
	case t.room <- struct{}{}:
		return func() { <-t.room; leave() }, true
	case <-late.C:
	case <-ctx.Done():
	}
	leave()
	return nil, false
}

// shelf bounds how much is there at a time, in all and of one place.
type shelf struct {
	mu              sync.Mutex
	all, each, used int64
	places          map[string]int64
}

func newShelf(all, each int64) *shelf {
	return &shelf{all: all, each: each, places: map[string]int64{}}
}

// take puts so much on the shelf, if there is room. The caller calls give at its end.
func (s *shelf) take(place string, n int64) (give func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used+n > s.all || s.places[place]+n > s.each {
		return nil, false
	}
	s.used += n
	s.places[place] += n
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.used -= n
		if s.places[place] -= n; s.places[place] == 0 {
			delete(s.places, place)
		}
	}, true
}

// doors bounds the connections of one place.
type doors struct {
	net.Listener
	shelf *shelf
}

// Accept implements net.Listener. It closes connections that are too many.
func (d doors) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if leave, ok := d.shelf.take(link.Place(c.RemoteAddr().String()), 1); ok {
			return &door{Conn: c, leave: sync.OnceFunc(leave)}, nil
		}
		_ = c.Close() // nothing was read or written
	}
}

// door is a connection that is counted until it is closed.
type door struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (d *door) Close() error {
	d.leave()
	return d.Conn.Close()
}
