package record

import (
	"context"
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/voting"
)

// errNotYet means that the final blocks of the chain do not show it yet. It is searched for again
// later.
var errNotYet = errors.New("record: not final yet")

// history is the final history of a case, as far as facts need it. It depends on the chain alone,
// so that every honest node writes the same bytes (protocol section 10).
type history struct {
	task   voting.Key
	domain voting.Domain
	terms  *program.Task
	look   voting.Case
	events []occurrence
}

// occurrence is one event of the program with its transaction.
type occurrence struct {
	slot  uint64
	tx    casefile.TxID
	event program.Event
}

// history reads the final history of a case.
func (w *Witness) history(ctx context.Context, c *caseRecord) (history, error) {
	look, terms := c.snapshot()
	if terms == nil {
		return history{}, fmt.Errorf("%w: the task's account was not seen", errNotYet)
	}
	all, err := w.Chain.History(ctx, c.task)
	if err != nil {
		return history{}, err
	}
	h := history{task: c.task, domain: w.Domain, terms: terms, look: look}
	for _, o := range all {
		if !o.Complete {
			return history{}, fmt.Errorf("record: the RPC node has no complete logs of transaction %s; use one that keeps logs for longer",
				o.Signature)
		}
		for _, e := range o.Events {
			h.events = append(h.events, occurrence{o.Slot, casefile.TxID(o.Signature), e})
		}
	}
	return h, nil
}

func (h history) stamp(o occurrence) casefile.Stamp {
	return casefile.Stamp{
		Network: casefile.Digest(h.domain.Network), Program: casefile.Address(h.domain.Program), Case: casefile.Address(h.task),
		Slot: o.slot, Tx: o.tx,
	}
}

// last returns the newest event for which pick is true.
func last[T program.Event](h history, pick func(T) bool) (T, occurrence, error) {
	for i := len(h.events) - 1; i >= 0; i-- {
		if e, ok := h.events[i].event.(T); ok && pick(e) {
			return e, h.events[i], nil
		}
	}
	var none T
	return none, occurrence{}, fmt.Errorf("%w: %T", errNotYet, none)
}

// open builds the facts of the opening.
func (h history) open() (casefile.Doc[casefile.OpenFact], error) {
	moved, at, err := last(h, func(e *program.TaskMoved) bool { return e.To == program.Judiciary })
	if err != nil {
		return casefile.Doc[casefile.OpenFact]{}, err
	}
	objected, _, err := last(h, func(e *program.TaskMoved) bool { return e.To == program.Disputed })
	if err != nil {
		return casefile.Doc[casefile.OpenFact]{}, err
	}
	t := h.terms
	return casefile.NewOpen(casefile.OpenFact{
		Stamp: h.stamp(at),
		Task: casefile.TaskTerms{
			Creator: casefile.Address(t.Creator), CreatorOperator: casefile.Address(t.CreatorOperator),
			Worker: casefile.Address(t.Worker), WorkerOperator: casefile.Address(t.WorkerOperator), ID: t.ID,
			TaskHash: casefile.Digest(t.TaskHash), ResultHash: casefile.Digest(t.ResultHash),
			ObjectionHash: casefile.Digest(t.ObjectionHash), CounterHash: casefile.Digest(t.CounterHash),
			Reward: casefile.Amount(t.Reward), CreatorBond: casefile.Amount(objected.Amount), WorkerBond: casefile.Amount(moved.Amount),
			OnUndecided: casefile.OnUndecided(t.OnUndecided),
		},
		Rules: casefile.RulesOf(h.look.Rules),
	})
}

// settle builds the facts of a round's settlement. When a case expires, the chain also logs
// RoundSettled, with a round that was never drawn.
func (h history) settle(round uint8, seats []voting.Seat) (casefile.Doc[casefile.SettleFact], error) {
	s, at, err := last(h, func(e *program.RoundSettled) bool { return e.Round == round })
	if err != nil {
		return casefile.Doc[casefile.SettleFact]{}, err
	}
	if len(s.Seats) != len(seats) {
		err := fmt.Errorf("record: round %d settled %d seats, %d were drawn", round, len(s.Seats), len(seats))
		return casefile.Doc[casefile.SettleFact]{}, err
	}
	f := casefile.SettleFact{
		Stamp: h.stamp(at), Round: round, Verdict: casefile.Verdict(s.Verdict),
		Accept: casefile.Amount(s.Accept), Reject: casefile.Amount(s.Reject), Abstain: casefile.Amount(s.Abstain),
		Seated: casefile.Amount(s.Seated), Pot: casefile.Amount(s.Pot), Bond: casefile.Amount(s.Bond), At: s.At,
	}
	for i, end := range s.Seats {
		seat := casefile.SeatEnd{
			Judge: casefile.Address(seats[i].Judge), Result: casefile.SeatResult(end.Result),
			Slashed: casefile.Amount(end.Slashed), Earned: casefile.Amount(end.Earned),
		}
		if c, _, err := last(h, func(e *program.Committed) bool { return e.Round == round && int(e.Seat) == i }); err == nil {
			seat.Commitment = casefile.Digest(c.Commitment)
		}
		if r, _, err := last(h, func(e *program.Revealed) bool { return e.Round == round && int(e.Seat) == i }); err == nil {
			seat.Choice = casefile.Choice(r.Choice)
		}
		f.Seats = append(f.Seats, seat)
	}
	return casefile.NewSettle(f)
}

// outcome builds the facts of the end of a case: its resolution and the payments.
func (h history) outcome() (casefile.Doc[casefile.OutcomeFact], error) {
	moved, at, err := last(h, func(e *program.TaskMoved) bool { return e.From == program.Judiciary })
	if err != nil {
		return casefile.Doc[casefile.OutcomeFact]{}, err
	}
	f := casefile.OutcomeFact{
		Stamp: h.stamp(at), Status: casefile.TaskComplete, Outcome: casefile.TaskOutcome(moved.Outcome),
		Resolution: casefile.ByVerdict, At: moved.At,
	}
	if moved.To == program.Undecided {
		f.Status, f.Resolution = casefile.TaskUndecided, casefile.ByUndecided
	}
	for _, o := range h.events {
		if p, ok := o.event.(*program.Paid); ok && o.tx == at.tx {
			f.Payments = append(f.Payments, casefile.Payment{
				To: casefile.Address(p.To), Kind: casefile.PaymentKind(p.Kind), Amount: casefile.Amount(p.Amount), Tx: o.tx,
			})
		}
	}
	return casefile.NewOutcome(f)
}

// settled returns the settlement of the last round.
func (h history) settled() (*program.RoundSettled, occurrence, error) {
	return last(h, func(*program.RoundSettled) bool { return true })
}

// drawn returns the draw of a round.
func (h history) drawn(round uint8) (*program.Drawn, occurrence, error) {
	return last(h, func(e *program.Drawn) bool { return e.Round == round })
}

// opened returns the last opening of a round before its draw. There can be several, because the
// seed slot may have moved.
func (h history) opened(round uint8) (*program.CaseOpened, occurrence, error) {
	return last(h, func(e *program.CaseOpened) bool { return e.Round == round })
}

// parties returns the keys that must not judge the task.
func parties(t *program.Task) voting.Parties {
	return voting.Parties{
		Creator: voting.Key(t.Creator), CreatorOperator: voting.Key(t.CreatorOperator),
		Worker: voting.Key(t.Worker), WorkerOperator: voting.Key(t.WorkerOperator),
	}
}
