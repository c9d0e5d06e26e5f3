package casefile

import (
	"fmt"

	"ojud/voting"
)

// panels checks what the file says of how far votes were independent: the seats are those of the draw, the families those of the opinions,
// and the number follows from them and from the history, which is the exporter's word.
func (v *verifier) panels() (int, *fault) {
	if got, want := len(v.bundle.Panels), len(v.rounds); got != want {
		return 0, faultAt("$.panels", "has %d panels; %d rounds were settled", got, want)
	}
	rows := 0
	for i, p := range v.bundle.Panels {
		if f := v.panel(i, p); f != nil {
			return 0, f
		}
		choices, weights := v.ballot(i)
		v.report.Panels = append(v.report.Panels, p.Report(choices, weights))
		rows += len(p.History)
	}
	return rows, nil
}

// panel checks one round's.
func (v *verifier) panel(i int, p Panel) *fault {
	path := fmt.Sprintf("$.panels[%d]", i)
	want := v.drawn(i)
	if p.Round != want.Round {
		return faultAt(path+".round", "is %d; rounds stand in their order", p.Round)
	}
	if len(p.Seats) != len(want.Seats) {
		return faultAt(path+".seats", "has %d seats; %d were drawn", len(p.Seats), len(want.Seats))
	}
	for k, s := range p.Seats {
		at, wanted := fmt.Sprintf("%s.seats[%d]", path, k), want.Seats[k]
		switch {
		case s.Judge != wanted.Judge:
			return faultAt(at+".judge", "is not the judge who was drawn")
		case s.Family != wanted.Family:
			return faultAt(at+".family", "is %q; the seat's opinion says %q", s.Family, wanted.Family)
		case s.Dimension != wanted.Dimension:
			return faultAt(at+".dimension", "is %q; the seat's opinion says %q", s.Dimension, wanted.Dimension)
		}
	}
	for k, r := range p.History {
		if r.Case == v.bundle.Case {
			return faultAt(fmt.Sprintf("%s.history[%d].case", path, k), "is this case itself")
		}
	}
	// The tolerance is for a program that adds up in another order and rounds to the other side.
	if got := p.Independent(v.ballot(i)); got > p.Effective+1 || p.Effective > got+1 {
		return faultAt(path+".effective", "is %s; the seats and the history give %s", p.Effective, got)
	}
	return nil
}

// drawn is the panel of a settled round, without history.
func (v *verifier) drawn(i int) Panel {
	p := Panel{Round: uint8(i + 1), Seats: []PanelSeat{}, History: []PanelRow{}}
	said := v.minds(p.Round)
	for _, s := range v.rounds[i].seats {
		mind := said[DID(s.Peer)]
		p.Seats = append(p.Seats, PanelSeat{Address(s.Judge), mind.Family, mind.Dimension})
	}
	return p
}

// minds returns the opinions of a round that are in the file and belong to the votes that opened the commitments on the chain.
func (v *verifier) minds(round uint8) map[DID]Opinion {
	out := map[DID]Opinion{}
	for _, e := range v.order {
		b, ok := e.body.(VoteBody)
		if !ok || b.Round != round {
			continue
		}
		seat, ok := v.seatEnd(round, e.Actor)
		content, here := v.blob(b.Vote.OpinionHash)
		if !ok || !here || b.Vote.Commitment() != voting.Hash(seat.Commitment) {
			continue
		}
		if o, problem := mismatch(content, b.Vote); problem == "" {
			out[e.Actor] = o
		}
	}
	return out
}

// ballot is what the seats of a round chose, and their weights.
func (v *verifier) ballot(i int) (Choices, []Amount) {
	var choices []byte
	var weights []Amount
	for _, s := range v.rounds[i].seats {
		choices, weights = append(choices, letter(Chosen(s))), append(weights, Amount(s.Weight))
	}
	return Choices(choices), weights
}

// weigh writes the panels of a bundle from what its exporter saw of other cases. Rounds whose facts are not established yet have none.
func (b *Bundle) weigh(d voting.Domain, seen []Past) error {
	v := &verifier{bundle: *b, domain: d}
	b.Panels = []Panel{}
	if _, f := v.events(); f != nil {
		return fmt.Errorf("casefile: export: %s: %s", f.path, f.detail)
	}
	v.testimony() // what it says of a case that is not over yet is for Verify to say
	for i := range v.rounds {
		p := v.drawn(i)
		judges := make([]Address, len(p.Seats))
		for k, s := range p.Seats {
			judges[k] = s.Judge
		}
		p.History = History(b.Case, judges, seen)
		p.Effective = p.Independent(v.ballot(i))
		b.Panels = append(b.Panels, p)
	}
	return nil
}
