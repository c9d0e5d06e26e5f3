package program

import (
	"fmt"

	"ojud/voting"
)

// TaskStatus is the state of a task (protocol section 4).
type TaskStatus uint8

// The states of a task.
const (
	Created      TaskStatus = iota + 1 // open to be claimed
	Claimed                            // a worker has it
	InProgress                         // the worker has started
	Submitted                          // reserved: a result that is there is in verification at once
	Verification                       // a result is there, the creator has to answer
	Disputed                           // the creator objected, the worker has to answer
	Judiciary                          // the court decides
	Complete
	Cancelled
	Expired
	Undecided // the court could not decide
)

// String names s for people and for JSON.
func (s TaskStatus) String() string {
	return name("status", uint8(s), "none", "created", "claimed", "in progress", "submitted", "verification", "disputed",
		"judiciary", "complete", "cancelled", "expired", "undecided")
}

// Over reports whether nothing can change the task any more: status 8 or more.
func (s TaskStatus) Over() bool { return s >= Complete }

// Resolution is how a task came to its outcome (protocol section 4).
type Resolution uint8

// The resolutions.
const (
	Unresolved Resolution = iota
	ByAcceptance
	ByCreatorSilence
	ByWorkerSilence
	ByVerdict
	ByUndecided
	ByCancellation
	ByExpiry
	ByEngine
	ByEngineSilence
)

// OnSilence is a task's choice for another engine that does not decide in its time.
type OnSilence uint8

// The choices.
const (
	CourtDecides OnSilence = iota
	EndByTerm              // on_undecided decides
)

// String names r for people and for JSON.
func (r Resolution) String() string {
	return name("resolution", uint8(r), "none", "accepted", "creator silent", "worker silent", "verdict", "undecided",
		"cancelled", "expired", "engine", "engine silent")
}

// Owned says which weights of an entry are its judge's: that of the season, and of the one before;
// and whether the judge has passed the exam of its first golden cases.
const (
	OwnWeight uint8 = 1 << iota
	ownWeightBefore
	OwnProven
)

// EntryState is the state of a Roster entry.
type EntryState uint8

// The states of an entry.
const (
	EntryFree EntryState = iota
	EntryActive
	EntryExiting
)

// String names s for people.
func (s EntryState) String() string { return name("state", uint8(s), "free", "active", "exiting") }

// SeatFlags say what a seat did; a set of bits.
type SeatFlags uint8

// What a seat did.
const (
	SeatCommitted SeatFlags = 1 << iota
	SeatRevealed
	SeatEquivocated
	SeatHeld // its pay, and what a reversal takes, wait for the end of the case
)

// StakeKind is why a stake moved.
type StakeKind uint8

// The reasons.
const (
	StakeJoined StakeKind = iota + 1
	StakeToppedUp
	StakeWithdrawn
)

// String names k for people.
func (k StakeKind) String() string {
	return name("stake", uint8(k), "none", "joined", "topped up", "withdrawn")
}

// OutcomeName names what became of a task's reward.
func OutcomeName(o voting.Outcome) string {
	return name("outcome", uint8(o), "none", "paid", "refunded", "split")
}

// OnUndecidedName names what a task wants done when the court cannot decide.
func OnUndecidedName(u voting.OnUndecided) string {
	return name("on_undecided", uint8(u), "none", "refund", "pay", "split")
}

// PaymentName names why a party was paid.
func PaymentName(k voting.PaymentKind) string {
	return name("payment", uint8(k), "none", "reward", "refund", "bond back", "excess of the auction", "trade fee", "claim bond back", "claim bond lost", "engine fee", "engine silent")
}

func name(what string, n uint8, names ...string) string {
	if int(n) < len(names) {
		return names[n]
	}
	return fmt.Sprintf("%s(%d)", what, n)
}
