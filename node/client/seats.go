package client

import (
	"fmt"
	"slices"

	"ojud/ledger/program"
	"ojud/voting"
)

// smallReward is the reward below which the first panel has the least seats, if its creator does
// not say otherwise: the fees of 28 seats would be a tenth of it and more.
const smallReward = 300_000_000

// panel returns the seats of the first panel under the rules in force. It refuses seats and a fee
// that the program would refuse.
func (t Offer) panel(p program.Params) (uint8, error) {
	sizes, seats := p.PanelSizes(), t.Seats
	switch {
	case seats == 0 && t.RewardMax < smallReward:
		seats = sizes[0]
	case seats == 0:
		seats = p.PanelSeats
	case !slices.Contains(sizes, seats):
		return 0, fmt.Errorf("client: terms: %d seats; the first panels of this court have %v seats", seats, sizes)
	}
	all := Lamports(seats) + voting.MaxSeats
	if t.Fee > t.RewardMin/all {
		return 0, fmt.Errorf("client: terms: a fee of %s for each of %d seats and of an appeal would make the bonds dearer than the reward; offer a fee of at most %s",
			t.Fee, seats, (t.RewardMin / all).Argument())
	}
	return seats, nil
}
