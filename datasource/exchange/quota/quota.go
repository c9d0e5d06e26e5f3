// Package quota bounds what peers may ask of a holder: their rates, the requests of one round of a
// case, and conversations at the same time.
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

// newMeter returns a meter that remembers so many keys.
func newMeter[K comparable](most int) *Meter[K] { return &Meter[K]{most: most, due: map[K]time.Time{}} }

// Take reports whether one more request may pass, and counts it then.
func (m *Meter[K]) Take(key K, r datasource.Rate) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := time.Now()
	if _, known := m.due[key]; !known && !m.room(at) {
		return false
	}
	next, ok := m.next(key, r, at)
	if ok {
		m.due[key] = next
	}
	return ok
}

// Waits reports whether a key has used up its rate. It counts and remembers nothing.
func (m *Meter[K]) Waits(key K, r datasource.Rate) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.next(key, r, time.Now())
	return !ok
}

// next returns when all requests of a key would be done with one more, and whether it may pass.
func (m *Meter[K]) next(key K, r datasource.Rate, at time.Time) (next time.Time, ok bool) {
	due := m.due[key]
	if due.Before(at) {
		due = at
	}
	whole := time.Duration(r.Seconds) * time.Second
	next = due.Add(whole / time.Duration(max(r.Requests, 1)))
	return next, next.Sub(at) <= whole
}

// room forgets keys that need not wait, if the meter is full.
func (m *Meter[K]) room(at time.Time) bool {
	if len(m.due) < m.most {
		return true
	}
	maps.DeleteFunc(m.due, func(_ K, due time.Time) bool { return !due.After(at) })
	return len(m.due) < m.most
}

// Counter counts the requests of each round of a case to a source. It keeps the most recent rounds.
type Counter struct {
	mu    sync.Mutex
	most  int
	count map[Share]*usage
}

// Share is the use of a source by the judges of a round.
type Share struct {
	Task   casefile.Address
	Round  uint8
	Source string
}

type usage struct {
	requests int
	judges   map[casefile.Address]int // the requests of each
	last     time.Time
}

// newCounter returns a counter of so many rounds.
func newCounter(most int) *Counter { return &Counter{most: most, count: map[Share]*usage{}} }

// Take reports whether a judge may ask once more, and counts it then. Each of the seats has an
// equal part of the quota (at least one request) that no other judge can use up. Judges that ask
// for more get it from the rest.
func (t *Counter) Take(key Share, judge casefile.Address, seats, quota int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.count[key]
	if h == nil {
		t.makeRoom()
		h = &usage{judges: map[casefile.Address]int{}}
		t.count[key] = h
	}
	part := max(1, quota/max(1, seats))
	if h.requests >= quota || h.judges[judge] >= part && h.requests+h.kept(seats, part) >= quota {
		return false
	}
	h.requests, h.last = h.requests+1, time.Now()
	h.judges[judge]++
	return true
}

// kept returns the requests that judges have not yet taken of their parts.
func (h *usage) kept(seats, part int) int {
	kept := part * max(0, seats-len(h.judges))
	for _, n := range h.judges {
		kept += max(0, part-n)
	}
	return kept
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

// strangersShare is the part of all conversations that peers who are no judges may have: a quarter.
const strangersShare = 4

// Slots bounds conversations, in all and with each peer. Identities cost nothing, so peers that are
// no judges have slots of their own, and take none from judges. As many again are refused politely.
type Slots struct {
	mu             sync.Mutex
	each           int
	judges, others side
}

type side struct {
	all, count int
	peers      map[casefile.DID]int
}

// NewSlots returns slots for so many conversations in all and with each peer.
func NewSlots(all, each int) *Slots {
	strange := all / strangersShare
	return &Slots{each: each, judges: side{all: all - strange, peers: map[casefile.DID]int{}}, others: side{all: strange, peers: map[casefile.DID]int{}}}
}

func (c *Slots) side(judge bool) *side {
	if judge {
		return &c.judges
	}
	return &c.others
}

// Enter takes a slot of a peer, if there is one. If welcome is false, the peer should be told to
// ask later.
func (c *Slots) Enter(peer casefile.DID, judge bool) (welcome, in bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.side(judge)
	if s.count >= 2*s.all || s.peers[peer] >= 2*c.each {
		return false, false
	}
	welcome = s.count < s.all && s.peers[peer] < c.each
	s.count++
	s.peers[peer]++
	return welcome, true
}

// Leave gives the slot of a peer back. The caller says what it said to Enter.
func (c *Slots) Leave(peer casefile.DID, judge bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.side(judge)
	s.count--
	if s.peers[peer]--; s.peers[peer] == 0 {
		delete(s.peers, peer)
	}
}
