package rules

import (
	"fmt"

	"ojud/voting"
)

// GoldenEnd is all that applying a golden case depends on: the seats of the round that decided,
// after an appeal those of both panels, and the answer that was committed before.
type GoldenEnd struct {
	Reward    uint64
	Answer    voting.Choice // Accept or Reject
	Seats     []voting.Seat
	Standings []Standing // of the judges of Seats, in the same order
	Pot       uint64     // the golden pot
}

// GoldenPay lists the payments of a golden case, beside those of the case itself.
type GoldenPay struct {
	Seats []SeatEnd // Result is Majority for a right vote and Minority for a wrong one
	Pot   uint64
	Full  bool // every right vote got its whole gain
}

// Golden rewards the right votes of a golden case from the pot and from the losses of the wrong
// ones. A right seat gets at most an equal part of both, so the pot never goes below zero.
// Abstaining and absence cost nothing here.
func (l Law) Golden(in GoldenEnd) (GoldenPay, error) {
	if err := standing(in.Seats, in.Standings); err != nil {
		return GoldenPay{}, err
	}
	const _ = uint(3 - voting.Choices) // the answer is a side
	if in.Answer != voting.Accept && in.Answer != voting.Reject {
		return GoldenPay{}, fmt.Errorf("voting: a golden case is answered by accept or reject, not by %s", in.Answer)
	}
	out := GoldenPay{Seats: make([]SeatEnd, len(in.Seats)), Pot: in.Pot, Full: true}
	right := uint64(0)
	for i := range in.Seats {
		s := &out.Seats[i]
		switch {
		case !sided(&in.Seats[i]):
		case in.Seats[i].Choice == in.Answer:
			s.Result = voting.Majority
			right++
		default:
			s.Result = voting.Minority
			loss, err := l.wrong(in.Reward, in.Seats[i].Weight)
			if err != nil {
				return GoldenPay{}, err
			}
			s.Slashed = min(loss, in.Standings[i].stake())
			if out.Pot, err = sum(out.Pot, s.Slashed); err != nil {
				return GoldenPay{}, err
			}
		}
	}
	if right == 0 {
		return out, nil
	}
	err := l.gains(in, &out, out.Pot/right)
	return out, err
}

// gains pays the right seats, each at most most.
func (l Law) gains(in GoldenEnd, out *GoldenPay, most uint64) error {
	for i := range in.Seats {
		if out.Seats[i].Result != voting.Majority || !in.Standings[i].Present {
			continue
		}
		gain, err := l.gain(in.Reward, in.Seats[i].Weight)
		if err != nil {
			return err
		}
		out.Full = out.Full && gain <= most
		out.Seats[i].Earned = min(gain, most)
		out.Pot -= out.Seats[i].Earned
	}
	return nil
}

// Leaves is how many golden cases may be opened among so many settled cases.
func (l Law) Leaves(settled uint64) (uint64, error) {
	return mulDiv(settled, uint64(l.GoldenBps), BasisPoints)
}

// Deposit returns the amount that a proctor risks with a batch of so many leaves of that reward:
// all that a false answer could take from the seats.
func (l Law) Deposit(leaves, reward uint64) (uint64, error) {
	seats, err := mulDiv(leaves, voting.MaxSeats, 1)
	if err != nil {
		return 0, err
	}
	loss, err := l.wrong(reward, l.MaxSeatWeight)
	if err != nil {
		return 0, err
	}
	return mulDiv(seats, loss, 1)
}

// Balance bounds the share of each answer in a batch, in percent. Outside it a vote that is always
// the same could break even.
const (
	balanceLeast = 45
	balanceMost  = 100 - balanceLeast
)

// Balanced reports whether a batch with so many leaves that say accept may be applied.
func Balanced(accepts, leaves uint64) bool {
	return leaves > 0 && !mulLess(accepts, 100, leaves, balanceLeast) && !mulLess(leaves, balanceMost, accepts, 100)
}
