package rules

import (
	"fmt"

	"ojud/voting"
)

// FirstRules are the parameters of a case of version 1, which case files of that version name.
// Shares
// are of a seat's weight.
type FirstRules struct {
	AbsentBps       uint16
	MinorityBps     uint16
	EquivocationBps uint16
	AbstainBps      uint16
	AbstainFree     uint16
	MaxRounds       uint8
}

// FirstRound is all that settling a round under version 1 depends on. Amounts are lamports.
type FirstRound struct {
	Rules     FirstRules
	Round     uint8
	Seats     []voting.Seat // with their choices and flags
	Standings []Standing    // of the judges of Seats, in the same order
	Pot       uint64        // of the case: slashed before and not yet distributed
	Carry     uint64        // of the Roster: not won by any seat before
	Terms     Terms
}

// FirstSettlement lists the effects of settling or expiring under version 1: of the stake of each
// seat's judge Slashed is taken, to its rewards Earned is added, Pot and Carry are set, Payments
// leave the task. Every lamport that was in Pot, Carry, the stakes and the terms is in one of these
// again.
type FirstSettlement struct {
	Tally    Tally
	Status   voting.Status  // AwaitingDraw after a void round with a round left, otherwise Decided or EndedUndecided
	Verdict  voting.Verdict // NoVerdict for AwaitingDraw
	Outcome  voting.Outcome // NoOutcome for AwaitingDraw
	Round    uint8          // of the case afterwards
	Seats    []SeatEnd
	Shared   uint64 // divided among the winners now, or carried for want of any
	Bond     uint64 // of the loser; part of Shared
	Pot      uint64 // of the case afterwards
	Carry    uint64 // of the Roster afterwards
	Payments []Payment
}

// SettleFirst ends a round under version 1: it judges the seats, slashes, and either decides the
// case, sends it to
// another draw, or ends it undecided.
func SettleFirst(in FirstRound) (FirstSettlement, error) {
	if err := in.check(); err != nil {
		return FirstSettlement{}, err
	}
	tally, err := Count(in.Seats)
	if err != nil {
		return FirstSettlement{}, err
	}
	out := FirstSettlement{Tally: tally, Verdict: tally.Verdict(), Round: in.Round, Carry: in.Carry}
	slashed, err := in.judge(&out)
	if err != nil {
		return FirstSettlement{}, err
	}
	switch {
	case out.Verdict != voting.NoVerdict:
		err = in.decide(&out, slashed)
	case in.Round < in.Rules.MaxRounds:
		err = in.void(&out, slashed)
	default:
		err = in.undecided(&out, slashed)
	}
	return out, err
}

// check refuses what no chain can show, so that nothing below can divide by zero or index out of
// range.
func (in *FirstRound) check() error {
	switch {
	case len(in.Seats) == 0 || len(in.Seats) > voting.MaxSeats:
		return fmt.Errorf("voting: a round of %d seats cannot be settled, 1 to %d can", len(in.Seats), voting.MaxSeats)
	case len(in.Standings) != len(in.Seats):
		return fmt.Errorf("voting: %d standings for %d seats", len(in.Standings), len(in.Seats))
	case in.Round == 0 || in.Round > in.Rules.MaxRounds:
		return fmt.Errorf("voting: round %d of at most %d", in.Round, in.Rules.MaxRounds)
	}
	for i := range in.Seats {
		if in.Seats[i].Weight == 0 {
			return fmt.Errorf("voting: seat %d has no weight", i)
		}
	}
	return nil
}

// judge gives each seat its result and its slash and returns the sum of the slashes (step 1).
func (in *FirstRound) judge(out *FirstSettlement) (slashed uint64, err error) {
	out.Seats = make([]SeatEnd, len(in.Seats))
	for i := range in.Seats {
		s := &out.Seats[i]
		s.Result = resultOf(&in.Seats[i], out.Verdict)
		bps := bpsFor(in.Rules, s.Result, in.Standings[i])
		if s.Slashed, err = slash(in.Seats[i].Weight, bps, in.Standings[i]); err != nil {
			return 0, err
		}
		if slashed, err = sum(slashed, s.Slashed); err != nil {
			return 0, err
		}
	}
	return slashed, nil
}

// resultOf returns how a seat ended a round with that verdict.
func resultOf(s *voting.Seat, v voting.Verdict) voting.Result {
	const _ = uint(3 - voting.Choices) // the last comparison knows accept and reject alone
	switch {
	case s.Equivocated:
		return voting.Equivocated
	case !s.Revealed:
		return voting.Absent
	case s.Choice == voting.Abstain:
		return voting.Abstained
	case v == voting.NoVerdict:
		return voting.Voted
	case s.Choice == v.Choice():
		return voting.Majority
	default:
		return voting.Minority
	}
}

// decide ends the case with a verdict (step 2).
func (in *FirstRound) decide(out *FirstSettlement, slashed uint64) (err error) {
	out.Status = voting.Decided
	if out.Outcome, out.Bond, out.Payments, err = in.Terms.decide(out.Verdict); err != nil {
		return err
	}
	if out.Shared, err = sum(in.Pot, slashed, in.Carry, out.Bond); err != nil {
		return err
	}
	out.Carry = 0
	return out.award(voting.Majority, in.Seats, in.Standings)
}

// void keeps what was slashed for the round that decides (step 3).
func (in *FirstRound) void(out *FirstSettlement, slashed uint64) (err error) {
	out.Status = voting.AwaitingDraw
	out.Round++
	out.Pot, err = sum(in.Pot, slashed)
	return err
}

// undecided ends the case after its last round (step 4).
func (in *FirstRound) undecided(out *FirstSettlement, slashed uint64) (err error) {
	out.Status, out.Verdict = voting.EndedUndecided, voting.Undecided
	if out.Outcome, out.Payments, err = in.Terms.undecided(); err != nil {
		return err
	}
	if out.Shared, err = sum(in.Pot, slashed); err != nil {
		return err
	}
	return out.award(voting.Voted, in.Seats, in.Standings)
}

// award divides Shared among the seats with the winning result.
func (out *FirstSettlement) award(winner voting.Result, seats []voting.Seat, standings []Standing) error {
	results := make([]voting.Result, len(out.Seats))
	for i := range out.Seats {
		results[i] = out.Seats[i].Result
	}
	earned, carry, err := award(out.Shared, results, winner, seats, standings)
	if err != nil {
		return err
	}
	for i := range earned {
		out.Seats[i].Earned = earned[i]
	}
	out.Carry, err = sum(out.Carry, carry)
	return err
}

// ExpireFirst ends a case of version 1 that could not be drawn in time. in.Seats
// are those of the round before, with their results; there are none in round 1. Nobody is slashed:
// the seats of the Settlement carry the results that they had and what they earn now. The case
// keeps its round.
func ExpireFirst(in FirstRound) (FirstSettlement, error) {
	if len(in.Seats) != 0 {
		if err := in.check(); err != nil {
			return FirstSettlement{}, err
		}
	} else if len(in.Standings) != 0 {
		return FirstSettlement{}, fmt.Errorf("voting: %d standings for no seats", len(in.Standings))
	}
	out := FirstSettlement{Round: in.Round, Carry: in.Carry, Seats: make([]SeatEnd, len(in.Seats))}
	for i := range in.Seats {
		out.Seats[i].Result = in.Seats[i].Result
	}
	err := in.undecided(&out, 0)
	return out, err
}
