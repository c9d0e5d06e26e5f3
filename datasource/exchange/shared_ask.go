package exchange

import (
	"context"
	"slices"
	"time"

	"ojud/casefile"
)

// everyJudgeTime is how many times longer all judges may take than a few.
const everyJudgeTime = 8

// maxRecorded is how many answers to one question a case file takes (casefile.DataBody).
const maxRecorded = 8

// askJudges asks a few other judges of the round for their answers. Holders are asked after these
// judges have answered, or after RequesterConfig.SharedAnswersWait.
func (q *fanOut) askJudges(ctx context.Context) {
	s := q.session
	if s.requester.deps.Sharer == nil || s.requester.cfg.SharedAnswersWait == 0 {
		return
	}
	q.headStart = time.After(q.bounded(s.requester.cfg.SharedAnswersWait))
	q.shared = s.requester.deps.Sharer.Shared(ctx, q.question(), false)
}

// takeShared takes a shared answer. Only one counts beside the answers of holders, because the
// judge that shares answers can choose them. More are kept for the case that holders give too
// little.
func (q *fanOut) takeShared(s Shared, ok bool) {
	if !ok {
		q.shared, q.headStart = nil, nil
		return
	}
	a, known := q.checkShared(s)
	switch {
	case !known:
	case !q.session.counts(a.Holder), slices.ContainsFunc(q.answers, func(b Answer) bool { return b.Shared && q.session.counts(b.Holder) }):
		q.spare = append(q.spare, a)
	default:
		q.addShared(a)
	}
}

// checkShared checks a shared answer of a new holder, and keeps its content.
func (q *fanOut) checkShared(s Shared) (Answer, bool) {
	holder, deps := s.Receipt.Holder, q.session.requester.deps
	if q.accuse(s) {
		return Answer{}, false
	}
	has := func(b Answer) bool { return b.Holder == holder }
	if holder == deps.Self || q.running[holder] || q.session.reputation(holder) == banned ||
		slices.ContainsFunc(q.answers, has) || slices.ContainsFunc(q.spare, has) || len(q.spare) == maxSharedAnswers || !q.roomFor(holder) {
		return Answer{}, false
	}
	a, err := q.verifyShared(s)
	if err != nil {
		deps.Log.Info("a judge shared what does not hold", "judge", s.From, "source", q.topic.source, "why", err)
		q.session.requester.metrics.holders.WithLabelValues("shared in vain").Inc()
		if deps.Blame != nil {
			deps.Blame(s.From, ClassReceipt)
		}
		return Answer{}, false
	}
	return a, q.store(a, s.Terms) == why{}
}

// addShared adds a shared answer to the question, if the budget allows it.
func (q *fanOut) addShared(a Answer) {
	if !q.session.take(len(a.Content)) {
		return
	}
	q.seen[a.Holder] = true
	same := func(c Candidate) bool { return c.Peer == a.Holder }
	q.waiting, q.later = slices.DeleteFunc(q.waiting, same), slices.DeleteFunc(q.later, same)
	q.session.requester.metrics.holders.WithLabelValues("shared").Inc()
	q.add(a)
}

// fillFromShared fills up missing answers with shared ones, of every judge of the round.
func (q *fanOut) fillFromShared(ctx context.Context) {
	for _, stranger := range []bool{false, true} {
		for _, a := range q.spare {
			if q.session.counts(a.Holder) != stranger && q.lacks(stranger) {
				q.addShared(a)
			}
		}
	}
	q.spare = nil
	s := q.session
	if s.requester.deps.Sharer == nil || s.requester.cfg.SharedAnswersWait == 0 || !q.lacks(false) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, q.bounded(everyJudgeTime*s.requester.cfg.SharedAnswersWait))
	defer cancel()
	for shared := s.requester.deps.Sharer.Shared(ctx, q.question(), true); q.lacks(false); {
		select {
		case a, ok := <-shared:
			if !ok {
				return
			}
			if answer, known := q.checkShared(a); known && q.lacks(!q.session.counts(answer.Holder)) {
				q.addShared(answer)
			}
		case o := <-q.outcomes:
			q.take(o)
		case <-ctx.Done():
			return
		}
	}
}

// compare asks a few judges once more, because by now they have answers, too: a holder that told
// them something else counts for nothing, and its two receipts are evidence.
func (q *fanOut) compare(ctx context.Context) {
	s := q.session
	told := func(a Answer) bool { return !a.Own && s.counts(a.Holder) }
	if s.requester.deps.Sharer == nil || s.requester.cfg.SharedAnswersWait == 0 || !slices.ContainsFunc(q.answers, told) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, q.bounded(s.requester.cfg.SharedAnswersWait))
	defer cancel()
	shared := s.requester.deps.Sharer.Shared(ctx, q.question(), false)
	for {
		select {
		case a, ok := <-shared:
			if !ok {
				return
			}
			q.accuse(a)
		case <-ctx.Done():
			return
		}
	}
}

// accuse takes a shared answer if its holder gave this judge another one, and reports whether it
// did.
func (q *fanOut) accuse(s Shared) bool {
	given := func(a Answer) bool { return a.Receipt.Contradicts(s.Receipt) }
	i := slices.IndexFunc(q.answers, given)
	if i < 0 || q.answers[i].Own || !q.session.counts(s.Receipt.Holder) || len(q.answers) == maxRecorded {
		return false
	}
	of := func(a Answer) bool { return a.Holder == s.Receipt.Holder }
	if slices.ContainsFunc(q.answers[i+1:], of) {
		return false // two are evidence enough
	}
	a, err := q.verifyShared(s)
	if err != nil || q.store(a, s.Terms) != (why{}) || !q.session.take(len(a.Content)) {
		return false
	}
	q.session.requester.deps.Log.Warn("a holder signed two different answers to one question of a case; its receipts prove it",
		"holder", a.Holder, "source", q.topic.source, "judge", s.From)
	a.Standing, a.Weight = q.session.standing(a.Holder)
	a.Disputed, q.answers[i].Disputed = true, true
	q.answers = append(q.answers, a)
	return true
}

// lacks reports whether the question needs another answer: one that counts, or a stranger's.
func (q *fanOut) lacks(stranger bool) bool {
	if stranger {
		return len(q.answers) < q.needed()
	}
	return q.counted() < q.needed()
}

// roomFor reports whether another shared answer of this kind may wait. Strangers take half of the
// room at most, because whoever shares them can have made them.
func (q *fanOut) roomFor(holder casefile.DID) bool {
	strange := 0
	for _, a := range q.spare {
		if !q.session.counts(a.Holder) {
			strange++
		}
	}
	return q.session.counts(holder) || strange < maxSharedAnswers/2
}

// take counts an answer of so many bytes, if the budget has room for it.
func (s *Session) take(bytes int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.budget.receipts == 0 || s.budget.bytes < bytes {
		return false
	}
	s.budget.receipts--
	s.budget.bytes -= bytes
	return true
}
