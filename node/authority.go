package node

import (
	"context"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/voting"
)

// authority knows from the chain who may ask this node for data.
type authority struct{ n *Node }

var _ exchange.Authority = authority{}

// Check implements exchange.Authority. Classes other than the seated need less: a seat in any live round, or a place on the Roster.
func (a authority) Check(ctx context.Context, seat exchange.Seat, source string, who datasource.Who) error {
	switch who.Class {
	case datasource.Roster:
		return a.onRoster(seat)
	case datasource.Listed:
		if !slices.Contains(who.Authorities, seat.Judge) {
			return exchange.ErrNotListed
		}
		return a.onRoster(seat)
	}
	c := a.n.docket.find(voting.Key(seat.Case))
	if c == nil {
		return exchange.ErrNotKnown
	}
	look, _ := c.snapshot()
	switch i := look.SeatOf(voting.Key(seat.Judge)); {
	case look.Status == 0 || look.Round < seat.Round:
		return exchange.ErrNotKnown
	case !look.Live() || look.Round != seat.Round:
		return exchange.ErrNotLive
	case i < 0:
		return exchange.ErrNoSeat
	case look.Seats[i].Peer != voting.Key(seat.Peer):
		return exchange.ErrOtherPeer
	}
	if who.Class == datasource.Judges {
		return nil
	}
	return a.told(ctx, voting.Key(seat.Case), source)
}

// onRoster reports whether the peer is the node of a judge on the Roster.
func (a authority) onRoster(seat exchange.Seat) error {
	e, ok := a.n.roster.Load().entry(voting.Key(seat.Judge))
	switch {
	case !ok:
		return exchange.ErrNotKnown
	case e.Peer != voting.Key(seat.Peer):
		return exchange.ErrOtherPeer
	}
	return nil
}

// told reports whether the task of a case names a source.
func (a authority) told(ctx context.Context, task voting.Key, source string) error {
	terms, err := a.n.terms(ctx, task)
	if err != nil {
		return fmt.Errorf("%w: %w", exchange.ErrNotKnown, err)
	}
	raw, err := a.n.fetch(ctx, terms.TaskHash, a.n.seatPeers(task))
	if err != nil {
		return fmt.Errorf("%w: %w", exchange.ErrNotKnown, err)
	}
	doc, err := casefile.ParseTask(raw)
	if err != nil || !slices.Contains(doc.Value.DataSources, source) {
		return exchange.ErrNotTold
	}
	return nil
}
