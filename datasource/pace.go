package datasource

import (
	"sync"
	"time"
)

// pace bounds how often an upstream is called, in each span of the rate's length. Calls outside of
// cases have half of it, so that strangers leave the rest to seats and to the own judge.
type pace struct {
	mu           sync.Mutex
	rate         Rate
	all, outside []time.Time // calls of the last span, in order
}

// set changes the rate. Calls that were made count on. The zero rate is no bound.
func (p *pace) set(r Rate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rate = r
}

// take counts a call, if one may be made now. If not, it returns when there will be room.
func (p *pace) take(now time.Time, outside bool) (again time.Time, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rate == (Rate{}) {
		return now, true
	}
	span, most := time.Duration(p.rate.Seconds)*time.Second, p.rate.Requests
	p.all, p.outside = since(p.all, now.Add(-span)), since(p.outside, now.Add(-span))
	if n := len(p.all) - most; n >= 0 {
		again = p.all[n].Add(span)
	}
	if n := len(p.outside) - max(most/2, 1); outside && n >= 0 && p.outside[n].Add(span).After(again) {
		again = p.outside[n].Add(span)
	}
	if again.After(now) {
		return again, false
	}
	p.all = append(p.all, now)
	if outside {
		p.outside = append(p.outside, now)
	}
	return now, true
}

// since returns the calls after a time.
func since(calls []time.Time, t time.Time) []time.Time {
	for len(calls) > 0 && !calls[0].After(t) {
		calls = calls[1:]
	}
	return calls
}
