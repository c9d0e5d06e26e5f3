package rules

import "ojud/voting"

// Standing is the Roster's entry for the judge of a seat, at the moment of a settlement.
type Standing struct {
	Present   bool   // the entry that the seat names is still this judge's
	Stake     uint64 // lamports
	Seated    uint32 // version 1: rounds settled before this one
	Abstained uint32 // version 1: how many of these it abstained in
}

// stake is the amount that can be taken from the judge.
func (s Standing) stake() uint64 {
	if !s.Present {
		return 0
	}
	return s.Stake
}

// slash takes bps of weight, at most the stake that is left (protocol section 6).
func slash(weight uint64, bps uint16, s Standing) (uint64, error) {
	amount, err := mulDiv(weight, uint64(bps), BasisPoints)
	if err != nil {
		return 0, err
	}
	return min(amount, s.stake()), nil
}

// bpsFor returns the cost of a result, in basis points of the weight. Equivocation costs nothing
// here: it was slashed when it was shown.
func bpsFor(r FirstRules, result voting.Result, s Standing) uint16 {
	switch result {
	case voting.Absent:
		return r.AbsentBps
	case voting.Minority:
		return r.MinorityBps
	case voting.Abstained:
		if quotaSpent(r, s) {
			return r.AbsentBps
		}
	}
	return 0
}

// quotaSpent reports whether the judge abstained as often as is free: abstained·10,000 ≥
// abstain_free·10,000 + seated·abstain_bps, counted before this round.
func quotaSpent(r FirstRules, s Standing) bool {
	// 2^32 · 10,000 fits in 64 bits.
	used := uint64(s.Abstained) * BasisPoints
	free := uint64(r.AbstainFree)*BasisPoints + uint64(s.Seated)*uint64(r.AbstainBps)
	return used >= free
}
