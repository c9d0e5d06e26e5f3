package exchange

import (
	"context"
	"slices"
	"time"
)

// everyJudgeTime is how many times longer all judges may take than a few.
const everyJudgeTime = 8

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
	case slices.ContainsFunc(q.answers, func(b Answer) bool { return b.Shared }):
		q.spare = append(q.spare, a)
	default:
		q.addShared(a)
	}
}

// checkShared checks a shared answer of a new holder, and keeps its content.
func (q *fanOut) checkShared(s Shared) (Answer, bool) {
	holder, deps := s.Receipt.Holder, q.session.requester.deps
	has := func(b Answer) bool { return b.Holder == holder }
	if holder == deps.Self || q.running[holder] || q.session.reputation(holder) == banned ||
		slices.ContainsFunc(q.answers, has) || slices.ContainsFunc(q.spare, has) || len(q.spare) == maxSharedAnswers {
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
	for _, a := range q.spare {
		if len(q.answers) < q.needed() {
			q.addShared(a)
		}
	}
	q.spare = nil
	s := q.session
	if s.requester.deps.Sharer == nil || s.requester.cfg.SharedAnswersWait == 0 || len(q.answers) >= q.needed() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, q.bounded(everyJudgeTime*s.requester.cfg.SharedAnswersWait))
	defer cancel()
	for shared := s.requester.deps.Sharer.Shared(ctx, q.question(), true); len(q.answers) < q.needed(); {
		select {
		case a, ok := <-shared:
			if !ok {
				return
			}
			if answer, known := q.checkShared(a); known {
				q.addShared(answer)
			}
		case o := <-q.outcomes:
			q.take(o)
		case <-ctx.Done():
			return
		}
	}
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
