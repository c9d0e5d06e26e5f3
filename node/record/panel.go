package record

import (
	"context"
	"errors"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/casefile/verify"
	"ojud/node/network"
	"ojud/voting"
)

// PanelStatus says how many independent votes the panel of a case's round is worth, as this node
// sees it. Its History is what this node saw.
type PanelStatus struct {
	panel.Summary
	// Cast: the round is over, and the report is about the votes that counted. Before that, the
	// report assumes that every seat votes for the same side, with the families and dimensions that
	// the judges announce.
	Cast  bool                 `json:"cast"`
	Seats []casefile.PanelSeat `json:"seats"` // in the order of the draw; empty for a case that is no longer followed
}

// ErrNoPanel means that no panel was drawn yet.
var ErrNoPanel = errors.New("record: no panel was drawn yet")

// Panel looks at the present panel of a case, or at the panel of the last round in the case file.
// The error is casefile.ErrNoCase if this node knows nothing of the case.
func (r *Reader) Panel(ctx context.Context, task voting.Key) (PanelStatus, error) {
	if c := r.Cases.find(task); c != nil && c.seen() {
		look, _ := c.snapshot()
		if len(look.Seats) == 0 {
			return PanelStatus{}, ErrNoPanel
		}
		return r.panel(c, look)
	}
	file, _, err := r.Export(ctx, task)
	if err != nil {
		return PanelStatus{}, err
	}
	panels := verify.File(file).Panels
	if len(panels) == 0 {
		return PanelStatus{}, ErrNoPanel
	}
	return PanelStatus{Summary: panels[len(panels)-1], Cast: true, Seats: []casefile.PanelSeat{}}, nil
}

// panel predicts from a look what the case file will say, as far as it is known.
func (r *Reader) panel(c *caseRecord, look voting.Case) (PanelStatus, error) {
	s := PanelStatus{Cast: look.Status != voting.Committing && look.Status != voting.Revealing}
	describe := r.announced
	if s.Cast {
		opinions, err := r.opinionSeats(c.log.Events(), look)
		if err != nil {
			return PanelStatus{}, err
		}
		describe = func(seat voting.Seat) casefile.PanelSeat { return opinions[seat.Commitment] }
	}
	p := casefile.Panel{Round: look.SeatsRound()}
	var judges []casefile.Address
	var choices []casefile.Choice
	var weights []casefile.Amount
	for _, seat := range look.Seats {
		member := describe(seat)
		member.Judge = casefile.Address(seat.Judge)
		p.Seats, judges, weights = append(p.Seats, member), append(judges, member.Judge), append(weights, casefile.Amount(seat.Weight))
		choice := casefile.Chosen(seat)
		if !s.Cast {
			choice = casefile.Choice(voting.Accept)
		}
		choices = append(choices, choice)
	}
	p.History = panel.History(casefile.Address(c.task), judges, r.Decisions.All())
	s.Summary, s.Seats = panel.Summarize(p, casefile.Spell(choices), weights), p.Seats
	return s, nil
}

// announced returns what a seat's judge announces of itself.
func (r *Reader) announced(seat voting.Seat) (member casefile.PanelSeat) {
	id, err := network.PeerOf(seat.Peer)
	if err != nil {
		return member // no node can have this key, so no node announces anything under it
	}
	if j, ok := r.Judges.Judge(id); ok {
		member.Family, member.Dimension = j.ModelFamily, j.Dimension
	}
	return member
}

// opinionSeats returns the families and dimensions of the local opinions of a look's round, by the
// commitment that their vote opens. It leaves out opinions that are missing or cannot be read.
func (r *Reader) opinionSeats(events []casefile.Event, look voting.Case) (map[voting.Hash]casefile.PanelSeat, error) {
	out := map[voting.Hash]casefile.PanelSeat{}
	for _, e := range events {
		if e.Kind != casefile.KindVote {
			continue
		}
		var b casefile.VoteBody
		if err := network.DecodeStrict(e.Body, &b); err != nil {
			return nil, err
		}
		raw, err := r.Blobs.Blob(voting.Hash(b.Vote.OpinionHash))
		if errors.Is(err, casefile.ErrNoBlob) || b.Round != look.SeatsRound() {
			continue
		}
		if err != nil {
			return nil, err
		}
		if doc, err := casefile.ParseOpinion(raw); err == nil {
			out[b.Vote.Commitment()] = casefile.PanelSeat{Family: doc.Value.Family, Dimension: doc.Value.Dimension}
		}
	}
	return out, nil
}
