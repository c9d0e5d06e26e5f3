package rules

import "ojud/voting"

// Eligible returns, in roster order and with their weights, the judges who may be drawn: active,
// with a stake of at least minStake, and neither as authority nor through their operator a party
// (protocol section 6).
func Eligible(roster []voting.Candidate, p voting.Parties, minStake, maxSeatWeight uint64) []voting.Candidate {
	var out []voting.Candidate
	for _, c := range roster {
		if !c.Active || c.Stake < minStake || p.Conflicts(c.Judge) || p.Conflicts(c.Operator) {
			continue
		}
		c.Weight = min(c.Stake, maxSeatWeight)
		out = append(out, c)
	}
	return out
}
