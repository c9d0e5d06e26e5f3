// Package cost says what the steps of a task take from its parties, by the rules of the court.
package cost

import (
	"fmt"

	"ojud/ledger/program"
	"ojud/voting/rules"
)

// Steps are the lamports that the steps of a task take. Bonds come out of vaults.
type Steps struct {
	Price  uint64 // of the claim; without one, what a claim gets now
	Share  uint64 // of the price, which the golden pot gets when the worker is paid
	Claim  uint64 // bond of the claim
	Object uint64 // bond of an objection
	Answer uint64 // bond of an answer to it
	Rent   uint64 // of a case, from the worker's wallet; it comes back when the case is closed
}

// emptyAccount is how many bytes an account pays rent for besides its own.
const emptyAccount = 128

// Rent returns the lamports that bytes of an account must hold.
func Rent(bytes int) uint64 { return uint64(bytes) * 6_960 }

// Of returns what the steps of a task take at a time of auctions.
func Of(t *program.Task, params program.Params, market int64) (s Steps, err error) {
	if s.Price = t.Reward; s.Price == 0 { // nobody has claimed it
		if s.Price, err = t.Offer().Price(market); err != nil {
			return s, fmt.Errorf("cost: price: %w", err)
		}
	}
	if s.Claim, err = (rules.Law{ClaimBps: t.ClaimBps}).Claim(t.RewardMax); err != nil {
		return s, fmt.Errorf("cost: bond: %w", err)
	}
	if s.Object, s.Answer, err = t.Law(params).Bonds(s.Price, t.Seats); err != nil {
		return s, fmt.Errorf("cost: bond: %w", err)
	}
	if t.Engine.IsZero() {
		s.Rent = Rent(program.CaseSize(int(t.Seats)) + emptyAccount)
	}
	s.Share, err = rules.Trade(s.Price, t.TradeBps)
	return s, err
}
