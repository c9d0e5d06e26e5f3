package rules

import (
	"fmt"

	"ojud/voting"
)

// Tally is the weighed outcome of a round in lamports of weight (protocol section 6).
type Tally struct {
	Accept  uint64 // revealed accept, of seats that did not equivocate
	Reject  uint64
	Abstain uint64
	Seated  uint64 // all seats, also those that did nothing
}

// Count tallies the seats of a round. The order of the seats does not matter.
func Count(seats []voting.Seat) (Tally, error) {
	var t Tally
	for i := range seats {
		if err := t.add(&seats[i]); err != nil {
			return Tally{}, fmt.Errorf("voting: counting seat %d: %w", i, err)
		}
	}
	return t, nil
}

func (t *Tally) add(s *voting.Seat) (err error) {
	if t.Seated, err = sum(t.Seated, s.Weight); err != nil {
		return err
	}
	if !s.Revealed || s.Equivocated {
		return nil
	}
	const _ = uint(3 - voting.Choices) // a fourth choice needs a tally, a place in the quorum and in Tally.Verdict
	// No part can overflow where the whole did not.
	switch s.Choice {
	case voting.Accept:
		t.Accept += s.Weight
	case voting.Reject:
		t.Reject += s.Weight
	case voting.Abstain:
		t.Abstain += s.Weight
	default:
		return fmt.Errorf("revealed without a choice that can be cast: %s", s.Choice)
	}
	return nil
}

// Verdict is the round's verdict: NoVerdict without quorum, otherwise ForWorker when the vote
// passes and ForCreator when it does not.
func (t Tally) Verdict() voting.Verdict {
	switch {
	case !t.Quorum():
		return voting.NoVerdict
	case t.Passes():
		return voting.ForWorker
	default:
		return voting.ForCreator
	}
}
