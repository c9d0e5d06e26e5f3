package rules

import (
	"errors"
	"fmt"

	"ojud/voting"
)

// SidesPercent is the share of the seated weight that must take a side under version 2.
const SidesPercent = 51

// A third of the weight alone cannot make accept win: 1/3 of 51 % is less than 66 %.
const _ = uint(PassPercent*SidesPercent*3 - 100*100 - 1)

// Decides is the verdict of a round under version 2: NoVerdict unless two thirds of the seated
// weight revealed any choice and 51 % of it took a side.
func (t Tally) Decides() voting.Verdict {
	sides, err := sum(t.Accept, t.Reject)
	if err != nil || sides == 0 {
		return voting.NoVerdict
	}
	revealed, err := sum(sides, t.Abstain)
	if err != nil || mulLess(QuorumDenominator, revealed, QuorumNumerator, t.Seated) || mulLess(100, sides, SidesPercent, t.Seated) {
		return voting.NoVerdict
	}
	if t.Passes() {
		return voting.ForWorker
	}
	return voting.ForCreator
}

// Clear reports whether one side has more than two thirds of the sides. It is then the side of the
// verdict; otherwise the round is narrow, and the larger side may differ from the verdict.
func (t Tally) Clear() bool {
	sides, err := sum(t.Accept, t.Reject)
	return err == nil && mulLess(2, sides, 3, max(t.Accept, t.Reject))
}

// Given is a verdict that was appealed, and the votes of the panel that gave it.
type Given struct {
	Verdict voting.Verdict
	Tally   Tally
}

// Votes is the weight of the votes that gave the verdict.
func (g Given) Votes() uint64 { return g.Tally.Votes(g.Verdict) }

// Given is what an appeal against the level's verdict is about.
func (l Level) Given() (Given, error) {
	tally, err := Count(l.Seats)
	return Given{l.Verdict, tally}, err
}

// Votes is the weight of the votes for a verdict. If a panel decides nothing, it is that of the
// seats that took no side: the others count in the verdict of the appeal.
func (t Tally) Votes(v voting.Verdict) uint64 {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its votes
	switch v {
	case voting.ForWorker:
		return t.Accept
	case voting.ForCreator:
		return t.Reject
	case voting.Undecided:
		none := t.Seated - min(t.Seated, t.Accept) // of one panel, so no sum of sides is larger
		return none - min(none, t.Reject)
	}
	return 0
}

// Suffices reports whether votes of that weight can reverse a verdict that votes of another weight
// gave: with half of it. A panel of an appeal that weighs less is not seated.
func Suffices(weight, votes uint64) bool { return !mulLess(2, weight, 1, votes) }

// Decides is the verdict of a round that hears the case again; of a first panel if g is the zero
// value. It needs a quorum of its own. If the first panel decided nothing, the votes of both panels
// decide: otherwise a few judges that are left would decide against many that sat.
func (g Given) Decides(t Tally) voting.Verdict {
	switch {
	case t.Decides() == voting.NoVerdict:
		return voting.NoVerdict
	case g.both(t).Passes():
		return voting.ForWorker
	}
	return voting.ForCreator
}

// both adds the votes of a first panel that decided nothing to those of the appeal.
func (g Given) both(t Tally) Tally {
	if g.Verdict == voting.Undecided {
		t.Accept, t.Reject = t.Accept+g.Tally.Accept, t.Reject+g.Tally.Reject // of lamports that exist
	}
	return t
}

// clear reports whether an appeal decided clearly: in the votes that decide, and in its own, for
// the same side. So no seat loses for what most of its panel said.
func (g Given) clear(t Tally) bool {
	both := g.both(t)
	return t.Clear() && both.Clear() && (t.Accept > t.Reject) == (both.Accept > both.Reject)
}

// TooLight reports whether an appeal found against the verdict, but with too little weight. Against
// no verdict, all its votes for a side weigh.
func (g Given) TooLight(found voting.Verdict, t Tally) bool {
	turned := g.Verdict != voting.NoVerdict && found != voting.NoVerdict && found != g.Verdict
	weight := t.Votes(found)
	if g.Verdict == voting.Undecided {
		weight = t.Accept + t.Reject
	}
	return turned && !Suffices(weight, g.Votes())
}

// Ballot is all that closing a round of version 2 depends on.
type Ballot struct {
	Reward    uint64
	Round     uint8 // of the level, from 1
	Seats     []voting.Seat
	Standings []Standing // of the judges of Seats, in the same order
	Against   Given      // of an appeal
}

