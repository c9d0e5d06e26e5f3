package rules

import (
	"errors"
	"fmt"

	"ojud/voting"
)

// ErrEquivocated is returned for a seat that was slashed for equivocation already (protocol section
// 8, Equivocated).
var ErrEquivocated = errors.New("voting: the seat equivocated already")

// Exposure is all that slashing a seat for equivocation depends on (protocol section 6, Slash
// equivocation).
type Exposure struct {
	Rules     voting.Rules
	Status    voting.Status // of the case; the round is settled unless it is Committing or Revealing
	Seats     []voting.Seat // of the case, with results if it is settled
	Standings []Standing    // of the judges of Seats, in the same order
	Seat      int           // which seat is shown to have equivocated
	Pot       uint64        // of the case
	Carry     uint64        // of the Roster
}

// Penalty lists the effects of the slash. The caller takes Amount of the judge's stake, adds Earned
// to the rewards of the other judges, sets Pot and Carry, flags the seat and, if the round is
// settled, makes its result Equivocated.
type Penalty struct {
	Amount      uint64
	Pot         uint64   // of the case afterwards
	Carry       uint64   // of the Roster afterwards
	Earned      []uint64 // by seat, shared at once; all zero unless the case is over
	BeginReveal bool     // while Committing: no seat is left that could commit
}

// SlashEquivocation works out what becomes of a seat whose judge signed two statements.
func SlashEquivocation(in Exposure) (Penalty, error) {
	if in.Seat < 0 || in.Seat >= len(in.Seats) || len(in.Standings) != len(in.Seats) {
		return Penalty{}, fmt.Errorf("voting: seat %d of %d with %d standings", in.Seat, len(in.Seats), len(in.Standings))
	}
	guilty := &in.Seats[in.Seat]
	if guilty.Equivocated {
		return Penalty{}, ErrEquivocated
	}
	amount, err := slash(guilty.Weight, in.Rules.EquivocationBps, in.Standings[in.Seat])
	if err != nil {
		return Penalty{}, err
	}
	out := Penalty{Amount: amount, Pot: in.Pot, Carry: in.Carry, Earned: make([]uint64, len(in.Seats))}
	if in.Status.Over() {
		err = in.share(&out)
	} else {
		out.Pot, err = sum(in.Pot, amount)
		out.BeginReveal = in.Status == voting.Committing && in.nobodyLeft()
	}
	return out, err
}

// share gives the amount to the seats that won, without the guilty one, or to the carry if there
// are none.
func (in *Exposure) share(out *Penalty) (err error) {
	const _ = uint(5 - voting.Statuses) // has a round with a sixth status winners?
	winner := voting.Voted
	if in.Status == voting.Decided {
		winner = voting.Majority
	}
	results := make([]voting.Result, len(in.Seats))
	for i := range in.Seats {
		results[i] = in.Seats[i].Result
	}
	results[in.Seat] = voting.Equivocated
	var carry uint64
	if out.Earned, carry, err = award(out.Amount, results, winner, in.Seats, in.Standings); err != nil {
		return err
	}
	out.Carry, err = sum(in.Carry, carry)
	return err
}

// nobodyLeft reports whether every other seat has committed or equivocated.
func (in *Exposure) nobodyLeft() bool {
	for i := range in.Seats {
		if i != in.Seat && !in.Seats[i].Committed && !in.Seats[i].Equivocated {
			return false
		}
	}
	return true
}
