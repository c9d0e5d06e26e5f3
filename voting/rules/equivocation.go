package rules

import (
	"errors"
	"fmt"

	"ojud/voting"
)

// ErrEquivocated is returned for a seat that was slashed for equivocation already (protocol section
// 8, Equivocated).
var ErrEquivocated = errors.New("voting: the seat equivocated already")

// Penalty lists the effects of a slash for equivocation. The caller takes Amount of the judge's
// stake for the Pot, flags the seat and, if the round is settled, makes its result Equivocated.
type Penalty struct {
	Amount      uint64
	BeginReveal bool // while Committing: no seat is left that could commit
}

// SlashEquivocation works out what becomes of a seat of a case with that status whose judge signed
// two statements (protocol section 6, Slash equivocation). It costs the stake, and the golden pot
// gets it.
func SlashEquivocation(status voting.Status, seats []voting.Seat, seat int, s Standing) (Penalty, error) {
	if seat < 0 || seat >= len(seats) {
		return Penalty{}, fmt.Errorf("voting: seat %d of %d", seat, len(seats))
	}
	if seats[seat].Equivocated {
		return Penalty{}, ErrEquivocated
	}
	const _ = uint(6 - voting.Statuses) // can seats commit in a seventh status?
	return Penalty{Amount: s.stake(), BeginReveal: status == voting.Committing && nobodyLeft(seats, seat)}, nil
}

// nobodyLeft reports whether every other seat has committed or equivocated.
func nobodyLeft(seats []voting.Seat, seat int) bool {
	for i := range seats {
		if i != seat && !seats[i].Committed && !seats[i].Equivocated {
			return false
		}
	}
	return true
}
