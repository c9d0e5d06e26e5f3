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

// Check implements exchange.Authority (protocol section 12, "Who may ask"). A seat that is named is looked at whatever the class: the
// receipt will name it, and the case's quota will count it.
func (a authority) Check(ctx context.Context, seat exchange.Seat, source string, who datasource.Who) error {
	if who.Class == datasource.Listed && !slices.Contains(who.Authorities, seat.Judge) {
		return exchange.ErrNotListed
	}
	if seat.Round == 0 {
		return a.besides(seat, who.Class)
	}
	if err := a.sits(seat); err != nil || who.Class != datasource.Seated {
		return err
	}
	return a.told(ctx, voting.Key(seat.Case), source)
}

// sits reports whether a seat is one of a live round.
func (a authority) sits(seat exchange.Seat) error {
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
	return nil
}

// besides reports whether a judge may ask besides any case.
func (a authority) besides(seat exchange.Seat, class datasource.Class) error {
	if judge, ok := a.Judge(seat.Peer); !ok || judge != seat.Judge {
		return exchange.ErrNoJudge
	}
	if class == datasource.Seated || class == datasource.Judges && !a.n.sits(voting.Key(seat.Peer)) {
		return exchange.ErrNoCase
	}
	return nil
}

// Judge implements exchange.Authority. The Roster has a node once.
func (a authority) Judge(peer casefile.DID) (casefile.Address, bool) {
	e, ok := a.n.roster.Load().of(voting.Key(peer))
	return casefile.Address(e.Authority), ok
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
