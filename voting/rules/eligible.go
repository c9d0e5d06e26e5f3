package rules

import "ojud/voting"

// Eligible returns, in roster order, whom a draw draws from: everybody with a weight in the season.
// Their seats weigh nothing, so the draw passes them over, if they leave, are a party or the
// operator of one says so, or have less than half of minStake free (protocol section 6).
func Eligible(roster []voting.Candidate, p voting.Parties, minStake, maxSeatWeight uint64) []voting.Candidate {
	var out []voting.Candidate
	for _, c := range roster {
		if c.Stake == 0 {
			continue
		}
		c.Weight, c.Seat = c.Stake, 0
		if c.Active && !p.Conflicts(c.Judge) && !p.Conflicts(c.Operator) {
			c.Seat = Law{MinStake: minStake}.SeatWeight(min(c.Weight, maxSeatWeight), c.Free, 0)
		}
		out = append(out, c)
	}
	return out
}
