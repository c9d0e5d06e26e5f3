// Package quota bounds what peers may ask of a holder: their rates, the requests of one case, and
// conversations at the same time.
package quota

import (
	"maps"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/datasource"
)

// Meter limits the requests of each key in a period, with bursts: the generic cell rate algorithm,
// with one time for each key. Its memory is bounded: it forgets keys without a recent request, and
// if it is full, a new key must wait.
type Meter[K comparable] struct {
	mu   sync.Mutex
	most int
	due  map[K]time.Time // when all its requests would be done, one by one at the rate
}

// NewMeter returns a meter that remembers so many keys.
func NewMeter[K comparable](most int) *Meter[K] { return &Meter[K]{most: most, due: map[K]time.Time{}} }

// Take reports whether one more request may pass, and counts it then.
func (m *Meter[K]) Take(key K, r datasource.Rate) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := time.Now()
	due, known := m.due[key]
	if !known && !m.room(at) {
		return false
	}
	if due.Before(at) {
		due = at
	}
	whole := time.Duration(r.Seconds) * time.Second
	next := due.Add(whole / time.Duration(max(r.Requests, 1)))
	if next.Sub(at) > whole {
		return false
	}
	m.due[key] = next
	return true
}

// room forgets keys that need not wait, if the meter is full.
func (m *Meter[K]) room(at time.Time) bool {
	if len(m.due) < m.most {
		return true
	}
	maps.DeleteFunc(m.due, func(_ K, due time.Time) bool { return !due.After(at) })
	return len(m.due) < m.most
}

// Counter counts the requests of each case to a source. It keeps the most recent cases.
type Counter struct {
	mu    sync.Mutex
	most  int
	count map[Share]*usage
}

// Share is the use of a source by a case.
type Share struct {
	Task   casefile.Address
	Source string
}

type usage struct {
	requests int
	last     time.Time
}

// NewCounter returns a counter of so many cases.
func NewCounter(most int) *Counter { return &Counter{most: most, count: map[Share]*usage{}} }

// Take reports whether the case may ask once more.
func (t *Counter) Take(key Share, quota int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.count[key]
	if h == nil {
		t.makeRoom()
		h = &usage{}
		t.count[key] = h
	}
	if h.requests >= quota {
		return false
	}
	h.requests, h.last = h.requests+1, time.Now()
	return true
}

func (t *Counter) makeRoom() {
	if len(t.count) < t.most {
		return
	}
	var oldest Share
	var last time.Time
	for key, h := range t.count {
		if last.IsZero() || h.last.Before(last) {
			oldest, last = key, h.last
		}
	}
	delete(t.count, oldest)
}

// Slots bounds conversations, in all and with each peer. As many again are refused politely.
type Slots struct {
	mu        sync.Mutex
	all, each int
	count     int
	peers     map[casefile.DID]int
}

// NewSlots returns slots for so many conversations in all and with each peer.
func NewSlots(all, each int) *Slots {
	return &Slots{all: all, each: each, peers: map[casefile.DID]int{}}
}

// Enter takes a slot of a peer, if there is one. If welcome is false, the peer should be told to
// ask later.
func (c *Slots) Enter(peer casefile.DID) (welcome, in bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count >= 2*c.all || c.peers[peer] >= 2*c.each {
		return false, false
	}
	welcome = c.count < c.all && c.peers[peer] < c.each
	c.count++
	c.peers[peer]++
	return welcome, true
}

// Leave gives the slot of a peer back.
func (c *Slots) Leave(peer casefile.DID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count--
	if c.peers[peer]--; c.peers[peer] == 0 {
		delete(c.peers, peer)
	}
}
