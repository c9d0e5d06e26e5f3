package exchange

import (
	"context"
	"errors"
	"time"

	"ojud/datasource"
	"ojud/datasource/anex"
)

// askSelf asks the own source, if this node has it. A judge with its own access needs no holder.
func (q *fanOut) askSelf(ctx context.Context) {
	s := q.session
	book := s.requester.deps.Book
	if book == nil {
		return
	}
	card, ok := book.Card(q.topic.source)
	if !ok {
		return
	}
	self := s.requester.deps.Self
	q.running[self] = true
	s.work.Go(func() {
		free := uint64(0)
		if _, lack, ok := s.reserve(ctx, &free); !ok {
			q.outcomes <- outcome{holder: self, why: lack}
			return
		}
		answer, w := q.own(ctx, card)
		bytes := -1
		if answer != nil {
			bytes = len(answer.Content)
		}
		s.release(0, 0, bytes)
		q.outcomes <- outcome{holder: self, answer: answer, why: w}
	})
}

// own returns the own source's answer, with a receipt that the node signs itself.
func (q *fanOut) own(ctx context.Context, card datasource.Card) (*Answer, why) {
	s := q.session
	ctx, cancel := context.WithTimeout(ctx, s.requester.cfg.HolderTimeout)
	defer cancel()
	got, err := s.requester.deps.Steady.Answer(ctx, s.requester.deps.Book, s.eval.Case, s.eval.Judge, q.topic.source, q.request)
	if err != nil {
		s.requester.deps.Log.Warn("the own source does not answer", "source", q.topic.source, "err", err)
		return nil, ownWhy(err)
	}
	terms := q.ownTerms(card)
	answer, err := q.selfSigned(got, card, terms)
	if err != nil {
		s.requester.deps.Log.Error("no receipt for the own source", "source", q.topic.source, "err", err)
		return nil, whyOwn
	}
	if w := q.store(answer, terms.Canonical()); w != (why{}) {
		return nil, w
	}
	return &answer, why{}
}

func ownWhy(err error) why {
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return whyLate
	case errors.Is(err, datasource.ErrRequest):
		return whyUnfit
	}
	return whyFailed.with(datasource.Reason(err))
}

// ownTerms are the terms that a peer would get, but free.
func (q *fanOut) ownTerms(card datasource.Card) anex.Terms {
	self := q.session.requester.deps.Self.String()
	return anex.Terms{Asker: self, Holder: self, Call: q.session.call(q.topic.source, 0), Grant: anex.Proposal{Access: offerOf(card).Access}}
}

// selfSigned makes the same answer that a peer would get.
func (q *fanOut) selfSigned(got datasource.Answer, card datasource.Card, terms anex.Terms) (Answer, error) {
	s := q.session
	deps := s.requester.deps
	data, response, err := cutTo(got, terms.Grant.Access)
	if err != nil {
		return Answer{}, err
	}
	r, err := deps.Sign(answered{seat: s.seat(), holder: deps.Self, terms: terms, request: q.topic.request, response: response,
		fetchedAt: then(deps.Clock, got.FetchedAt), at: deps.Clock()}.receipt(deps.Domain))
	if err != nil {
		return Answer{}, err
	}
	hash, err := r.Hash()
	fresh := time.Duration(card.Terms.Promises.FreshnessSeconds)*time.Second + s.requester.cfg.ClockTolerance
	return Answer{Source: q.topic.source, Content: data, Receipt: r, Hash: hash, Holder: deps.Self, At: r.At, FetchedAt: r.FetchedAt, Own: true,
		Stale: time.Since(got.FetchedAt) > fresh}, err
}
