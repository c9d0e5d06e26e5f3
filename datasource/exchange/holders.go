package exchange

import (
	"context"
	"slices"
	"sync"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/voting"
)

// wants reports whether another holder should be asked now.
func (q *fanOut) wants() bool {
	return q.headStart == nil && len(q.running)+len(q.answers) < q.needed() && q.tries < q.session.requester.cfg.MaxHolders
}

func (q *fanOut) needed() int {
	if q.disputed() {
		return contested
	}
	return wanted
}

func (q *fanOut) disputed() bool {
	return slices.ContainsFunc(q.answers, func(a Answer) bool { return a.Disputed })
}

// finished reports whether no more answers can come.
func (q *fanOut) finished() bool {
	return q.headStart == nil && len(q.running) == 0 && (!q.wants() || q.candidates == nil && q.recheck == nil) // start leaves no wanted candidate waiting
}

// start asks as many holders as are wanted. It asks unreliable ones if no others can come.
func (q *fanOut) start(ctx context.Context) {
	for q.wants() {
		queue := &q.waiting
		if len(q.waiting) == 0 && q.candidates == nil {
			queue = &q.later
		}
		if len(*queue) == 0 {
			return
		}
		c := (*queue)[0]
		*queue = (*queue)[1:]
		q.try(ctx, c)
	}
}

func (q *fanOut) consider(c Candidate) {
	if q.seen[c.Peer] {
		return
	}
	q.seen[c.Peer] = true
	switch q.session.reputation(c.Peer) {
	case banned:
	case unreliable:
		q.later = append(q.later, c)
	default:
		q.waiting = append(q.waiting, c)
	}
}

// try asks a holder, unless its card says that it cannot help.
func (q *fanOut) try(ctx context.Context, c Candidate) {
	q.tries++
	if !q.again[c.Peer] {
		q.tried[c.Peer], q.again[c.Peer] = c, true
	}
	a, w := newAttempt(q, c)
	if a == nil {
		q.take(outcome{holder: c.Peer, why: w})
		return
	}
	q.running[c.Peer] = true
	q.session.work.Go(func() { a.run(ctx) })
}

// maxCards bounds the cards that are cached: those of the holders of a round.
const maxCards = 64

// cards caches parsed cards, because parsing compiles schemas.
type cards struct {
	mu   sync.Mutex
	read map[voting.Hash]readCard
}

type readCard struct {
	card  datasource.Card
	shape *datasource.Shape
	err   error
}

// parse parses a card, or returns it from the cache.
func (c *cards) parse(raw []byte) (datasource.Card, *datasource.Shape, error) {
	hash := casefile.HashOf(raw)
	c.mu.Lock()
	got, ok := c.read[hash]
	c.mu.Unlock()
	if ok {
		return got.card, got.shape, got.err
	}
	got.card, got.shape, got.err = datasource.ParseCard(raw)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.read) >= maxCards || c.read == nil {
		c.read = map[voting.Hash]readCard{}
	}
	c.read[hash] = got
	return got.card, got.shape, got.err
}
