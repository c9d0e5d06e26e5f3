package verify

import (
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/casefile/testimony"
	"ojud/voting"
)

// testimony establishes the facts: of each kind and round those that most seats name, if these are
// more than half of the seats and hold more than half of the weight. Then two files with different
// facts of one panel can only both verify if a seat signed both.
func (v *verifier) testimony() (int, *fault) {
	facts, err := testimony.Heard{
		Network: v.bundle.Network, Program: v.bundle.Program, Case: v.bundle.Case, Claims: v.claims(), Blob: v.bundle.Blob,
	}.Establish()
	if err != nil {
		return 0, faultAt("$.blobs", "%v", err)
	}
	for _, n := range facts.Notes {
		v.report.note(NoteDisagreement, n.Path, "%s", n.Detail)
	}
	v.report.Testimony = append(v.report.Testimony, facts.Support...)
	for _, r := range facts.Rounds {
		if r.Settle == nil {
			break
		}
		seats, f := seatsOf(r.Draw, *r.Settle)
		if f != nil {
			return 0, f
		}
		for _, s := range seats {
			v.seating.Seat(r.Number, s.Peer, s.Judge)
		}
		v.rounds = append(v.rounds, round{r.Number, len(r.Draw.Value.Lists) > 0, r.Draw, *r.Settle, seats})
	}
	if f := facts.Doubt; f != nil {
		return 0, &fault{path: f.Path, detail: f.Detail, pending: f.Pending}
	}
	v.open, v.outcome = *facts.Open, *facts.Outcome
	return len(v.report.Testimony), nil
}

// claims returns the facts that undisputed events name.
func (v *verifier) claims() (out []testimony.Claim) {
	for _, e := range v.order {
		if c, ok := testimony.ClaimOf(e.Event, e.Parsed); ok {
			out = append(out, c)
		}
	}
	return out
}

// seatsOf joins what the draw and the settlement of a round say of its seats.
func seatsOf(draw casefile.Doc[casefile.DrawFact], settle casefile.Doc[casefile.SettleFact]) ([]voting.Seat, *fault) {
	d, s := draw.Value, settle.Value
	if len(d.Seats) != len(s.Seats) {
		return nil, faultAt(inBlob(settle.Hash, "seats"), "%d seats were settled, %d drawn", len(s.Seats), len(d.Seats))
	}
	out := make([]voting.Seat, len(d.Seats))
	for i, index := range d.Seats {
		c := d.Candidates[slices.IndexFunc(d.Candidates, func(c casefile.Candidate) bool { return c.Index == index })]
		end := s.Seats[i]
		if end.Judge != c.Judge {
			return nil, faultAt(inBlob(settle.Hash, fmt.Sprintf("seats[%d].judge", i)), "is not the judge who was drawn")
		}
		out[i] = voting.Seat{
			Judge: voting.Key(c.Judge), Peer: voting.Key(c.Peer), Index: index, Weight: seatWeight(d, i),
			Commitment: voting.Hash(end.Commitment), Committed: end.Commitment != casefile.Digest{},
			Choice: voting.Choice(end.Choice), Revealed: end.Choice != casefile.Choice(voting.NoChoice),
			Equivocated: voting.Result(end.Result) == voting.Equivocated, Result: voting.Result(end.Result),
			Slashed: uint64(end.Slashed), Earned: uint64(end.Earned),
		}
	}
	return out, nil
}
