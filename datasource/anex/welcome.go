package anex

import (
	"errors"
	"fmt"
)

// decide takes an answer of the caller. It checks the answer before it changes anything.
func (h *Holder) decide(e Event) error {
	switch e := e.(type) {
	case EngagementDecided:
		return h.answered(func() error { return h.engagementDecided(e) }, aboutEngagement)
	case AuthorityDecided:
		return h.answered(func() error { return h.authorityDecided(e) }, aboutAuthority)
	case TermsDecided:
		return h.answered(func() error { return h.termsDecided(e) }, aboutTerms)
	case QueryDecided:
		return h.answered(func() error { return h.queryDecided(e) }, aboutQuery)
	case Fetched:
		return h.answered(func() error { return h.fetched(e) }, aboutData)
	case ReceiptMade:
		return h.answered(func() error { return h.receiptMade(e) }, aboutReceipt)
	case FetchFailed:
		return h.answered(func() error { return h.fetchFailed(e) }, aboutData, aboutReceipt)
	}
	return fmt.Errorf("%w: %T is not for a holder", ErrEvent, e)
}

// answered takes the caller's answer to an open question.
func (h *Holder) answered(take func() error, about ...question) error {
	if err := h.open(about...); err != nil {
		return err
	}
	return take()
}

// engage takes the engagement.
func (h *Holder) engage(m Message) error {
	e, err := readEngagement(m.Content)
	if err != nil {
		return err
	}
	h.current, h.offered = m, ""
	h.ask(aboutEngagement, AskEngagement{h.peer, h.introduction, e, h.changes >= h.cfg.MaxModifications})
	return nil
}

func (h *Holder) engagementDecided(e EngagementDecided) error {
	if e.Answer < Agreeing || e.Answer > Modifying || e.Answer == Modifying && h.changes >= h.cfg.MaxModifications {
		return fmt.Errorf("%w: answer %d to an engagement after %d modifications", ErrEvent, e.Answer, h.changes)
	}
	if h.asking = nothing; !h.inTime() {
		return nil
	}
	switch e.Answer {
	case Agreeing:
		h.phase = engaged
		h.answer(h.current, ActAgree, say("response", e.Text))
	case Refusing:
		h.decline(Refusal{Response: e.Text}, fmt.Errorf("%w: %s", ErrRefused, clip(e.Text)))
	case Modifying:
		h.changes++
		h.phase, h.offered = modified, h.ticket()
		h.send(Message{Performative: ActPropose, Protocol: h.current.Protocol, Content: say("modification", e.Text),
			InReplyTo: h.current.ReplyWith, ReplyWith: h.offered})
	}
	return nil
}

// decline refuses, and ends the conversation.
func (h *Holder) decline(r Refusal, err error) {
	h.answer(h.current, ActRefuse, r.encode())
	h.endWith(Ended{Outcome: Declined, Err: err})
}

// query takes a question. It does not affect the rest of the conversation.
func (h *Holder) query(m Message) error {
	text, err := m.text("query")
	if err != nil {
		return err
	}
	if h.queries++; h.queries > h.cfg.MaxQueries {
		return fmt.Errorf("%w: query %d", ErrFlood, h.queries)
	}
	h.current = m
	h.ask(aboutQuery, AskQuery{h.peer, text})
	return nil
}

func (h *Holder) queryDecided(e QueryDecided) error {
	if h.asking = nothing; !h.inTime() {
		return nil
	}
	if !e.Known {
		h.answer(h.current, ActNotUnderstood, say("error", "not known"))
		return nil
	}
	h.answer(h.current, ActInform, sayAnswer(e.Yes))
	return nil
}

// called takes a CFP.
func (h *Holder) called(m Message) error {
	call, err := readCall(m.Content)
	if err != nil {
		return err
	}
	if h.bids++; h.bids > h.cfg.MaxBids {
		return fmt.Errorf("%w: CFP %d", ErrFlood, h.bids)
	}
	h.current, h.terms = m, Terms{Asker: h.peer, Holder: h.cfg.Self, Call: call}
	h.ask(aboutAuthority, AskAuthority{h.peer, call})
	return nil
}

func (h *Holder) authorityDecided(e AuthorityDecided) error {
	if h.asking = nothing; !h.inTime() {
		return nil
	}
	if !e.Allowed {
		h.decline(Refusal{Response: e.Reason}, fmt.Errorf("%w: no authority: %s", ErrRefused, clip(e.Reason)))
		return nil
	}
	h.ask(aboutTerms, AskTerms{h.peer, h.terms.Call})
	return nil
}

// termsDecided makes the proposal that the offer allows.
func (h *Holder) termsDecided(e TermsDecided) error {
	if e.Offer != nil {
		if err := e.Offer.check(); err != nil {
			return fmt.Errorf("%w: %w", ErrEvent, err)
		}
	}
	if h.asking = nothing; !h.inTime() {
		return nil
	}
	if e.Offer == nil {
		h.decline(Refusal{Response: e.Reason}, fmt.Errorf("%w: no terms: %s", ErrRefused, clip(e.Reason)))
		return nil
	}
	h.propose(*e.Offer)
	return nil
}

func (h *Holder) propose(o Offer) {
	grant, err := Meet(h.terms.Call, o)
	if err != nil {
		r := Refusal{Response: plain(err)}
		if errors.Is(err, ErrDemand) {
			r.Demand = o.Demand
		}
		if errors.Is(err, ErrPrice) {
			r.Price = o.Price
		}
		h.decline(r, err)
		return
	}
	h.phase, h.offered, h.terms.Grant = proposed, h.ticket(), grant
	h.send(Message{Performative: ActPropose, Protocol: h.current.Protocol, Content: grant.encode(),
		InReplyTo: h.current.ReplyWith, ReplyWith: h.offered})
}
