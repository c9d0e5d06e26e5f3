package verify

import (
	"fmt"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/voting"
)

// panels checks what the file says of how far votes were independent: the seats are those of the
// draw, the families those of the opinions, and the number follows from them and from the history,
// which is the exporter's word.
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
		v.report.Panels = append(v.report.Panels, panel.Summarize(p, choices, weights))
		rows += len(p.History)
	}
	return rows, nil
}

// panel checks one round's.
func (v *verifier) panel(i int, p casefile.Panel) *fault {
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
	choices, weights := v.ballot(i)
	if got := panel.Independent(p, choices, weights); got > p.Effective+1 || p.Effective > got+1 {
		return faultAt(path+".effective", "is %s; the seats and the history give %s", p.Effective, got)
	}
	return nil
}

// drawn is the panel of a settled round, without history.
func (v *verifier) drawn(i int) casefile.Panel {
	p := casefile.Panel{Round: v.rounds[i].number, Seats: []casefile.PanelSeat{}, History: []casefile.PanelRow{}}
	said := v.opinionsOf(p.Round)
	for _, s := range v.rounds[i].seats {
		opinion := said[casefile.DID(s.Peer)]
		p.Seats = append(p.Seats, casefile.PanelSeat{Judge: casefile.Address(s.Judge), Family: opinion.Family, Dimension: opinion.Dimension})
	}
	return p
}

// opinionsOf returns the opinions of a round that are in the file and belong to the votes that
// opened the commitments on the chain.
func (v *verifier) opinionsOf(round uint8) map[casefile.DID]casefile.Opinion {
	out := map[casefile.DID]casefile.Opinion{}
	for e, b := range bodies[casefile.VoteBody](v) {
		if b.Round != round {
			continue
		}
		seat, ok := v.seatEnd(round, e.Actor)
		_, here := v.blob(b.Vote.OpinionHash)
		if !ok || !here || b.Vote.Commitment() != voting.Hash(seat.Commitment) {
			continue
		}
		if o, problem := voted(v, b.Vote); problem == "" {
			out[e.Actor] = o
		}
	}
	return out
}

// ballot returns the choices of a round's seats, and their weights.
func (v *verifier) ballot(i int) (casefile.Choices, []casefile.Amount) {
	var choices []casefile.Choice
	var weights []casefile.Amount
	for _, s := range v.rounds[i].seats {
		choices, weights = append(choices, casefile.Chosen(s)), append(weights, casefile.Amount(s.Weight))
	}
	return casefile.Spell(choices), weights
}

// Panels works out the panels of a bundle from decided rounds that its exporter saw on the chain,
// in any order. A round whose facts are not established yet has none.
func Panels(seen []panel.DecidedRound) func(voting.Domain, casefile.Bundle) ([]casefile.Panel, error) {
	return func(d voting.Domain, b casefile.Bundle) ([]casefile.Panel, error) {
		v := &verifier{bundle: b, domain: d}
		out := []casefile.Panel{}
		if _, f := v.events(); f != nil {
			return nil, fmt.Errorf("casefile: export: %s: %s", f.path, f.detail)
		}
		v.testimony() // if the case is not over yet, Verify says so
		for i := range v.rounds {
			p := v.drawn(i)
			judges := make([]casefile.Address, len(p.Seats))
			for k, s := range p.Seats {
				judges[k] = s.Judge
			}
			p.History = panel.History(b.Case, judges, seen)
			choices, weights := v.ballot(i)
			p.Effective = panel.Independent(p, choices, weights)
			out = append(out, p)
		}
		return out, nil
	}
}
