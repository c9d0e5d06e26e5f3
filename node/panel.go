package node

import (
	"context"
	"errors"
	"net/http"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/casefile/verify"
	"ojud/voting"
)

// PanelStatus is how many votes the panel of a case's round is worth, as this node sees it. Its History is what this node saw.
type PanelStatus struct {
	panel.Summary
	// Cast: the round is over, and the votes are those that counted. Otherwise every seat is taken as if it voted for a side, and families
	// and dimensions are those that the judges announce.
	Cast  bool                 `json:"cast"`
	Seats []casefile.PanelSeat `json:"seats"` // in the order of the draw; empty for a case that is no longer followed
}

// errNoPanel: nobody was drawn yet.
var errNoPanel = errors.New("node: no panel was drawn yet")

// Panel looks at the panel of a case: on the docket, or in the last round of the case file. casefile.ErrNoCase: this node knows nothing of
// the case.
func (n *Node) Panel(ctx context.Context, task voting.Key) (PanelStatus, error) {
	if c := n.docket.find(task); c != nil && c.seen() {
		look, _ := c.snapshot()
		if len(look.Seats) == 0 {
			return PanelStatus{}, errNoPanel
		}
		return n.panel(c, look)
	}
	file, _, err := n.Export(ctx, task)
	if err != nil {
		return PanelStatus{}, err
	}
	panels := verify.File(file).Panels
	if len(panels) == 0 {
		return PanelStatus{}, errNoPanel
	}
	return PanelStatus{Summary: panels[len(panels)-1], Cast: true, Seats: []casefile.PanelSeat{}}, nil
}

// panel makes of a look what the case file will say, as far as it is known.
func (n *Node) panel(c *dispute, look voting.Case) (PanelStatus, error) {
	s := PanelStatus{Cast: look.Status != voting.Committing && look.Status != voting.Revealing}
	minds := n.announced
	if s.Cast {
		said, err := n.minds(c.log.Events(), look)
		if err != nil {
			return PanelStatus{}, err
		}
		minds = func(seat voting.Seat) casefile.PanelSeat { return said[seat.Commitment] }
	}
	p := casefile.Panel{Round: look.SeatsRound()}
	var judges []casefile.Address
	var choices []casefile.Choice
	var weights []casefile.Amount
	for _, seat := range look.Seats {
		mind := minds(seat)
		mind.Judge = casefile.Address(seat.Judge)
		p.Seats, judges, weights = append(p.Seats, mind), append(judges, mind.Judge), append(weights, casefile.Amount(seat.Weight))
		choice := casefile.Chosen(seat)
		if !s.Cast {
			choice = casefile.Choice(voting.Accept)
		}
		choices = append(choices, choice)
	}
	p.History = panel.History(casefile.Address(c.task), judges, n.past.seen())
	s.Summary, s.Seats = panel.Summarize(p, casefile.Spell(choices), weights), p.Seats
	return s, nil
}

// announced is what a seat's judge says of itself to the network.
func (n *Node) announced(seat voting.Seat) (mind casefile.PanelSeat) {
	id, err := keyPeer(seat.Peer)
	if err != nil {
		return mind // a key that no node can have: nobody announces anything under it
	}
	if j, ok := n.host.Registry().Judge(id); ok {
		mind.Family, mind.Dimension = j.ModelFamily, j.Dimension
	}
	return mind
}

// minds are the families and dimensions of the opinions of a look's round that are here, by the commitment that their vote opens. One that
// is not here, or cannot be read, says nothing.
func (n *Node) minds(events []casefile.Event, look voting.Case) (map[voting.Hash]casefile.PanelSeat, error) {
	out := map[voting.Hash]casefile.PanelSeat{}
	for _, e := range events {
		if e.Kind != casefile.KindVote {
			continue
		}
		var b casefile.VoteBody
		if err := strictJSON(e.Body, &b); err != nil {
			return nil, err
		}
		raw, err := n.blobs.Blob(voting.Hash(b.Vote.OpinionHash))
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

func (n *Node) servePanel(w http.ResponseWriter, r *http.Request) {
	task, ok := n.caseOf(w, r)
	if !ok {
		return
	}
	status, err := n.Panel(r.Context(), task)
	switch {
	case errors.Is(err, errNoPanel):
		n.refuse(w, http.StatusNotFound, "no panel was drawn in that case yet")
	case err != nil:
		n.refuseCase(w, err)
	default:
		n.reply(w, http.StatusOK, status)
	}
}
