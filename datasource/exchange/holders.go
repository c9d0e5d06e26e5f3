package exchange

import (
	"context"
	"slices"
)

// wants reports whether another holder should be asked now.
func (q *inquiry) wants() bool {
	return q.head == nil && len(q.running)+len(q.answers) < q.needed() && q.tries < q.session.desk.cfg.MaxHolders
}

func (q *inquiry) needed() int {
	if q.disputed() {
		return contested
	}
	return wanted
}

func (q *inquiry) disputed() bool {
	return slices.ContainsFunc(q.answers, func(a Answer) bool { return a.Disputed })
}

// finished reports whether nothing more can come.
func (q *inquiry) finished() bool {
	return q.head == nil && len(q.running) == 0 && (!q.wants() || q.candidates == nil && q.recheck == nil) // start has left nobody waiting who is wanted
}

// start asks as many as are wanted; the doubtful when no others can come.
func (q *inquiry) start(ctx context.Context) {
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

// consider looks at a candidate once.
func (q *inquiry) consider(c Candidate) {
	if q.seen[c.Peer] {
		return
	}
	q.seen[c.Peer] = true
	switch q.session.standing(c.Peer) {
	case shunned:
	case doubtful:
		q.later = append(q.later, c)
	default:
		q.waiting = append(q.waiting, c)
	}
}

// try asks a holder, unless its card says that it is of no use.
func (q *inquiry) try(ctx context.Context, c Candidate) {
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
