package exchange

import (
	"context"
	"slices"

	"ojud/casefile"
)

// wants reports whether another holder should be asked now: one that counts, or a stranger.
// Strangers are asked like others as long as nobody else answered, but they take no place
// from a holder that counts.
func (q *fanOut) wants(stranger bool) bool {
	if q.headStart != nil {
		return false
	}
	if stranger {
		return len(q.running)+len(q.answers) < q.needed() && q.strange < q.session.mostStrangers()
	}
	running := 0
	for holder := range q.running {
		if q.session.counts(holder) {
			running++
		}
	}
	return running+q.counted() < q.needed() && q.tries < q.session.requester.cfg.MaxHolders
}

// counted returns how many answers count.
func (q *fanOut) counted() (n int) {
	for _, a := range q.answers {
		if q.session.counts(a.Holder) {
			n++
		}
	}
	return n
}

func (q *fanOut) needed() int {
	if q.disputed() {
		return max(contested, q.session.requester.cfg.Answers)
	}
	return q.session.requester.cfg.Answers
}

func (q *fanOut) disputed() bool {
	return slices.ContainsFunc(q.answers, func(a Answer) bool { return a.Disputed })
}

// finished reports whether no more answers can come.
func (q *fanOut) finished() bool {
	if q.headStart != nil || len(q.running) > 0 {
		return false
	}
	// start leaves no wanted candidate waiting
	return !q.wants(false) || q.candidates == nil && q.recheck == nil
}

// start asks as many holders as are wanted. It asks unreliable ones if no others can come.
func (q *fanOut) start(ctx context.Context) {
	for {
		c, ok := q.pick(&q.waiting)
		if !ok && q.candidates == nil {
			c, ok = q.pick(&q.later)
		}
		if !ok {
			return
		}
		q.try(ctx, c)
	}
}

// pick takes the first wanted candidate from a list.
func (q *fanOut) pick(list *[]Candidate) (Candidate, bool) {
	for i, c := range *list {
		if q.wants(!q.session.counts(c.Peer)) {
			*list = slices.Delete(*list, i, i+1)
			return c, true
		}
	}
	return Candidate{}, false
}

// consider takes a candidate. Any number of strangers may claim to have the source, so they are
// bounded; the others are on the Roster.
func (q *fanOut) consider(c Candidate) {
	if q.seen[c.Peer] || len(q.seen) > maxSeen && !(q.session.eval.Staked != nil && q.session.counts(c.Peer)) {
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

// standing returns what stands behind the answers of a holder.
func (s *Session) standing(holder casefile.DID) (casefile.HolderStanding, uint64) {
	weight, staked := s.eval.Staked[holder]
	switch {
	case s.eval.Staked == nil:
		return "", 0
	case holder == s.requester.deps.Self:
		return casefile.OwnSource, 0
	case staked:
		return casefile.StakedHolder, weight
	}
	return casefile.Stranger, 0
}

// counts reports whether answers of a holder count towards those that a question needs.
func (s *Session) counts(holder casefile.DID) bool {
	standing, _ := s.standing(holder)
	return standing != casefile.Stranger
}

// mostStrangers bounds the strangers that are asked a question.
func (s *Session) mostStrangers() int {
	if s.eval.Staked == nil {
		return 0 // nobody is one
	}
	return s.requester.cfg.MaxHolders / 2
}

// try asks a holder, unless its card says that it cannot help.
func (q *fanOut) try(ctx context.Context, c Candidate) {
	if q.session.counts(c.Peer) {
		q.tries++
	} else {
		q.strange++
	}
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
