package voting

import (
	"encoding/hex"
	"fmt"
)

// Key is a 32-byte public key or address: a Solana authority, an account, or a node's Ed25519 peer
// key.
type Key [32]byte

// IsZero reports whether k is the all-zero key, which stands for no key.
func (k Key) IsZero() bool { return k == Key{} }

// String returns k in hex. Base58 belongs to the packages that face people; this one imports the
// standard library alone.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Hash is a SHA-256 value.
type Hash [32]byte

// IsZero reports whether h is all zero, which stands for "none".
func (h Hash) IsZero() bool { return h == Hash{} }

// String returns h in lower-case hex, as every hash in JSON is written (protocol section 1).
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Signature is an Ed25519 signature (RFC 8032) of a node key.
type Signature [64]byte

// Choice is a judge's answer in a vote (protocol section 1). The zero value means that no choice is
// known yet.
type Choice uint8

// The choices, with the numbers that commitments and the program use.
const (
	NoChoice     Choice = iota
	Accept              // the worker's result stands
	Reject              // it does not
	Abstain             // the judge cannot tell
	endOfChoices        // not a choice; add new choices above this line
)

// Choices is how many choices a judge can cast. Code that treats each choice in its own way has
// this line beside it:
//
//	const _ = uint(3 - voting.Choices) // a fourth choice needs its own case here
//
// The line does not compile if a choice is added. TestClosedSetsAreAsserted at the root finds
// packages that lack it.
const Choices = int(endOfChoices) - 1

// Valid reports whether c can be cast.
func (c Choice) Valid() bool { return c > NoChoice && c < endOfChoices }

// String returns the choice as JSON writes it.
func (c Choice) String() string {
	const _ = uint(3 - Choices) // a fourth choice needs a name, which travels in votes and case files
	return nameOf(uint8(c), "choice", "none", "accept", "reject", "abstain")
}

// nameOf is the i-th name of an enumeration, or its number if it has none.
func nameOf(i uint8, what string, names ...string) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", what, i)
}

// Accepts returns the field accept of a vote object: true for Accept, false for Reject and Abstain.
func (c Choice) Accepts() bool {
	const _ = uint(3 - Choices) // a fourth choice needs a value of the field accept
	return c == Accept
}

// ParseChoice is the inverse of String for the three choices that can be cast.
func ParseChoice(s string) (Choice, error) {
	for c := NoChoice + 1; c < endOfChoices; c++ {
		if c.String() == s {
			return c, nil
		}
	}
	return NoChoice, fmt.Errorf("choice %q is none of accept, reject, abstain", s)
}

// Verdict is the end of a round or a case (protocol section 4, Case).
type Verdict uint8

// The verdicts. A void round has none.
const (
	NoVerdict Verdict = iota
	ForWorker         // more than 66 % accepted
	ForCreator
	Undecided     // no quorum in the last round, or no panel could be drawn
	endOfVerdicts // not a verdict; add new verdicts above this line
)

// Verdicts is how many verdicts a round or a case can end with. It is used as Choices is.
const Verdicts = int(endOfVerdicts) - 1

// String names v for people and for JSON.
func (v Verdict) String() string {
	const _ = uint(3 - Verdicts) // a fourth verdict needs a name
	return nameOf(uint8(v), "verdict", "none", "accept", "reject", "undecided")
}

// Choice returns the choice that v follows: Accept, Reject, or NoChoice if v is neither.
func (v Verdict) Choice() Choice {
	const _ = uint(3 - Choices)  // a fourth choice may need a verdict
	const _ = uint(3 - Verdicts) // a fourth verdict may follow a choice
	switch v {
	case ForWorker:
		return Accept
	case ForCreator:
		return Reject
	default:
		return NoChoice
	}
}

// Result is how a seat ended a round (protocol section 4, seat.result).
type Result uint8

// The results of a seat.
const (
	Pending Result = iota
	Majority
	Minority
	Abstained
	Absent
	Equivocated
	Voted // accept or reject in a round without quorum, or between sides of equal weight
)

// String names r for people and for JSON.
func (r Result) String() string {
	return nameOf(uint8(r), "result", "pending", "majority", "minority", "abstained", "absent", "equivocated", "voted")
}

// Status is the state of a case (protocol section 4, Case.status).
type Status uint8

// The states of a case.
const (
	AwaitingDraw Status = iota + 1
	Committing
	Revealing
	Decided
	EndedUndecided
	Appealable    // the first panel has a verdict, and the loser may appeal
	endOfStatuses // not a status; add new states above this line
)

// Statuses is how many states a case has. It is used as Choices is.
const Statuses = int(endOfStatuses) - 1

// String names s for people.
func (s Status) String() string {
	const _ = uint(6 - Statuses) // a seventh status needs a name
	return nameOf(uint8(s), "status", "unknown", "draw", "commit", "reveal", "decided", "undecided", "appealable")
}

// Over reports whether nothing can change the case's verdict any more.
func (s Status) Over() bool {
	const _ = uint(6 - Statuses) // does a seventh status end the case?
	return s == Decided || s == EndedUndecided
}

// MaxSeats is the largest panel (seed 000: 28 judiciary agents).
const MaxSeats = 28

// MaxJudges is the most entries that the Roster has (protocol section 4, Config.max_judges).
const MaxJudges = 10_240

// MaxSeatWeight is the most lamports that a seat can weigh (protocol section 4,
// Config.max_seat_weight).
const MaxSeatWeight = 1 << 50

