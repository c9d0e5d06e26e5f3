package rules

import (
	"fmt"

	"ojud/voting"
)

// LawOf is the law of a case by the parameters that it has. The fee of a seat is in them, so the
// law's fee does not depend on the reward.
func LawOf(r voting.Rules) Law {
	return Law{
		Preset: Preset(r.Preset), FeeMin: r.Fee, RiskBps: r.RiskBps, GoldenGain: r.GoldenGain, GoldenLoss: r.GoldenLoss,
		Absence: r.Absence, Minority: r.Minority, Reversal: r.Reversal, MaxRounds: r.MaxRounds,
	}
}

// RoundEnd is all that settling a round depends on (protocol section 6, Settle). Amounts are
// lamports.
type RoundEnd struct {
	Law       Law
	Round     uint8
	Seats     []voting.Seat // with their choices and flags
	Standings []Standing    // of the judges of Seats, in the same order
	Terms     Terms
}

// Settlement lists the effects of settling or expiring. The caller applies it: of the stake of each
// seat's judge Slashed is taken, to its rewards Earned is added, Golden goes to the Pot, Payments
// leave the task. Every lamport that was taken, and that the terms had, is in one of these again.
type Settlement struct {
	Tally    Tally
	Status   voting.Status  // AwaitingDraw after a void round with a round left, otherwise Decided or EndedUndecided
	Verdict  voting.Verdict // NoVerdict for AwaitingDraw
	Outcome  voting.Outcome // NoOutcome for AwaitingDraw
	Round    uint8          // of the case afterwards
	Seats    []SeatEnd
	Bond     uint64 // lost by the parties
	Golden   uint64 // of it and of the slashes: goes to the Pot
	Payments []Payment
}

// SeatEnd is the result of a settlement for one seat.
type SeatEnd struct {
	Result  voting.Result
	Slashed uint64 // now; an earlier slash for equivocation is not in it
	Earned  uint64
}

// Settle ends a round: it judges the seats, slashes, and either decides the case, sends it to
// another draw, or ends it undecided.
func Settle(in RoundEnd) (Settlement, error) {
	const _ = uint(6 - voting.Statuses) // does a seventh status end the case?
	closed, err := in.Law.Close(Ballot{Reward: in.Terms.Escrow, Round: in.Round, Seats: in.Seats, Standings: in.Standings})
	if err != nil {
		return Settlement{}, err
	}
	out := Settlement{
		Tally: closed.Tally, Status: closed.Status, Verdict: closed.Verdict, Round: in.Round, Seats: closed.Seats, Golden: closed.Golden,
	}
	if out.Status == voting.AwaitingDraw {
		out.Round++
		return out, nil
	}
	err = in.finish(&out)
	return out, err
}

// Expire ends a case that could not be drawn in time (protocol section 6, Expire case). in.Seats
// are those of the round before, with their results; there are none in round 1. Nobody is slashed:
// the seats of the Settlement carry the results that they had and what they earn now. The case
// keeps its round.
func Expire(in RoundEnd) (Settlement, error) {
	if len(in.Standings) != len(in.Seats) {
		return Settlement{}, fmt.Errorf("voting: %d standings for %d seats", len(in.Standings), len(in.Seats))
	}
	out := Settlement{Status: voting.EndedUndecided, Verdict: voting.Undecided, Round: in.Round, Seats: make([]SeatEnd, len(in.Seats))}
	for i := range in.Seats {
		out.Seats[i].Result = in.Seats[i].Result
	}
	err := in.finish(&out)
	return out, err
}

// finish pays the parties and the seats of a case that is over.
func (in *RoundEnd) finish(out *Settlement) error {
	law := in.Law
	law.TradeBps = in.Terms.TradeBps
	final, err := law.Finish(CaseEnd{Terms: in.Terms, First: Level{Verdict: out.Verdict, Seats: in.Seats, Standings: in.Standings}})
	if err != nil {
		return err
	}
	out.Outcome, out.Payments = final.Outcome, final.Payments
	for i, end := range final.First {
		s := &out.Seats[i]
		if s.Slashed, err = sum(s.Slashed, end.Slashed); err != nil {
			return err
		}
		s.Earned = end.Earned
	}
	back := uint64(0)
	for _, p := range final.Payments {
		if p.Kind == voting.PayBondBack {
			back += p.Amount // at most the bonds
		}
	}
	if out.Bond, err = sum(in.Terms.CreatorBond, in.Terms.WorkerBond); err != nil {
		return err
	}
	out.Bond -= back
	out.Golden, err = sum(out.Golden, final.Golden)
	return err
}
