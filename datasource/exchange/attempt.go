package exchange

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/anex"
)

// attempt asks one holder. run reserves its part of the budget, and finish returns it.
type attempt struct {
	q        *fanOut
	peer     casefile.DID
	card     *datasource.Card
	shape    *datasource.Shape
	price    *uint64 // in the card
	reserved uint64  // lamports reserved
	limit    uint64  // the highest price of an answer, at most reserved
	full     bool    // the holder has its full time
	until    time.Time

	shown bool // vouchers for earlier answers were sent

	mu       sync.Mutex
	finished bool
	said     string // in FAILURE
	why      why
	answer   *Answer
}

// newAttempt checks the candidate's card. If the candidate cannot help, it returns the reason.
func newAttempt(q *fanOut, c Candidate) (*attempt, why) {
	a := &attempt{q: q, peer: c.Peer}
	if c.Card != nil {
		card, shape, err := q.session.requester.cards.Parse(c.Card)
		if err != nil || card.Name != q.topic.source {
			return nil, whyCard
		}
		if _, err := shape.Request(q.session.ctx, q.request); err != nil {
			return nil, whyUnfit
		}
		asks := uint64(card.Terms.Price)
		a.card, a.shape, a.price = &card, shape, &asks
	}
	return a, why{}
}

// run holds the conversation. It always sends one outcome, as soon as it is known.
func (a *attempt) run(ctx context.Context) {
	s := a.q.session
	cfg := s.requester.cfg
	reserved, lack, ok := s.reserve(ctx, a.price)
	if !ok {
		a.q.outcomes <- outcome{holder: a.peer, why: lack}
		return
	}
	a.reserved = reserved
	if a.limit, ok = s.affords(ctx, reserved, a.price); !ok {
		a.finish(whyPoor)
		return
	}
	now := time.Now()
	end, _ := ctx.Deadline()
	share := min(cfg.HolderTimeout, end.Sub(now)/3)
	a.full, a.until = share == cfg.HolderTimeout, now.Add(share)
	dialling, cancel := context.WithDeadline(ctx, a.until)
	line, err := s.requester.deps.Dial(dialling, a.peer)
	late := dialling.Err() != nil
	cancel()
	if err != nil {
		s.requester.deps.Log.Debug("dialing a holder failed", "holder", a.peer, "err", err)
		if late { // the limit is this node's, so the holder may work well
			a.finish(whyDialled)
		} else {
			a.finish(whyUnreachable)
		}
		return
	}
	machine, start, err := a.begin()
	if err != nil {
		s.requester.deps.Log.Error("a holder cannot be asked", "holder", a.peer, "err", errors.Join(err, line.Close()))
		a.finish(whyOwn)
		return
	}
	newDrive(line, machine, a, MaxToAsker, cfg.CloseTimeout, s.requester.deps.Log).run(ctx, start)
}

// begin makes the machine and its first event.
func (a *attempt) begin() (*anex.Asker, anex.Event, error) {
	s := a.q.session
	cfg := anex.DefaultConfig()
	cfg.Self, cfg.Peer, cfg.MaxRequests = s.requester.deps.Self.String(), a.peer.String(), 2
	machine, err := anex.NewAsker(cfg)
	return machine, anex.Start{
		At: now(), Conversation: rand.Text(), Introduction: "I am the agent of a judge. " + anex.Marker,
		Engagement: anex.Engagement{Request: "May I ask for data?"}, Call: s.call(a.q.topic.source, a.limit),
		Requests: []anex.DataRequest{{DataSource: a.q.topic.source, Request: a.q.request}},
		Pipeline: true, Keep: true, Deadline: a.until.UnixMilli(),
	}, err
}

// call is the same for every holder: it asks for the whole answer.
func (s *Session) call(source string, limit uint64) anex.Call {
	cfg, deps := s.requester.cfg, s.requester.deps
	return s.eval.authorize(anex.Call{Identity: deps.Self.String(), Owner: s.eval.Judge.String(), Promise: promises(cfg.Promises, cfg.RequiredPromises),
		DataSource: source, PriceLimit: &limit})
}

// handle carries out an effect of the machine.
func (a *attempt) handle(ctx context.Context, e anex.Effect) []anex.Event {
	switch e := e.(type) {
	case anex.AskModification:
		return []anex.Event{anex.ModificationDecided{At: now()}}
	case anex.AskProposal:
		return []anex.Event{a.decide(e)}
	case anex.Deliver:
		return a.deliver(ctx, e)
	case anex.Failed:
		return a.failed(ctx, e)
	}
	return nil
}

// decide accepts the proposal, which the machine has compared with the call, if it can.
func (a *attempt) decide(e anex.AskProposal) anex.Event {
	if len(e.Terms.Grant.Access) > maxFields {
		return anex.ProposalDecided{At: now(), Reason: reason(errFields)}
	}
	return anex.ProposalDecided{At: now(), Accept: e.Problem == nil, Reason: "less than is needed"}
}

// failed gives up, unless there are vouchers for an unpaid answer of the holder.
func (a *attempt) failed(ctx context.Context, e anex.Failed) []anex.Event {
	a.mu.Lock()
	a.said = e.Reason
	a.mu.Unlock()
	purse := a.q.session.requester.deps.Purse
	if _, unpaid := saidUnpaid(e.Reason); !unpaid || purse == nil || a.shown {
		return []anex.Event{anex.Finish{At: now()}}
	}
	a.shown = true
	vouchers, err := purse.Vouchers(ctx, a.peer)
	if err != nil {
		a.q.session.requester.deps.Log.Error("vouchers cannot be read", "holder", a.peer, "err", err)
	}
	out := show(vouchers)
	if len(out) == 0 {
		return []anex.Event{anex.Finish{At: now()}}
	}
	return append(out, anex.Ask{At: now(), Requests: []anex.DataRequest{e.Request}})
}

// show sends vouchers to the holder, the latest ones if there are many.
func show(vouchers []Payment) (out []anex.Event) {
	for _, p := range vouchers[max(0, len(vouchers)-maxVouchers):] {
		if raw, err := p.Encode(); err == nil {
			out = append(out, anex.Tell{At: now(), Content: raw})
		}
	}
	return out
}

// refused ends the conversation after a refused event. Delivered data still counts.
func (a *attempt) refused(e anex.Event, err error) anex.Event {
	switch e.(type) {
	case anex.Tell, anex.Ask, anex.ProposalDecided:
		if !errors.Is(err, anex.ErrEnded) {
			return anex.Stop{At: now(), Reason: reason(errOwn)}
		}
	}
	return nil
}
