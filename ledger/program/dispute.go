package program

import (
	"crypto/sha256"
	"fmt"
	"math/bits"

	"ojud/ledger/onchain"
	"ojud/voting"
)

// Joined says whether a Task is a dispute of others, which has no work and no escrow, and whether
// its respondent has answered. The respondent is in the place of the creator, the claimant in that
// of the worker, and who paid for it in that of the worker's operator.
type Joined uint8

// The kinds.
const (
	NoDispute Joined = iota
	DisputeUnanswered
	DisputeJoined
)

// Unanswered is the objection in a dispute that its respondent has not answered.
func Unanswered() []byte { return []byte(`{"reason":"The respondent has not joined this dispute."}`) }

// Unreplied is the counter-objection in every dispute.
func Unreplied() []byte { return []byte(`{"reason":"The claimant relies on its claim."}`) }

// IsDispute reports whether it is a dispute of others.
func (t *Task) IsDispute() bool { return t.Dispute != NoDispute }

// Funder is who paid the rent of the account, and gets it back.
func (t *Task) Funder() onchain.Address {
	if t.IsDispute() {
		return t.WorkerOperator
	}
	return t.Creator
}

// DisputeFee is what a dispute costs who pays for it: each seat of the panel.
func (p Params) DisputeFee(amount uint64, seats uint8) (uint64, error) {
	fee, err := p.Law().Fee(amount)
	if err != nil {
		return 0, err
	}
	high, all := bits.Mul64(fee, uint64(seats))
	if high != 0 {
		return 0, fmt.Errorf("program: the fee of %d seats about %d lamports is no number of 64 bits", seats, amount)
	}
	return all, nil
}

// DisputeAddress is the address of a dispute of others.
func DisputeAddress(p Program, claimant, respondent onchain.Address, terms voting.Hash) onchain.Address {
	return p.derive([]byte("dispute"), claimant[:], respondent[:], terms[:])
}

// EndRound builds the instruction that settles the present round of a case; with expire, that ends
// a case whose round was not drawn in time.
func EndRound(p Program, task onchain.Address, t *Task, expire bool) onchain.Instruction {
	switch {
	case t.IsDispute():
		return p.SettleDispute(task, t.Funder())
	case expire:
		return p.ExpireCase(task, t.Creator, t.Worker)
	}
	return p.Settle(task, t.Creator, t.Worker)
}

// disputeHashes are those of the documents that the program fills in.
func disputeHashes() (unanswered, unreplied voting.Hash) {
	return sha256.Sum256(Unanswered()), sha256.Sum256(Unreplied())
}