// The weights of the largest Roster add up to less than 2^64, so sums over judges need no check for
// overflow.
const _ = uint64(MaxJudges * MaxSeatWeight)

// The chain and the records keep the number of a seat and of a round in one byte.
const _ uint8 = max(MaxSeats, MaxRound)

// MaxRounds is the largest number of rounds that a level of a case can have (protocol section 4,
// Rules.max_rounds).
const MaxRounds = 3

// MaxRound is the highest number of a round: the last one of an appeal.
const MaxRound = 2 * MaxRounds

// Seat is a judge drawn into a round, as the chain has it.
type Seat struct {
	Judge       Key    // authority
	Peer        Key    // node key, from the Roster
	Index       uint16 // entry of the Roster
	Weight      uint64 // lamports, snapshot at the draw
	Commitment  Hash   // zero until committed
	Choice      Choice // NoChoice until revealed
	Committed   bool
	Revealed    bool
	Equivocated bool
	Result      Result
	Slashed     uint64 // lamports, set by settlement
	Earned      uint64 // lamports, set by settlement
}

// Rules are the parameters of a case, copied from Config when it opened (protocol section 4).
type Rules struct {
	CommitSeconds   uint32
	RevealSeconds   uint32
	DrawSeconds     uint32
	EvidenceSeconds uint32
	MaxRounds       uint8
	PanelSeats      uint8
	MinSeats        uint8
	DrawDelaySlots  uint16

	Preset     uint8  // of package rules: whom the court pays
	Fee        uint64 // lamports: the cost of a seat for the loser
	RiskBps    uint16 // of a seat's weight: the most that one mistake costs
	GoldenGain uint16 // pays: earned by a right vote in a golden case
	GoldenLoss uint16 // gains: lost by a wrong one, and in any case by a withheld one
	Absence    uint16 // pays: lost by a seat that never committed
	Minority   uint16 // pays: lost by a clear minority, with the preset of the seed
	Reversal   uint16 // pays: lost by a vote that an appeal clearly reverses

	AppealSeconds uint32 // the loser's time to appeal; 0: no verdict can be appealed
}

// Case is the state of a case as one look at the chain showed it.
type Case struct {
	Task        Key    // names the case
	Slot        uint64 // of the look: a later look has a higher or equal slot
	Status      Status
	Round       uint8
	Verdict     Verdict
	OpenedAt    int64 // Unix seconds of the chain's clock, like all times here
	SeedSlot    uint64
	DrawnSlot   uint64
	SlotHash    Hash
	DrawBy      int64
	CommitEnds  int64
	RevealEnds  int64
	SettledAt   int64
	AppealBy    int64 // until then the loser may appeal; 0: it may not
	Rules       Rules
	Seats       []Seat // of the round; while AwaitingDraw after a void round, of the round before
	FirstRound  uint8  // of First
	AppealSeats uint8  // of the panel of the appeal
	First       []Seat // of the first panel's verdict, if it was appealed
}

// OnUndecided is a task's choice for a court that cannot decide (Task.on_undecided).
type OnUndecided uint8

// What can be done with the escrow of an undecided case.
const (
	RefundCreator OnUndecided = iota + 1
	PayWorker
	SplitEscrow // half to the worker, rounded down, the rest to the creator
)

// Outcome says who got the reward (Task.outcome).
type Outcome uint8

// The outcomes of a task.
const (
	NoOutcome Outcome = iota
	Paid
	Refunded
	Split
)

// PaymentKind is why a party is paid (protocol section 7, event Paid).
type PaymentKind uint8

// The kinds of payments.
const (
	PayReward PaymentKind = iota + 1
	PayRefund
	PayBondBack
	PayExcess // of an auction; no settlement pays it
	PayTrade  // the share of the Pot in the payment of a worker
	PayClaimBack
	PayClaimLost // because the worker missed the deadline, to the creator or the Pot; no settlement pays it
	PayEngineFee // to the agent that the terms of a task with another engine name; no settlement pays it
	PaySilence   // what another engine's silence costs the side that profits, to the Pot; no settlement pays it
)

// Auction is how the price of a task moves.
type Auction uint8

// The auctions.
const (
	FirstCome    Auction = iota // the price is RewardMax
	ReverseDutch                // it rises from RewardMin to RewardMax
)

// Candidate is a judge as the Roster has it at a draw.
type Candidate struct {
	Index    uint16 // entry of the Roster
	Judge    Key    // authority
	Peer     Key    // node key
	Operator Key    // zero: none declared
	Stake    uint64 // lamports: its weight in the season
	Whole    uint64 // lamports at stake now
	Free     uint64 // lamports of them that its live seats cannot lose
	Weight   uint64 // lamports, set by Eligible: the same, for those who have one
	Seat     uint64 // lamports, set by Eligible: the weight of its seat; 0: the draw skips it
	Busy     uint64 // lamports, set by Eligible: what its seat would weigh if enough were free
	Active   bool   // the weight is its own, and in an appeal it did not sit before
}

// Parties are those who must not judge the case, as the Task has them. Operators may be zero.
type Parties struct {
	Creator, CreatorOperator Key
	Worker, WorkerOperator   Key
}

// Conflicts reports whether key is a party or the declared operator of one. The zero key is no
// party.
func (p Parties) Conflicts(key Key) bool {
	return !key.IsZero() && (key == p.Creator || key == p.Worker || key == p.CreatorOperator || key == p.WorkerOperator)
}
