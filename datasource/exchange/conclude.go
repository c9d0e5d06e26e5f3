package exchange

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"ojud/casefile"
	"ojud/voting"
)

// conclude writes the result of the question. Conversations that are still under way are too late.
func (q *fanOut) conclude(ctx context.Context) {
	for drained := false; !drained; {
		select {
		case o := <-q.outcomes:
			q.take(o)
		default:
			drained = true
		}
	}
	w := whySpare
	if ctx.Err() != nil {
		w = whyLate
	}
	for _, holder := range slices.SortedFunc(maps.Keys(q.running), compare) {
		q.fail(&holder, w)
	}
	if len(q.answers) == 0 && len(q.failures) == 0 {
		q.fail(nil, whyUnfound)
	}
	if len(q.answers) == 0 { // otherwise store has kept it: the record names the request
		if _, err := q.session.requester.deps.Blobs.Keep(voting.Key(q.session.seat().Case), q.request); err != nil {
			q.session.requester.deps.Log.Error("a question cannot be kept", "source", q.topic.source, "err", err)
		}
	}
	q.markStale()
	q.err = q.verdict()
	q.count()
}

func compare(a, b casefile.DID) int { return bytes.Compare(a[:], b[:]) }

// verdict returns the error of Ask. Staked holders that do not take the request weigh against those
// that answer, unless the own source answers.
func (q *fanOut) verdict() error {
	answered := uint64(0)
	for _, a := range q.answers {
		answered += a.Weight
	}
	own := slices.ContainsFunc(q.answers, func(a Answer) bool { return a.Own })
	switch n := q.effects; {
	case q.unfit > answered && !own:
		return q.fault(ErrBadRequest)
	case len(q.answers) > 0:
		return nil
	case n[unfit] > 0 && n[unfit] >= n[refused]:
		return q.fault(ErrBadRequest)
	case n[refused] > 0:
		return q.fault(ErrRefused)
	case n[spent] > 0:
		return q.fault(ErrSpent)
	}
	return q.fault(ErrUnavailable)
}

// markStale marks answers that are much older than the newest.
func (q *fanOut) markStale() {
	newest := int64(0)
	for _, a := range q.answers {
		newest = max(newest, a.FetchedAt)
	}
	for i := range q.answers {
		a := &q.answers[i]
		a.Stale = a.Stale || time.Duration(newest-a.FetchedAt)*time.Second > q.session.requester.cfg.StaleAfter
	}
}

func (q *fanOut) count() {
	m := q.session.requester.metrics
	result := Answered
	for _, class := range [...]error{ErrBadRequest, ErrRefused, ErrSpent, ErrUnavailable} {
		if errors.Is(q.err, class) {
			result = class.Error()
		}
	}
	m.questions.WithLabelValues(result).Inc()
	m.seconds.Observe(time.Since(q.began).Seconds())
	if q.disputed() {
		m.conflicts.Inc()
	}
}
