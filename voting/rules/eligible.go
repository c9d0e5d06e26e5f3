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

// Appealing returns a judge as the draw of an appeal sees it (protocol section 6): also if it
// is busy, and with the weight of its season up to twice its stake. So what a judge of
// the appeal loses elsewhere does not make the appeal too light, and one that has lost nearly all
// decides none.
func (l Law) Appealing(c voting.Candidate) voting.Candidate {
	if c.Whole > 0 && c.Whole >= l.MinStake/2 {
		c.Whole = max(c.Whole, Heard(c.Stake, c.Whole))
	}
	c.Active, c.Free = true, c.Whole
	return c
}

// Heard is what a judge weighs in an appeal, from its weight in the season and its stake. A seat
// also weighs at most MaxSeatWeight.
func Heard(weight, stake uint64) uint64 {
	if stake > weight/2 {
		return weight
	}
	return 2 * stake
}

// Bars reports whether a judge or its declared operator is a party or the operator of one. Then it
// gets no seat in the case, and its node is a stranger if it answers a question about data.
func Bars(p voting.Parties, judge, operator voting.Key) bool {
	return p.Conflicts(judge) || p.Conflicts(operator)
}
