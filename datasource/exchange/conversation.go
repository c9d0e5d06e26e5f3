package exchange

import (
	"context"
	"errors"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/anex"
	"ojud/voting"
)

// conversation is the holder's side. Its fields belong to the goroutine that calls handle.
type conversation struct {
	holder  *Holder
	peer    casefile.DID
	decide  time.Duration
	welcome bool

	seat  Seat
	query bool // no case file takes the answers
	card  datasource.Card
	terms voting.Hash // of the card; the same in the whole conversation

	asked  time.Time // when the current data REQUEST came
	answer datasource.Answer
	owed   voting.Hash // receipt of the latest answer, if it had a price
}

// handle answers the machine's questions.
func (c *conversation) handle(ctx context.Context, e anex.Effect) []anex.Event {
	ctx, cancel := context.WithTimeout(ctx, c.decide)
	defer cancel()
	switch e := e.(type) {
	case anex.AskEngagement:
		return []anex.Event{c.engage()}
	case anex.AskAuthority:
		return []anex.Event{c.authority(ctx, e.Call)}
	case anex.AskTerms:
		return []anex.Event{c.offer(ctx, e.Call)}
	case anex.AskQuery:
		return []anex.Event{anex.QueryDecided{At: now()}}
	case anex.Fetch:
		return []anex.Event{c.fetch(ctx, e)}
	case anex.MakeReceipt:
		return []anex.Event{c.receipt(ctx, e)}
	case anex.Told:
		c.paid(ctx, e)
	}
	return nil
}

// refused turns an answer that this node cannot send into a FAILURE. The asker does not owe it.
func (c *conversation) refused(e anex.Event, err error) anex.Event {
	made, isReceipt := e.(anex.ReceiptMade)
	if isReceipt {
		c.forgive(casefile.HashOf(made.Receipt))
	}
	if _, isData := e.(anex.Fetched); (isData || isReceipt) && errors.Is(err, anex.ErrOwn) {
		return anex.FetchFailed{At: now(), Reason: reason(datasource.ErrLarge)}
	}
	return nil
}

func (c *conversation) ended(anex.Ended) {}

func (c *conversation) engage() anex.Event {
	if !c.welcome {
		return anex.EngagementDecided{At: now(), Answer: anex.Refusing, Text: reason(errBusy)}
	}
	return anex.EngagementDecided{At: now(), Answer: anex.Agreeing, Text: "Yes."}
}

// authority decides whether the peer may ask for the source at all.
func (c *conversation) authority(ctx context.Context, call anex.Call) anex.Event {
	err := c.allow(ctx, call)
	if err == nil {
		return anex.AuthorityDecided{At: now(), Allowed: true}
	}
	c.note(LogEntry{Source: call.DataSource, Result: reason(err)})
	c.holder.deps.Log.Info("a peer may not ask", "peer", c.peer, "source", call.DataSource, "err", err)
	return anex.AuthorityDecided{At: now(), Reason: reason(err)}
}

func (c *conversation) allow(ctx context.Context, call anex.Call) (err error) {
	if call.DataSource == "" {
		return errNoSource
	}
	if c.seat, err = seatOf(c.peer, call, c.holder.deps.Authority); err != nil {
		return err
	}
	c.query = isQuery(call)
	card, ok := c.holder.deps.Book.Card(call.DataSource)
	if !ok {
		return datasource.ErrUnknown
	}
	return authorityError(c.holder.deps.Authority.Check(ctx, c.seat, call.DataSource, card.Terms.Who))
}

// authorityError hides other errors, because the peer must not learn about this node's RPC.
func authorityError(err error) error {
	for _, class := range [...]error{ErrNotLive, ErrNoSeat, ErrOtherPeer, ErrNotListed, ErrNotTold, ErrNoCase, ErrNoJudge, ErrNoAgent, ErrNoParty, ErrNoTask} {
		if err == nil || errors.Is(err, class) {
			return err
		}
	}
	return errors.Join(ErrNotKnown, err)
}

// offer returns what the source's terms give.
func (c *conversation) offer(ctx context.Context, call anex.Call) anex.Event {
	o, err := c.bid(ctx, call)
	if err != nil {
		c.note(LogEntry{Source: call.DataSource, Result: reason(err)})
		return anex.TermsDecided{At: now(), Reason: reason(err)}
	}
	return anex.TermsDecided{At: now(), Offer: &o}
}

func (c *conversation) bid(ctx context.Context, call anex.Call) (anex.Offer, error) {
	card, ok := c.holder.deps.Book.Card(call.DataSource)
	if !ok {
		return anex.Offer{}, datasource.ErrUnknown
	}
	hash, err := card.Hash()
	if err != nil {
		return anex.Offer{}, errors.Join(errOwn, err)
	}
	if c.terms != (voting.Hash{}) && c.terms != hash {
		return anex.Offer{}, errChanged
	}
	c.card, c.terms = card, hash
	if err := c.payable(ctx, card); err != nil {
		return anex.Offer{}, err
	}
	offer := offerOf(card)
	if grant, err := anex.Meet(call, offer); err == nil && len(grant.Access) > maxFields {
		return anex.Offer{}, errFields
	}
	return offer, nil
}

// payable reports whether this node can be paid the source's price.
func (c *conversation) payable(ctx context.Context, card datasource.Card) error {
	if card.Terms.Price == 0 {
		return nil
	}
	if c.holder.deps.Till == nil {
		return errNoTill
	}
	if err := c.holder.deps.Till.Ready(ctx); err != nil {
		c.holder.deps.Log.Warn("a source with a price is not given", "source", card.Name, "err", err)
		return errors.Join(errNoTill, err)
	}
	return nil
}
