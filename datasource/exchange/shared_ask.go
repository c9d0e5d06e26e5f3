package exchange

import (
	"context"
	"slices"
	"time"
)

// everyTime is how many times longer than a few judges all judges may take to share their answers,
// if holders give too little.
const everyTime = 8

// listen asks a few other judges of the round for their answers. Holders are asked after these
// judges have answered, or after RequesterConfig.SharedAnswersWait.
func (q *fanOut) listen(ctx context.Context) {
	s := q.session
	if s.desk.deps.Sharer == nil || s.desk.cfg.SharedAnswersWait == 0 {
		return
	}
	q.head = time.After(q.bounded(s.desk.cfg.SharedAnswersWait))
	q.shared = s.desk.deps.Sharer.Shared(ctx, q.question(), false)
}

// hear takes a shared answer. Only one counts beside the answers of holders, because the judge that
// shares answers can choose them. More are kept for the case that holders give too little.
func (q *fanOut) hear(s Shared, ok bool) {
	if !ok {
		q.shared, q.head = nil, nil
		return
	}
	a, known := q.receive(s)
	switch {
	case !known:
	case slices.ContainsFunc(q.answers, func(b Answer) bool { return b.Shared }):
		q.lent = append(q.lent, a)
	default:
		q.admit(a)
	}
}

// receive checks a shared answer of a new holder, and keeps its content.
func (q *fanOut) receive(s Shared) (Answer, bool) {
	holder, deps := s.Receipt.Holder, q.session.desk.deps
	has := func(b Answer) bool { return b.Holder == holder }
	if holder == deps.Self || q.running[holder] || q.session.standing(holder) == shunned ||
		slices.ContainsFunc(q.answers, has) || slices.ContainsFunc(q.lent, has) || len(q.lent) == maxLent {
		return Answer{}, false
	}
	a, err := q.heard(s)
	if err != nil {
		deps.Log.Info("a judge shared what does not hold", "judge", s.From, "source", q.topic.source, "why", err)
		q.session.desk.metrics.holders.WithLabelValues("shared in vain").Inc()
		if deps.Blame != nil {
			deps.Blame(s.From, ClassReceipt)
		}
		return Answer{}, false
	}
	for _, raw := range [][]byte{q.request, a.Content, s.Terms} {
		if _, err := deps.Blobs.Put(raw); err != nil {
			deps.Log.Error("an answer cannot be kept", "source", q.topic.source, "err", err)
			return Answer{}, false
		}
	}
	return a, true
}

// admit adds a shared answer to the question, if the budget allows it.
func (q *fanOut) admit(a Answer) {
	if !q.session.take(len(a.Content)) {
		return
	}
	q.seen[a.Holder] = true
	same := func(c Candidate) bool { return c.Peer == a.Holder }
	q.waiting, q.later = slices.DeleteFunc(q.waiting, same), slices.DeleteFunc(q.later, same)
	q.session.desk.metrics.holders.WithLabelValues("shared").Inc()
	q.add(a)
}

// borrow fills up missing answers with shared ones, and asks every judge of the round for them.
func (q *fanOut) borrow(ctx context.Context) {
	for _, a := range q.lent {
		if len(q.answers) < q.needed() {
			q.admit(a)
		}
	}
	q.lent = nil
	s := q.session
	if s.desk.deps.Sharer == nil || s.desk.cfg.SharedAnswersWait == 0 || len(q.answers) >= q.needed() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, q.bounded(everyTime*s.desk.cfg.SharedAnswersWait))
	defer cancel()
	for shared := s.desk.deps.Sharer.Shared(ctx, q.question(), true); len(q.answers) < q.needed(); {
		select {
		case a, ok := <-shared:
			if !ok {
				return
			}
			if answer, known := q.receive(a); known {
				q.admit(answer)
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
