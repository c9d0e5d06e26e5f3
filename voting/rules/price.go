package rules

import (
	"fmt"

	"ojud/voting"
)

// Offer is the reward of a task over time, as the Task account has it (protocol section 4). Amounts
// are lamports.
type Offer struct {
	Auction   voting.Auction
	RewardMin uint64
	RewardMax uint64
	Reward    uint64 // the price of the present claim, 0 if there is none
	Escrow    uint64 // held for the reward; the price is never more
	From      int64  // market time: when the auction began, without the time of earlier claims
	Seconds   uint32 // of the auction
}

// Price returns the reward of a claim at a time of the market, which stands still while the court
// is paused (protocol section 6). A clock before From counts as From.
func (o Offer) Price(market int64) (uint64, error) {
	if o.Reward != 0 {
		return o.Reward, nil
	}
	if o.Auction == voting.FirstCome {
		return min(o.RewardMax, o.Escrow), nil
	}
	if o.RewardMax < o.RewardMin || o.Seconds == 0 {
		return 0, fmt.Errorf("voting: an auction from %d to %d lamports in %d s cannot be priced", o.RewardMin, o.RewardMax, o.Seconds)
	}
	rise, err := mulDiv(o.RewardMax-o.RewardMin, o.Run(market), uint64(o.Seconds))
	if err != nil {
		return 0, err
	}
	return min(o.RewardMin+rise, o.Escrow), nil
}

// Run is how many seconds the auction has run at a time of the market, at most its length.
func (o Offer) Run(market int64) uint64 {
	if market <= o.From {
		return 0
	}
	// market > From: the difference fits in 64 bits without sign, even across zero.
	return min(uint64(market)-uint64(o.From), uint64(o.Seconds))
}
