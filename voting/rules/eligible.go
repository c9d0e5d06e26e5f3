package rules

import "ojud/voting"

// Eligible returns, in roster order and with their weights, the judges who may be drawn: active,
// with a stake of at least half of minStake, and neither as authority nor through their operator a
// party (protocol section 6). A judge that has less than that free is skipped: its seat weighs
// nothing.
func Eligible(roster []voting.Candidate, p voting.Parties, minStake, maxSeatWeight uint64) []voting.Candidate {
	var out []voting.Candidate
	for _, c := range roster {
		if !c.Active || c.Stake < minStake/2 || c.Stake == 0 || p.Conflicts(c.Judge) || p.Conflicts(c.Operator) {
			continue
		}
		c.Weight = min(c.Stake, maxSeatWeight)
		c.Seat = Law{MinStake: minStake}.SeatWeight(c.Weight, c.Free, 0)
		out = append(out, c)
	}
	return out
}
