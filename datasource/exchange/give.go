package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/anex"
	"ojud/datasource/exchange/quota"
	"ojud/voting"
)

func (c *conversation) fetch(ctx context.Context, e anex.Fetch) anex.Event {
	c.asked, c.owed, c.answer = time.Now(), voting.Hash{}, datasource.Answer{}
	answer, err := c.get(ctx, e)
	if err != nil {
		return c.failed(e.Request, err)
	}
	c.answer = answer
	return anex.Fetched{At: now(), Data: answer.Body}
}

func (c *conversation) get(ctx context.Context, e anex.Fetch) (datasource.Answer, error) {
	source := e.Request.DataSource
	if err := c.may(ctx, e.Index, source); err != nil {
		return datasource.Answer{}, err
	}
	round := c.seat.Case
	if c.seat.Round == 0 { // a party must not choose the moment of the judges' answer
		round = casefile.Address{}
	}
	answer, err := c.holder.deps.Steady.Answer(ctx, c.holder.deps.Book, round, c.seat.Judge, source, e.Request.Request)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return answer, errors.Join(datasource.ErrSlow, err)
	case err != nil:
		return answer, err
	case answer.Card != c.terms:
		return answer, errChanged
	}
	return answer, nil
}

// may checks a request against the terms. A later request may come after the round.
func (c *conversation) may(ctx context.Context, index int, source string) error {
	h, terms := c.holder, c.card.Terms
	if index > 0 {
		if err := authorityError(h.deps.Authority.Check(ctx, c.seat, source, terms.Who)); err != nil {
			return err
		}
	}
	if terms.Price > 0 {
		if err := h.owed.checkCredit(c.seat.Judge); err != nil {
			return err
		}
	}
	ask := quota.Ask{Task: c.seat.Case, Round: c.seat.Round, Asker: c.seat.Judge, Outsider: c.seat.Outsider(), Source: source}
	switch {
	case !h.limits.Rate(ask, terms):
		return errRate
	case !h.limits.Share(ask, h.deps.Authority.Seats(c.seat.Case), terms.Quota):
		return errQuota
	}
	return nil
}

// receipt signs the answer. The answer is kept and the debt recorded before it is sent.
func (c *conversation) receipt(ctx context.Context, e anex.MakeReceipt) anex.Event {
	raw, err := c.sign(ctx, e)
	if err != nil {
		return c.failed(e.Request, err)
	}
	c.note(LogEntry{Source: e.Request.DataSource, Result: Answered, Request: e.Request.Request, Bytes: len(e.Data), Price: e.Terms.Grant.Price,
		Cached: c.answer.Cached})
	c.holder.metrics.gave(e.Terms.Grant.Price, len(e.Data), time.Since(c.asked))
	return anex.ReceiptMade{At: now(), Receipt: raw}
}

func (c *conversation) sign(ctx context.Context, e anex.MakeReceipt) ([]byte, error) {
	h := c.holder
	data, response, err := c.given(e)
	if err != nil {
		return nil, errors.Join(datasource.ErrLarge, err)
	}
	request, asked, err := content(e.Request.Request, datasource.MaxRequest)
	if err != nil {
		return nil, errors.Join(datasource.ErrRequest, err)
	}
	r, err := h.deps.Sign(answered{seat: c.seat, holder: h.deps.Self, terms: e.Terms, request: asked, response: response,
		fetchedAt: then(h.deps.Clock, c.answer.FetchedAt), at: h.deps.Clock()}.receipt(h.deps.Domain))
	if err != nil {
		return nil, errors.Join(errOwn, err)
	}
	if err := c.keep(ctx, Kept{Receipt: r, Terms: e.Terms.Canonical(), Request: request, Response: data}); err != nil {
		return nil, errors.Join(errOwn, err)
	}
	raw, err := r.Encode()
	if err != nil {
		return nil, errors.Join(errOwn, err)
	}
	return raw, c.owe(r, casefile.HashOf(raw))
}

// given returns the canonical form of the answer: that of the book, if nothing was cut.
func (c *conversation) given(e anex.MakeReceipt) (json.RawMessage, voting.Hash, error) {
	if len(fields(e.Terms.Grant.Access)) == 0 {
		return c.answer.Body, casefile.HashOf(c.answer.Body), nil
	}
	return content(e.Data, datasource.MaxAnswer)
}

func (c *conversation) keep(ctx context.Context, k Kept) error {
	if c.holder.deps.Keep == nil || c.query {
		return nil
	}
	if c.card.Terms.Promises.RetentionSeconds != nil {
		k.Request, k.Response = nil, nil
	}
	return c.holder.deps.Keep(ctx, k)
}

// failed answers with FAILURE in fixed words. The log has more for the owner.
func (c *conversation) failed(r anex.DataRequest, err error) anex.Event {
	c.holder.deps.Log.Info("a peer got no data", "peer", c.peer, "source", r.DataSource, "err", err)
	c.note(LogEntry{Source: r.DataSource, Result: reason(err), Request: r.Request})
	return anex.FetchFailed{At: now(), Reason: reason(err)}
}

func (c *conversation) note(e LogEntry) {
	h := c.holder
	h.metrics.answer(e.Result)
	if h.deps.Asked == nil {
		return
	}
	e.Time, e.Asker, e.Judge, e.Case, e.Round = time.Now(), c.peer, c.seat.Judge, c.seat.Case, c.seat.Round
	if !c.asked.IsZero() {
		e.Took = time.Since(c.asked).Milliseconds()
	}
	if !datasource.ValidName(e.Source) {
		e.Source = "?"
	}
	if err := h.deps.Asked.Append(e, c.card.Terms.Promises.RetentionSeconds); err != nil {
		h.deps.Log.Error("source log not written", "err", err)
	}
}
