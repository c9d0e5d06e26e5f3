package rules

import "ojud/voting"

// Shares divides pot lamports among winners by weight, in their order, by cumulative rounding
// (protocol section 6): with c_i the sum of the weights up to the i-th and W that of all, the i-th
// gets ⌊pot·c_i/W⌋ − ⌊pot·c_{i−1}/W⌋. The shares sum to pot. Weights must not be zero; without
// weights there is nothing to divide by and nil is returned.
func Shares(pot uint64, weights []uint64) ([]uint64, error) {
	total, err := sum(weights...)
	if err != nil || len(weights) == 0 {
		return nil, err
	}
	shares := make([]uint64, len(weights))
	var cumulative, paid uint64
	for i, w := range weights {
		cumulative += w // at most total
		due, err := mulDiv(pot, cumulative, total)
		if err != nil {
			return nil, err
		}
		shares[i], paid = due-paid, due
	}
	return shares, nil
}

// award divides pot among the seats with the given result and returns what each seat gets. Shares
// of seats whose roster entry is no longer their judge's, and the whole pot if no seat has the
// result, are left for the carry.
func award(pot uint64, results []voting.Result, winner voting.Result, seats []voting.Seat, standings []Standing) (earned []uint64, carry uint64, err error) {
	var weights []uint64
	for i := range seats {
		if results[i] == winner {
			weights = append(weights, seats[i].Weight)
		}
	}
	earned = make([]uint64, len(seats))
	shares, err := Shares(pot, weights)
	if err != nil {
		return nil, 0, err
	}
	if shares == nil {
		return earned, pot, nil
	}
	for i := range seats {
		if results[i] != winner {
			continue
		}
		if standings[i].Present {
			earned[i] = shares[0]
		} else {
			carry += shares[0] // at most pot
		}
		shares = shares[1:]
	}
	return earned, carry, nil
}
