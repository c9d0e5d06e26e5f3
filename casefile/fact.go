package casefile

import (
	"fmt"

	"ojud/casefile/canon"
	"ojud/voting"
)

// The kinds of fact documents.
const (
	factOpen    = "open"
	factDraw    = "draw"
	factSettle  = "settle"
	factOutcome = "outcome"
)

// Stamp is the beginning of every fact document. A fact document is a function of the chain alone,
// so that all honest nodes write the same bytes and 28 testimonies cost one document (protocol
// section 10).
type Stamp struct {
	Fact    string  `json:"fact"` // set by the builders
	Network Digest  `json:"network"`
	Program Address `json:"program"`
	Case    Address `json:"case"`
	Slot    uint64  `json:"slot"`
	Tx      TxID    `json:"tx"` // the transaction that made it so
}

// OpenFact is the case as it was opened.
type OpenFact struct {
	Stamp
	Task  TaskTerms `json:"task"`
	Rules CaseRules `json:"rules"`
}

// TaskTerms are the terms of the Task account when the case opened. Undeclared operators are zero.
type TaskTerms struct {
	Creator         Address     `json:"creator"`
	CreatorOperator Address     `json:"creator_operator"`
	Worker          Address     `json:"worker"`
	WorkerOperator  Address     `json:"worker_operator"`
	ID              uint64      `json:"id"`
	TaskHash        Digest      `json:"task_hash"`
	ResultHash      Digest      `json:"result_hash"`
	ObjectionHash   Digest      `json:"objection_hash"`
	CounterHash     Digest      `json:"counter_hash"`
	Reward          Amount      `json:"reward"` // the price, all of it in escrow
	CreatorBond     Amount      `json:"creator_bond"`
	WorkerBond      Amount      `json:"worker_bond"`
	ClaimBond       Amount      `json:"claim_bond,omitempty"`
	OnUndecided     OnUndecided `json:"on_undecided"`
	TradeBps        uint16      `json:"trade_bps,omitempty"` // the Pot's share of what the worker is paid
	Seal            Digest      `json:"seal,omitzero"`       // random, or the hash of a proctor's leaf
	Reworks         uint8       `json:"reworks,omitempty"`   // how often the worker worked again before this result
	Prepaid         bool        `json:"prepaid,omitempty"`   // a dispute of others: no escrow, and WorkerBond is the judges'
	ClaimedAt       int64       `json:"claimed_at,omitempty"`
	SubmittedAt     int64       `json:"submitted_at,omitempty"` // the result; of a dispute of others: when it was brought
}

// DrawFact is a round as it was drawn.
type DrawFact struct {
	Stamp
	Round      uint8       `json:"round"`
	DrawnSlot  uint64      `json:"drawn_slot"`
	SlotHash   Digest      `json:"slot_hash"`
	PanelSeats uint8       `json:"panel_seats"`
	MinSeats   uint8       `json:"min_seats"`
	Candidates []Candidate `json:"candidates"`        // the eligible, in roster order; with lists, those drawn
	Lists      []Digest    `json:"lists,omitempty"`   // of all candidates, if they are many
	Seats      []uint16    `json:"seats"`             // roster indices, in the order drawn
	Weights    []Amount    `json:"weights,omitempty"` // of the seats; version 1: those of the candidates
	CommitEnds int64       `json:"commit_ends"`
	At         int64       `json:"at"`
}

// Candidate is a judge who could have been drawn. Weight is lamports: the stake up to
// max_seat_weight. The seat weighs less if part of the stake was reserved.
type Candidate struct {
	Index    uint16  `json:"index"`
	Judge    Address `json:"judge"`
	Peer     DID     `json:"peer"`
	Operator Address `json:"operator"`
	Weight   Amount  `json:"weight"`
}

