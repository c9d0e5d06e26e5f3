package rules

import "ojud/voting"

// Eligible returns, in roster order, whom a draw draws from: everybody with a weight in the season.
// Their seats weigh nothing, so the draw passes them over, if they leave, are a party or the
// operator of one says so, have less than half of MinStake, or are busy: what is free of their
// stake does not cover what the seat can lose (protocol section 6). The law is that of the case,
// with MinStake and MaxSeatWeight.
func Eligible(roster []voting.Candidate, p voting.Parties, law Law) ([]voting.Candidate, error) {
	var out []voting.Candidate
	for _, c := range roster {
		if c.Stake == 0 {
			continue
		}
		c.Weight, c.Seat, c.Busy = c.Stake, 0, 0
		if c.Active && !Bars(p, c.Judge, c.Operator) {
			weight := law.SeatWeight(c.Weight, c.Whole)
			risk, err := law.Exposure(0, weight)
			if err != nil {
				return nil, err
			}
			if c.Free >= risk {
				c.Seat = weight
			} else {
				c.Busy = weight
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// Bars reports whether a judge or its declared operator is a party or the operator of one. Then it
// gets no seat in the case, and its node is a stranger if it answers a question about data.
func Bars(p voting.Parties, judge, operator voting.Key) bool {
	return p.Conflicts(judge) || p.Conflicts(operator)
}
