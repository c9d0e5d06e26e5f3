package exchange

import (
	"context"
	"errors"
	"time"

	"ojud/datasource"
	"ojud/datasource/anex"
	"ojud/voting"
)

// deliver takes data if all of it is valid, and pays for it.
func (a *attempt) deliver(ctx context.Context, e anex.Deliver) []anex.Event {
	answer, w := a.verify(ctx, e)
	if w == (why{}) {
		w = a.q.store(answer, e.Terms.Canonical())
	}
	if !a.settle(answer, w) {
		return []anex.Event{anex.Stop{At: now(), Reason: "the answer does not hold"}}
	}
	return append(a.pay(ctx, answer), anex.Finish{At: now()})
}

// settle reports whether there is an answer. After the conversation's end there is none.
func (a *attempt) settle(answer Answer, w why) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if w == (why{}) && !a.finished {
		a.answer = &answer
	}
	a.why = w
	return a.answer != nil
}

// verify compares data and receipt with the request and the agreed terms.
func (a *attempt) verify(ctx context.Context, e anex.Deliver) (Answer, why) {
	s := a.q.session
	data, response, err := content(e.Data, datasource.MaxAnswer)
	if err != nil {
		return Answer{}, whyForm
	}
	if a.shape != nil {
		switch err := a.shape.Answer(ctx, data, len(fields(e.Terms.Grant.Access)) > 0); {
		case errors.Is(err, datasource.ErrSlow): // this node had no time left to check it
			return Answer{}, whyLate
		case err != nil:
			return Answer{}, whySchema
		}
	}
	said := answered{seat: s.seat(), holder: a.peer, terms: e.Terms, request: a.q.topic.request, response: response}
	receipt, err := said.check(e.Receipt, s.requester.deps.Domain, s.window())
	var hash voting.Hash
	if err == nil {
		hash, err = receipt.Hash()
	}
	if err != nil {
		return Answer{}, whyReceipt.with(err.Error())
	}
	return Answer{Source: a.q.topic.source, Content: data, Receipt: receipt, Hash: hash, Holder: a.peer, At: receipt.At,
		FetchedAt: receipt.FetchedAt, Stale: a.stale(receipt.FetchedAt), shareable: a.mayShare(e.Terms)}, why{}
}

// stale reports whether an answer is older than the card promises.
func (a *attempt) stale(fetchedAt int64) bool {
	if a.card == nil {
		return false
	}
	requester := a.q.session.requester
	fresh := time.Duration(a.card.Terms.Promises.FreshnessSeconds)*time.Second + requester.cfg.ClockTolerance
	return time.Duration(requester.deps.Clock()-fetchedAt)*time.Second > fresh+time.Second // seconds are truncated
}

// store keeps request, answer and terms, because the receipt names their hashes.
func (q *fanOut) store(answer Answer, terms []byte) why {
	s := q.session
	for _, raw := range [][]byte{q.request, answer.Content, terms} {
		if _, err := s.requester.deps.Blobs.Keep(voting.Key(s.seat().Case), raw); err != nil {
			s.requester.deps.Log.Error("an answer cannot be kept", "source", q.topic.source, "err", err)
			return whyOwn
		}
	}
	return why{}
}

// pay authorizes the price of the answer. If it fails, the answer counts all the same: the debt is
// a matter between this node's owner and the holder.
func (a *attempt) pay(ctx context.Context, answer Answer) []anex.Event {
	deps := a.q.session.requester.deps
	price := uint64(answer.Receipt.Price)
	if price == 0 || deps.Purse == nil {
		return nil
	}
	bill := Bill{Seat: a.q.session.seat(), Holder: a.peer, Receipt: answer.Hash, Price: price}
	voucher, err := deps.Purse.Authorize(context.WithoutCancel(ctx), bill) // it is decided, even if the holder has gone
	if err != nil {
		deps.Log.Error("an answer is not paid", "holder", a.peer, "lamports", price, "err", err)
		return nil
	}
	a.q.session.requester.metrics.lamports.Add(float64(price))
	return show([]Payment{{Receipt: [32]byte(answer.Hash), Voucher: voucher}})
}

// ended sends the outcome before the last messages of the conversation.
func (a *attempt) ended(e anex.Ended) {
	a.mu.Lock()
	w := whyEnded(e, a.said, a.full)
	if a.why != (why{}) {
		w = a.why
	}
	a.mu.Unlock()
	a.finish(w)
}

// finish returns the unused reservation and sends the outcome.
func (a *attempt) finish(w why) {
	s, bytes, paid := a.q.session, -1, uint64(0)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.finished = true
	if w.class == ClassAbsent && a.card == nil {
		w.class = "" // only a DHT record says that it has the source; such records live for days, and the owner may have removed the source
	}
	if a.answer != nil {
		bytes, paid = len(a.answer.Content), uint64(a.answer.Receipt.Price)
		s.requester.metrics.bytes.Add(float64(bytes))
	}
	s.release(a.reserved, paid, bytes)
	a.q.outcomes <- outcome{holder: a.peer, answer: a.answer, why: w} // there is room for all
}

// seat returns the seat for which this session asks.
func (s *Session) seat() Seat {
	return Seat{Case: s.eval.Case, Round: s.eval.Round, Judge: s.eval.Judge, Peer: s.requester.deps.Self}
}

// window returns the times that an answer may have.
func (s *Session) window() window {
	slack := int64(s.requester.cfg.ClockTolerance / time.Second)
	return window{from: s.eval.From - slack, until: s.eval.Until + slack, fetched: s.requester.deps.Clock() + slack}
}