// SettleFact is a settled round. Bond is what the parties lost, Golden what went to the Pot. In
// version 1, Pot was shared instead.
type SettleFact struct {
	Stamp
	Round   uint8     `json:"round"`
	Verdict Verdict   `json:"verdict"`
	Accept  Amount    `json:"accept"`
	Reject  Amount    `json:"reject"`
	Abstain Amount    `json:"abstain"`
	Seated  Amount    `json:"seated"`
	Pot     *Amount   `json:"pot,omitempty"`
	Bond    Amount    `json:"bond"`
	Golden  *Amount   `json:"golden,omitempty"`
	Seats   []SeatEnd `json:"seats"` // in the order drawn
	At      int64     `json:"at"`
}

// SeatEnd is how a seat ended a round. A seat that did not commit has Commitment zero, and one that
// did not reveal has choice "none". An earlier slash for equivocation is not in Slashed.
type SeatEnd struct {
	Judge      Address    `json:"judge"`
	Choice     Choice     `json:"choice"`
	Commitment Digest     `json:"commitment"`
	Result     SeatResult `json:"result"`
	Slashed    Amount     `json:"slashed"`
	Earned     Amount     `json:"earned"`
}

// OutcomeFact says where the task's money went. Payments are the Paid events of the transaction in
// their order (protocol section 7): worker's share or reward, creator's refund, worker's bond,
// creator's bond, the Pot's share, the claim's bond; those of nothing are left out.
type OutcomeFact struct {
	Stamp
	Status     TaskStatus  `json:"status"`
	Outcome    TaskOutcome `json:"outcome"`
	Resolution Resolution  `json:"resolution"`
	Payments   []Payment   `json:"payments"`
	At         int64       `json:"at"`
	Finish     *Finish     `json:"finish,omitempty"` // of a case whose first verdict could be appealed
}

// Finish is how a case ended whose first verdict could be appealed: until then nobody was paid.
type Finish struct {
	AppealBy int64       `json:"appeal_by"`
	Level    uint8       `json:"level"`  // which panel gave the verdict: 1 the first, 2 that of the appeal
	Bond     Amount      `json:"bond"`   // lost by the parties
	Golden   Amount      `json:"golden"` // of it and of the slashes: went to the Pot
	Seats    []FinalSeat `json:"seats"`  // of the first panel, then of the appeal
	Appeal   *Appeal     `json:"appeal,omitempty"`
}

// FinalSeat is all that a seat lost and earned in its case. Equivocated: it was shown before the
// end, so that its vote does not count.
type FinalSeat struct {
	Slashed     Amount `json:"slashed"`
	Earned      Amount `json:"earned"`
	Equivocated bool   `json:"equivocated,omitempty"`
}

// Appeal is how the loser of the first verdict asked for other judges.
type Appeal struct {
	Party Address `json:"party"`
	Seats uint8   `json:"seats"`
	Bond  Amount  `json:"bond"`
	Slot  uint64  `json:"slot"`
	Tx    TxID    `json:"tx"`
	At    int64   `json:"at"`
}

// Payment is lamports that left the task for somebody's vault, or for the Pot.
type Payment struct {
	To     Address     `json:"to"` // authority; zero: the Pot
	Kind   PaymentKind `json:"kind"`
	Amount Amount      `json:"amount"`
	Tx     TxID        `json:"tx"`
}

// NewOpen builds the fact document of a case's opening.
func NewOpen(f OpenFact) (Doc[OpenFact], error) {
	f.Fact = factOpen
	return write("open facts", f, MaxDocument)
}

// NewDraw builds the fact document of a draw.
func NewDraw(f DrawFact) (Doc[DrawFact], error) {
	f.Fact = factDraw
	return write("draw facts", f, MaxDocument)
}

// NewSettle builds the fact document of a settlement.
func NewSettle(f SettleFact) (Doc[SettleFact], error) {
	f.Fact = factSettle
	return write("settle facts", f, MaxDocument)
}

// NewOutcome builds the fact document of a case's end. It leaves out payments of nothing and sorts
// the others by kind; bonds must come in the order of the chain's payments, the worker's
// first.
func NewOutcome(f OutcomeFact) (Doc[OutcomeFact], error) {
	f.Fact = factOutcome
	f.Payments = InOrder(f.Payments)
	return write("outcome facts", f, MaxDocument)
}

