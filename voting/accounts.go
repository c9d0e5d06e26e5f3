package voting

// OnUndecided is what a task wants done when the court cannot decide (Task.on_undecided).
type OnUndecided uint8

// What can be done with the escrow of an undecided case.
const (
	RefundCreator OnUndecided = iota + 1
	PayWorker
	SplitEscrow // half to the worker, rounded down, the rest to the creator
)

// Outcome is what became of the reward (Task.outcome).
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
	Stake    uint64 // lamports
	Weight   uint64 // lamports, set by Eligible: the stake up to max_seat_weight
	Active   bool   // state 1: neither free nor exiting
}

// Parties are those who must not judge the case, as the Task account has them. Operators may be zero.
type Parties struct {
	Creator, CreatorOperator Key
	Worker, WorkerOperator   Key
}

// Conflicts reports whether key is a party or the declared operator of one. The zero key is nobody.
func (p Parties) Conflicts(key Key) bool {
	if key.IsZero() {
		return false
	}
	return key == p.Creator || key == p.Worker || key == p.CreatorOperator || key == p.WorkerOperator
}
