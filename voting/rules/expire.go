package rules

import "fmt"

// Expire ends a case that could not be drawn in time (protocol section 6, Expire case). in.Seats
// are those of the round before, with their results; there are none in round 1. Nobody is slashed:
// the seats of the Settlement carry the results that they had and what they earn now. The case
// keeps its round.
func Expire(in RoundEnd) (Settlement, error) {
	if len(in.Seats) != 0 {
		if err := in.check(); err != nil {
			return Settlement{}, err
		}
	} else if len(in.Standings) != 0 {
		return Settlement{}, fmt.Errorf("voting: %d standings for no seats", len(in.Standings))
	}
	out := Settlement{Round: in.Round, Carry: in.Carry, Seats: make([]SeatEnd, len(in.Seats))}
	for i := range in.Seats {
		out.Seats[i].Result = in.Seats[i].Result
	}
	err := in.undecided(&out, 0)
	return out, err
}