// is checks the kind of a fact document.
func (s Stamp) is(c *checker, kind string) {
	if s.Fact != kind {
		c.fail("fact", "is %.20q; %q is needed here", s.Fact, kind)
	}
}

func (f OpenFact) validate(document string) error {
	c := &checker{document: document}
	f.is(c, factOpen)
	if n := f.Rules.Timing().MaxRounds; n < 1 || n > voting.MaxRounds {
		c.fail("rules.max_rounds", "is %d; it is 1 to %d", n, voting.MaxRounds)
	}
	return c.err
}

func (f DrawFact) validate(document string) error {
	c := &checker{document: document}
	f.is(c, factDraw)
	c.round("round", f.Round)
	c.count("candidates", len(f.Candidates), voting.MaxJudges, "judges")
	c.count("seats", len(f.Seats), voting.MaxSeats, "seats")
	c.count("lists", len(f.Lists), MaxLists, "lists")
	if len(f.Lists) > 0 && len(f.Candidates) != len(f.Seats) {
		c.fail("candidates", "are %d for %d seats; the others are in lists", len(f.Candidates), len(f.Seats))
	}
	if len(f.Weights) != 0 && len(f.Weights) != len(f.Seats) {
		c.fail("weights", "has %d weights for %d seats", len(f.Weights), len(f.Seats))
	}
	for i := 1; i < len(f.Candidates); i++ {
		if f.Candidates[i].Index <= f.Candidates[i-1].Index {
			c.fail(fmt.Sprintf("candidates[%d].index", i), "is not above the one before: candidates are in roster order")
		}
	}
	for i, candidate := range f.Candidates {
		if candidate.Weight < 1 || candidate.Weight > voting.MaxSeatWeight {
			c.fail(fmt.Sprintf("candidates[%d].weight", i), "is %d; a seat weighs 1 to 2^50 lamports", candidate.Weight)
		}
	}
	return c.err
}

func (f SettleFact) validate(document string) error {
	c := &checker{document: document}
	f.is(c, factSettle)
	c.round("round", f.Round)
	c.count("seats", len(f.Seats), voting.MaxSeats, "seats")
	if (f.Pot == nil) == (f.Golden == nil) {
		c.fail("golden", "has to be there in a case file of version 2, and pot in one of version 1")
	}
	return c.err
}

func (f OutcomeFact) validate(document string) error {
	c := &checker{document: document}
	f.is(c, factOutcome)
	c.count("payments", len(f.Payments), 8, "payments")
	if f.Finish != nil {
		c.count("finish.seats", len(f.Finish.Seats), 2*voting.MaxSeats, "seats")
	}
	for i, p := range f.Payments {
		if p.Amount == 0 {
			c.fail(fmt.Sprintf("payments[%d].amount", i), "is 0; payments of nothing are left out")
		}
		if i > 0 && f.Payments[i-1].Kind > p.Kind {
			c.fail(fmt.Sprintf("payments[%d]", i), "is out of order: reward, refund, bonds, trade, claim")
		}
	}
	return c.err
}

// Fact is a fact document.
type Fact interface {
	Form
	Stamped() Stamp
	About() uint8 // the round, 0 for the whole case
}

// ReadFact reads the facts of a kind. The content must be canonical JSON.
func ReadFact[T Fact](kind Kind, content []byte) (Doc[T], error) {
	if err := canon.Exact(content, MaxDocument); err != nil {
		return Doc[T]{}, err
	}
	return read[T](string(kind)+" facts", content, MaxDocument)
}

// Stamped returns the stamp of a fact.
func (s Stamp) Stamped() Stamp { return s }

// About returns the round, 0 for the whole case.
func (s Stamp) About() uint8 { return 0 }

// About returns the round, 0 for the whole case.
func (f DrawFact) About() uint8 { return f.Round }

// About returns the round, 0 for the whole case.
func (f SettleFact) About() uint8 { return f.Round }
