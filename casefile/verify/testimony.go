package verify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"ojud/casefile"
	"ojud/voting"
)

// testimony establishes the facts: of each kind and round those that most seats name, if these are
// more than half of the seats and hold more than half of the weight. Then two files with different
// facts of one panel can only both verify if a seat signed both.
func (v *verifier) testimony() (int, *fault) {
	for r := uint8(1); r <= casefile.MaxRound; r++ {
		if f := v.establishRound(r); f != nil {
			return 0, f
		}
	}
	if len(v.rounds) == 0 {
		return 0, faultAt("$.events", "no judge has a seat, so no judge can testify")
	}
	last := v.rounds[len(v.rounds)-1].draw.Value
	var f *fault
	if v.open, f = establish(v, casefile.KindOpen, 0, panelOf(last), readFact[casefile.OpenFact]); f != nil {
		return 0, f
	}
	v.outcome, f = establish(v, casefile.KindOutcome, 0, panelOf(last), readFact[casefile.OutcomeFact])
	return len(v.report.Testimony), f
}

// establishRound establishes draw and settlement of a round. A later round without established
// facts did not take place: one seat must not be able to invent it.
func (v *verifier) establishRound(r uint8) *fault {
	draw, f := establish(v, casefile.KindDraw, r, nil, readFact[casefile.DrawFact])
	if f != nil && r > 1 {
		if len(v.claims(casefile.KindDraw, r)) > 0 {
			v.report.note(NoteDisagreement, f.path, "%s", f.detail)
		}
		return nil
	}
	if f != nil {
		return f
	}
	settle, f := establish(v, casefile.KindSettle, r, panelOf(draw.Value), readFact[casefile.SettleFact])
	if f != nil {
		return f
	}
	seats, f := seatsOf(draw, settle)
	if f != nil {
		return f
	}
	for _, s := range seats {
		v.seating.Seat(r, s.Peer, s.Judge)
	}
	v.rounds = append(v.rounds, round{r, draw, settle, seats})
	return nil
}

// seatWeights are the weights of the seats of a round, by node key.
type seatWeights map[casefile.DID]uint64

func (p seatWeights) weight() (total uint64) {
	for _, w := range p {
		total += w // voting.MaxSeats · voting.MaxSeatWeight fits
	}
	return total
}

// panelOf returns the seats of a draw; nil if they are not candidates.
func panelOf(f casefile.DrawFact) seatWeights {
	p := seatWeights{}
	for _, index := range f.Seats {
		i, ok := slices.BinarySearchFunc(f.Candidates, index, func(c casefile.Candidate, index uint16) int { return cmp.Compare(c.Index, index) })
		if !ok {
			return nil
		}
		p[f.Candidates[i].Peer] = uint64(f.Candidates[i].Weight)
	}
	return p
}

// claims returns the actors that name facts of a kind and round, by facts, from undisputed events.
func (v *verifier) claims(kind casefile.Kind, r uint8) map[casefile.Digest][]casefile.DID {
	out := map[casefile.Digest][]casefile.DID{}
	for _, e := range v.order {
		if e.Kind == kind && casefile.RoundOf(e.Parsed) == r {
			hash := e.Names()[0]
			out[hash] = append(out[hash], e.Actor)
		}
	}
	return out
}

// establish chooses the facts of a kind and round. Without a panel the facts name it themselves (a
// draw).
func establish[T casefile.Fact](v *verifier, kind casefile.Kind, r uint8, seats seatWeights, read func(*verifier, casefile.Kind, uint8, casefile.Digest) (casefile.Doc[T], *fault)) (casefile.Doc[T], *fault) {
	what := string(kind)
	if r > 0 {
		what = fmt.Sprintf("%s of round %d", kind, r)
	}
	claims := v.claims(kind, r)
	if len(claims) == 0 {
		f := faultAt("$.events", "no seat testifies to the %s: it did not take place yet, or it was left out", what)
		f.pending = true
		return casefile.Doc[T]{}, f
	}
	var best Testimony
	var doc casefile.Doc[T]
	problem := faultAt("$.events", "no seat testifies to the %s", what)
	heard := 0
	for _, hash := range slices.SortedFunc(maps.Keys(claims), casefile.Digest.Compare) {
		d, f := read(v, kind, r, hash)
		p := seats
		if f == nil && p == nil {
			p = panelOf(any(d.Value).(casefile.DrawFact))
		}
		t := weigh(claims[hash], p)
		heard += t.Seats
		switch {
		case f != nil && (p == nil || 2*t.Seats > t.Of):
			problem = f // enough seats may name it, but it cannot be read
		case f == nil && t.Seats > best.Seats:
			t.Fact, t.Round, t.Hash = string(kind), r, hash
			best, doc = t, d
		case f == nil && t.Seats == best.Seats && t.Seats > 0:
			return casefile.Doc[T]{}, faultAt("$.events", "the seats contradict each other: %d name one %s and %d another", t.Seats, what, best.Seats)
		}
	}
	if best.Seats == 0 {
		return casefile.Doc[T]{}, problem
	}
	if 2*best.Seats <= best.Of || 2*best.Weight <= best.Total {
		f := faultAt("$.events", "only %d of %d seats, with %d of %d lamports of weight, testify to the %s; more than half of both is needed",
			best.Seats, best.Of, best.Weight, best.Total, what)
		f.pending = heard == best.Seats
		return casefile.Doc[T]{}, f
	}
	best.Others = heard - best.Seats
	if best.Others > 0 {
		v.report.note(NoteDisagreement, "$.events", "%d seats testify to another %s than the other %d", best.Others, what, best.Seats)
	}
	v.report.Testimony = append(v.report.Testimony, best)
	return doc, nil
}

// weigh counts the seats of a panel among the actors.
func weigh(actors []casefile.DID, p seatWeights) Testimony {
	t := Testimony{Of: len(p), Total: casefile.Amount(p.weight())}
	for _, actor := range actors {
		if w, ok := p[actor]; ok {
			t.Seats++
			t.Weight += casefile.Amount(w)
		}
	}
	return t
}

// readFact reads the fact document with that hash.
func readFact[T casefile.Fact](v *verifier, kind casefile.Kind, r uint8, hash casefile.Digest) (casefile.Doc[T], *fault) {
	content, ok := v.blob(hash)
	if !ok {
		return casefile.Doc[T]{}, faultAt("$.blobs", "the %s facts %s are not in the file", kind, hash)
	}
	path := "$.blobs." + hash.String()
	doc, err := casefile.ReadFact[T](kind, content)
	if err != nil {
		return doc, faultAt(path, "%v", err)
	}
	if s := doc.Value.Stamped(); s.Network != v.bundle.Network || s.Program != v.bundle.Program || s.Case != v.bundle.Case {
		return doc, faultAt(path, "the facts are of another case, program or network")
	}
	if doc.Value.About() != r {
		return doc, faultAt(path, "the facts are of another round")
	}
	return doc, nil
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
