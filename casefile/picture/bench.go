package picture

import (
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/casefile/candidates"
	"ojud/casefile/reading"
	"ojud/voting"
)

// Bench is a panel of a case: its seats, and the weight behind each side as far as votes are known.
type Bench struct {
	Round   uint8
	Seats   []BenchSeat
	Verdict voting.Verdict // NoVerdict: not settled, or void
	Settled bool

	Accept, Reject, Abstain, Seated uint64 // lamports
	Committed, Revealed             int
	Votes                           [voting.Choices + 1]int // by choice
	CommitEnds, RevealEnds          int64                   // 0: not known
	DrawnAt                         int64                   // 0: not known
	Candidates                      int                     // judges who could be drawn; 0: not known
}

// BenchSeat is a seat of a panel.
type BenchSeat struct {
	voting.Seat
	Said reading.Statements
}

// counts reports whether a vote may be shown: it is on the chain, or its round is settled.
func (s BenchSeat) counts() bool { return s.Revealed && s.Choice != voting.NoChoice }

// Benches returns the panels of a case, in the order of their rounds. The chain's account comes
// before the record, because the record lags behind.
func Benches(s Scene) (out []Bench) {
	const _ = uint(6 - voting.Statuses) // does a seventh status have a verdict?
	for round := uint8(1); round <= casefile.MaxRound; round++ {
		facts := s.Record.Rounds[round-1]
		b := Bench{Round: round, Seats: seats(s, round)}
		if len(b.Seats) == 0 {
			continue
		}
		if facts.Draw != nil {
			if all, err := candidates.Of(facts.Draw.Value, s.Record.Content); err == nil {
				b.Candidates = len(all)
			}
			b.DrawnAt, b.CommitEnds = facts.Draw.Value.At, facts.Draw.Value.CommitEnds
		}
		if round == s.Look.SeatsRound() && s.Look.Live() {
			b.CommitEnds, b.RevealEnds = s.Look.CommitEnds, s.Look.RevealEnds
		}
		b.sum()
		if settled := facts.Settle; settled != nil {
			b.Settled, b.Verdict = true, voting.Verdict(settled.Value.Verdict)
		} else if round == s.Look.SeatsRound() && !s.Look.Live() && s.Look.Status != 0 {
			b.Settled = true
			if s.Look.Status != voting.AwaitingDraw {
				b.Verdict = s.Look.Verdict
			}
		}
		out = append(out, b)
	}
	return out
}

// drawn says in a sentence how many judges were drawn from how many.
func (b *Bench) drawn() string {
	seats := Count(len(b.Seats), "judge", "judges")
	switch {
	case b.Candidates == len(b.Seats):
		return fmt.Sprintf("The court has just %s, so the lot drew all of them.", seats)
	case b.Candidates > 0:
		return fmt.Sprintf("The lot drew %s of %d.", seats, b.Candidates)
	}
	return fmt.Sprintf("The lot drew %s.", seats)
}

// lot says in a few words how the judges were chosen.
func (b *Bench) lot() string {
	if n := len(b.Seats); n > 0 && b.Candidates == n {
		return fmt.Sprintf("all %d there are", n)
	}
	return "by lot"
}

// sum adds the seats up.
func (b *Bench) sum() {
	const _ = uint(3 - voting.Choices) // a fourth choice needs its own sum
	for _, seat := range b.Seats {
		b.Seated += seat.Weight
		if seat.Committed {
			b.Committed++
		}
		if !seat.counts() || seat.Equivocated {
			continue
		}
		b.Revealed++
		b.Votes[seat.Choice]++
		switch seat.Choice {
		case voting.Accept:
			b.Accept += seat.Weight
		case voting.Reject:
			b.Reject += seat.Weight
		default:
			b.Abstain += seat.Weight
		}
	}
}

// seats returns the seats of a round, from the chain's account or else from the record.
func seats(s Scene, round uint8) (out []BenchSeat) {
	for _, on := range s.Look.Panel(round) {
		out = append(out, BenchSeat{on, s.said(casefile.DID(on.Peer), round)})
	}
	draw, settle := s.Record.Rounds[round-1].Draw, s.Record.Rounds[round-1].Settle
	if len(out) > 0 || draw == nil {
		return out
	}
	for i, index := range draw.Value.Seats {
		at := slices.IndexFunc(draw.Value.Candidates, func(c casefile.Candidate) bool { return c.Index == index })
		if at < 0 {
			continue
		}
		c := draw.Value.Candidates[at]
		one := BenchSeat{Seat: voting.Seat{Judge: voting.Key(c.Judge), Peer: voting.Key(c.Peer), Index: index, Weight: uint64(c.Weight)}, Said: s.said(c.Peer, round)}
		if i < len(draw.Value.Weights) {
			one.Weight = uint64(draw.Value.Weights[i])
		}
		one.Committed = len(one.Said.Committed) > 0
		if settle != nil && i < len(settle.Value.Seats) {
			end := settle.Value.Seats[i]
			one.Committed = end.Commitment != casefile.Digest{}
			one.Choice, one.Result = voting.Choice(end.Choice), voting.Result(end.Result)
			one.Revealed, one.Equivocated = one.Choice != voting.NoChoice, one.Result == voting.Equivocated
			one.Slashed, one.Earned = uint64(end.Slashed), uint64(end.Earned)
		} else if vote := one.Said.Vote; vote != nil {
			one.Revealed, one.Choice = true, voting.Choice(vote.Choice)
		}
		out = append(out, one)
	}
	return out
}
