package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/node/why"
	"ojud/voting"
	"ojud/voting/rules"
)

// errNotYet means that the final blocks of the chain do not show it yet. It is searched for again
// later.
var errNotYet = errors.New("record: not final yet")

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

func (w *Witness) history(ctx context.Context, c *caseRecord) (history, error) {
	look, terms := c.snapshot()
	if terms == nil {
		return history{}, fmt.Errorf("%w: the task's account was not seen", errNotYet)
	}
	all, err := w.d.Chain.History(ctx, c.task)
	if err != nil {
		return history{}, err
	}
	h := history{task: c.task, domain: w.d.Domain, terms: terms, look: look}
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

func last[T program.Event](h history, pick func(T) bool) (T, occurrence, error) {
	for i := len(h.events) - 1; i >= 0; i-- {
		if e, ok := h.events[i].event.(T); ok && pick(e) {
			return e, h.events[i], nil
		}
	}
	var none T
	return none, occurrence{}, fmt.Errorf("%w: %T", errNotYet, none)
}

func (h history) open() (casefile.Doc[casefile.OpenFact], error) {
	_, at, err := last(h, func(e *program.TaskMoved) bool { return e.To == program.Judiciary })
	if err != nil {
		return casefile.Doc[casefile.OpenFact]{}, err
	}
	if h.terms.IsDispute() {
		return h.dispute(at)
	}
	// An engine may have had the task between the counter-objection and the opening of the case.
	countered, _, err := last(h, func(e *program.TaskMoved) bool { return e.To == program.Judiciary && e.From == program.Disputed })
	if err != nil {
		return casefile.Doc[casefile.OpenFact]{}, err
	}
	objected, _, err := last(h, func(e *program.TaskMoved) bool { return e.To == program.Disputed })
	if err != nil {
		return casefile.Doc[casefile.OpenFact]{}, err
	}
	t := h.terms
	claim, err := rules.Law{ClaimBps: t.ClaimBps}.Claim(t.RewardMax) // the account holds 0 when it is over
	if err != nil {
		return casefile.Doc[casefile.OpenFact]{}, fmt.Errorf("record: the bond of the claim: %w", err)
	}
	return casefile.NewOpen(casefile.OpenFact{
		Stamp: h.stamp(at),
		Task: casefile.TaskTerms{
			Creator: casefile.Address(t.Creator), CreatorOperator: casefile.Address(t.CreatorOperator),
			Worker: casefile.Address(t.Worker), WorkerOperator: casefile.Address(t.WorkerOperator), ID: t.ID,
			TaskHash: casefile.Digest(t.TaskHash), ResultHash: casefile.Digest(t.ResultHash),
			ObjectionHash: casefile.Digest(t.ObjectionHash), CounterHash: casefile.Digest(t.CounterHash),
			Reward: casefile.Amount(t.Reward), CreatorBond: casefile.Amount(objected.Amount), WorkerBond: casefile.Amount(countered.Amount),
			OnUndecided: casefile.OnUndecided(t.OnUndecided), TradeBps: t.TradeBps, ClaimBond: casefile.Amount(claim),
			Seal: casefile.Digest(t.Seal), Reworks: t.Reworks, ClaimedAt: t.ClaimedAt, SubmittedAt: t.SubmittedAt,
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
	golden := casefile.Amount(s.Golden)
	f := casefile.SettleFact{
		Stamp: h.stamp(at), Round: round, Verdict: casefile.Verdict(s.Verdict),
		Accept: casefile.Amount(s.Accept), Reject: casefile.Amount(s.Reject), Abstain: casefile.Amount(s.Abstain),
		Seated: casefile.Amount(s.Seated), Bond: casefile.Amount(s.Bond), Golden: &golden, At: s.At,
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
	moved, at, err := last(h, func(e *program.TaskMoved) bool { return e.From == program.Judiciary && e.To.Over() })
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
	if f.Finish, err = h.finish(); err != nil {
		return casefile.Doc[casefile.OutcomeFact]{}, err
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

// errNoRoster means that no Roster that this node saw gives the draw. The facts of a peer may.
var errNoRoster = errors.New("record: no roster that was seen gives this draw")

// draw builds the facts of a draw. No account shows the candidates any more. So draw tries the
// Rosters that were seen around that time until one gives exactly the drawn seats. Every Roster of
// the 512 slots after the seed slot does (ADR 0020).
func (w *Witness) draw(ctx context.Context, h history, round uint8) (facts, error) {
	d, o, err := h.drawn(round)
	if err != nil {
		return facts{}, err
	}
	opened, _, err := h.opened(round)
	if err != nil {
		return facts{}, err
	}
	law, err := w.d.Chain.Rules(ctx, h.terms.Rules)
	if err != nil {
		return facts{}, err
	}
	asks := rules.LawOf(h.look.Rules).Staked(law.MinStake, law.MaxSeatWeight)
	for _, s := range seen(w.d.Roster.Around(o.slot), opened.SeedSlot, round > h.look.Rules.MaxRounds) {
		eligible, err := rules.Eligible(s.judges, parties(h.terms), asks)
		if err != nil || !givesDraw(h, d, eligible) {
			continue
		}
		return newDraw(drawFact(h, d, o, eligible))
	}
	return facts{}, errNoRoster
}

// givesDraw reports whether drawing from these candidates gives the seats that the chain drew.
func givesDraw(h history, d *program.Drawn, eligible []voting.Candidate) bool {
	lot := rules.Lot{Program: h.domain.Program, Task: h.task, Round: d.Round, DrawnSlot: d.Slot, SlotHash: d.SlotHash}
	panel, least := panelOf(h.look, d.Round)
	seats := make([]voting.Seat, len(d.Seats))
	for i, s := range d.Seats {
		seats[i] = voting.Seat{Index: s.Index, Weight: s.Weight}
	}
	return rules.Replay(lot.Seed(), eligible, panel, least, seats) == nil
}

func drawFact(h history, d *program.Drawn, o occurrence, eligible []voting.Candidate) casefile.DrawFact {
	panel, least := panelOf(h.look, d.Round)
	f := casefile.DrawFact{
		Stamp: h.stamp(o), Round: d.Round, DrawnSlot: d.Slot, SlotHash: casefile.Digest(d.SlotHash),
		PanelSeats: panel, MinSeats: least,
		CommitEnds: d.CommitEnds, At: d.CommitEnds - int64(h.look.Rules.CommitSeconds),
	}
	for _, c := range eligible {
		f.Candidates = append(f.Candidates, casefile.Candidate{
			Index: c.Index, Judge: casefile.Address(c.Judge), Peer: casefile.DID(c.Peer),
			Operator: casefile.Address(c.Operator), Weight: casefile.Amount(c.Weight),
		})
	}
	for _, s := range d.Seats {
		f.Seats, f.Weights = append(f.Seats, s.Index), append(f.Weights, casefile.Amount(s.Weight))
	}
	return f
}

// audit stores what a node did in each case, to explain it later.
type audit interface {
	Note(task voting.Key, e why.LogEntry) error
}

// explainNoSeat writes down why this judge could not be drawn into the present round of a case,
// because the chain does not show it later.
func (k *Keeper) explainNoSeat(ctx context.Context, c *caseRecord) error {
	look, terms := c.snapshot()
	number := look.SeatsRound()
	if number == 0 || number <= c.work.explainedTo || look.SeatOf(k.d.Judge) >= 0 || terms == nil {
		return nil
	}
	law, err := k.d.Chain.Rules(ctx, terms.Rules)
	if err != nil {
		return later(err)
	}
	how, text := k.ineligible(c, look, terms, rules.LawOf(look.Rules).Staked(law.MinStake, law.MaxSeatWeight))
	c.work.explainedTo = number
	if how == "" {
		return nil
	}
	return k.audit.Note(c.task, why.LogEntry{Round: number, Deed: why.PassedOver, How: how, Text: text})
}

// ineligible returns why the judge could not be drawn, by the Roster that gives the drawn seats. It
// is empty if the judge could be drawn, or if no Roster that was seen gives these seats.
func (k *Keeper) ineligible(c *caseRecord, look voting.Case, terms *program.Task, law rules.Law) (how, text string) {
	appeal := look.SeatsRound() > look.Rules.MaxRounds
	seed := min(look.SeedSlot, look.DrawnSlot) // after a void round the look has the next seed slot
	for _, s := range seen(k.d.Roster.Around(look.DrawnSlot), seed, appeal) {
		r := s.roster
		eligible, err := rules.Eligible(s.judges, parties(terms), law)
		if err != nil || !givesSeats(k.d.Cases.domain.Program, look, eligible) {
			continue
		}
		i := r.Find(k.d.Judge)
		if i < 0 {
			return why.NoEntry, fmt.Sprintf("the roster had %d judges", r.Active)
		}
		e, first := r.Entries[i], !appeal // an appeal takes who is busy
		switch p := parties(terms); {
		case c.satBefore(look, k.d.Judge):
			return why.SatBefore, "it had a seat in the first panel, and nobody judges a case twice"
		case p.Conflicts(k.d.Judge):
			return why.IsParty, "this judge is a party, or the operator of one"
		case p.Conflicts(voting.Key(e.Operator)):
			return why.IsParty, "its operator " + casefile.Address(e.Operator).String() + " is a party, or the operator of one"
		case e.State == program.EntryExiting && !weighs(s.judges, i):
			return why.Leaving, fmt.Sprintf("it was %s, and its cooldown ends at %s", e.State, time.Unix(e.ExitAt, 0).UTC().Format(time.DateTime))
		case !weighs(s.judges, i) && e.Stake >= law.MinStake/2:
			return why.Fresh, fmt.Sprintf("%d lamports, but no weight in the season before slot %d", e.Stake, seed)
		case e.Stake < law.MinStake/2:
			return why.LowStake, fmt.Sprintf("%d lamports; the least is %d", e.Stake, law.MinStake/2)
		}
		for _, c := range eligible {
			if first && int(c.Index) == i && c.Busy > 0 {
				return why.LowStake, fmt.Sprintf("of %d lamports %d were reserved for its live seats; what was free did not cover another", e.Stake, e.Locked)
			}
		}
		return "", ""
	}
	return "", ""
}

// Staked returns the candidates of the draw of a case's present round, by node, with their weights
// in lamports. They have a stake, and none of them is a party. If no Roster that was seen gives the
// draw, Staked returns the seats of the round, which are some of them.
func (s *Cases) Staked(ctx context.Context, task voting.Key, rosters *network.Roster) (map[casefile.DID]uint64, error) {
	look, _ := s.Look(task)
	out := map[casefile.DID]uint64{}
	for _, seat := range slices.Concat(look.First, look.Seats) {
		out[casefile.DID(seat.Peer)] = seat.Weight
	}
	terms, err := s.Terms(ctx, task)
	if err != nil {
		return out, err
	}
	law, err := s.chain.Rules(ctx, terms.Rules)
	if err != nil {
		return out, err
	}
	seed, appeal := min(look.SeedSlot, look.DrawnSlot), look.SeatsRound() > look.Rules.MaxRounds
	for _, drawn := range seen(rosters.Around(look.DrawnSlot), seed, appeal) {
		eligible, err := rules.Eligible(drawn.judges, parties(terms), rules.LawOf(look.Rules).Staked(law.MinStake, law.MaxSeatWeight))
		if err != nil || !givesSeats(s.domain.Program, look, eligible) {
			continue
		}
		for _, c := range eligible {
			if !rules.Bars(parties(terms), c.Judge, c.Operator) {
				out[casefile.DID(c.Peer)] = c.Weight
			}
		}
		return out, nil
	}
	return out, errNoRoster
}

func givesSeats(program voting.Key, look voting.Case, eligible []voting.Candidate) bool {
	lot := rules.Lot{Program: program, Task: look.Task, Round: look.SeatsRound(), DrawnSlot: look.DrawnSlot, SlotHash: look.SlotHash}
	panel, least := panelOf(look, lot.Round)
	return rules.Replay(lot.Seed(), eligible, panel, least, look.Seats) == nil
}