// Closed lists the effects of closing a round. Nothing is earned yet: money waits until the case is
// final.
type Closed struct {
	Tally   Tally
	Status  voting.Status  // AwaitingDraw after a void round with a round left, otherwise Decided or EndedUndecided
	Verdict voting.Verdict // NoVerdict for AwaitingDraw
	Seats   []SeatEnd      // Majority is the larger side, whatever the verdict
	Golden  uint64         // the slashes: they are the golden pot's, never another seat's
}

// Close ends a round: it counts, and slashes the seats that did not commit or did not reveal.
func (l Law) Close(b Ballot) (Closed, error) {
	if err := seatable(b.Seats, b.Standings); err != nil {
		return Closed{}, err
	}
	if b.Round == 0 || b.Round > l.MaxRounds {
		return Closed{}, fmt.Errorf("voting: round %d of at most %d of the level", b.Round, l.MaxRounds)
	}
	tally, err := Count(b.Seats)
	if err != nil {
		return Closed{}, err
	}
	out := Closed{Tally: tally, Status: voting.Decided, Verdict: b.Against.Decides(tally), Seats: make([]SeatEnd, len(b.Seats))}
	switch {
	case b.Against.TooLight(out.Verdict, tally):
		out.Status, out.Verdict = voting.EndedUndecided, voting.Undecided
	case out.Verdict != voting.NoVerdict:
	case b.Round < l.MaxRounds:
		out.Status = voting.AwaitingDraw
	default:
		out.Status, out.Verdict = voting.EndedUndecided, voting.Undecided
	}
	for i := range b.Seats {
		s := &out.Seats[i]
		s.Result = tally.result(&b.Seats[i], out.Status)
		if s.Slashed, err = l.silence(b.Reward, &b.Seats[i], b.Standings[i]); err != nil {
			return Closed{}, err
		}
		if out.Golden, err = sum(out.Golden, s.Slashed); err != nil {
			return Closed{}, err
		}
	}
	return out, nil
}

// seatable refuses what no chain can show.
func seatable(seats []voting.Seat, standings []Standing) error {
	if len(seats) > voting.MaxSeats {
		return fmt.Errorf("voting: a round of %d seats cannot be settled, 1 to %d can", len(seats), voting.MaxSeats)
	}
	return standing(seats, standings)
}

// standing refuses seats without judges, and judges without seats.
func standing(seats []voting.Seat, standings []Standing) error {
	if len(seats) == 0 {
		return errors.New("voting: nothing can be settled without seats")
	}
	if len(standings) != len(seats) {
		return fmt.Errorf("voting: %d standings for %d seats", len(standings), len(seats))
	}
	for i := range seats {
		if seats[i].Weight == 0 {
			return fmt.Errorf("voting: seat %d has no weight", i)
		}
	}
	return nil
}

// result says how a seat ended the round. Sides of equal weight have no majority.
func (t Tally) result(s *voting.Seat, status voting.Status) voting.Result {
	const _ = uint(6 - voting.Statuses) // has a level with a seventh status winners?
	const _ = uint(3 - voting.Choices)  // the sides are accept and reject
	mine, other := t.Accept, t.Reject
	if s.Choice == voting.Reject {
		mine, other = other, mine
	}
	switch {
	case s.Equivocated:
		return voting.Equivocated
	case !s.Revealed:
		return voting.Absent
	case s.Choice == voting.Abstain:
		return voting.Abstained
	case status != voting.Decided || mine == other:
		return voting.Voted
	case mine > other:
		return voting.Majority
	default:
		return voting.Minority
	}
}

// silence returns the loss of a seat that never committed, or that committed and did not reveal. A
// seat that equivocated was slashed when the proof was shown.
func (l Law) silence(reward uint64, s *voting.Seat, standing Standing) (loss uint64, err error) {
	switch {
	case s.Revealed || s.Equivocated:
		return 0, nil
	case s.Committed:
		loss, err = l.wrong(reward, s.Weight)
	default:
		loss, err = l.pays(reward, s.Weight, uint64(l.Absence))
	}
	return min(loss, standing.stake()), err
}

// sided reports whether a seat's vote for a side counts.
func sided(s *voting.Seat) bool {
	const _ = uint(3 - voting.Choices) // the sides are accept and reject
	return s.Revealed && !s.Equivocated && (s.Choice == voting.Accept || s.Choice == voting.Reject)
}
