package exchange

import (
	"context"
	"errors"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/anex"
)

// Seat is the authority with which a judge asks: that it sits in a round of a case, and that the peer is its node.
type Seat struct {
	Case  casefile.Address
	Round uint8            // 1 to casefile.MaxRound
	Judge casefile.Address // authority
	Peer  casefile.DID     // as the transport proves it
}

// Authority knows from the chain who may ask.
type Authority interface {
	// Check returns nil if who allows the seat to ask for the source: the judge sits in that round, the round is live, the peer is that
	// judge's node, and, for datasource.Seated, the task names the source. Otherwise the error wraps one of the Err… of this
	// file; any other error is taken for ErrNotKnown. It returns when ctx ends.
	Check(ctx context.Context, seat Seat, source string, who datasource.Who) error
}

// Why somebody may not ask. The texts are what the peer is told.
var (
	// ErrNotKnown is nobody's fault: this node may not know enough yet, or cannot reach the chain.
	ErrNotKnown = errors.New("the chain does not show that seat here yet")
	// ErrNotLive is nobody's fault: clocks differ.
	ErrNotLive = errors.New("the round is not live")
	// ErrNoSeat, ErrOtherPeer, ErrNotListed and ErrNotTold are the asker's fault if the chain is looked at in time.
	ErrNoSeat    = errors.New("that judge has no seat in that round")
	ErrOtherPeer = errors.New("the peer is not the node of that judge")
	ErrNotListed = errors.New("the terms of the source do not let that judge ask")
	ErrNotTold   = errors.New("the task does not name the source")
)

// seatOf reads the seat that a call claims.
func seatOf(peer casefile.DID, c anex.Call) (Seat, error) {
	if c.Case == "" || c.Round > casefile.MaxRound {
		return Seat{}, ErrNoSeat
	}
	task, err := casefile.ParseAddress(c.Case)
	if err != nil {
		return Seat{}, ErrNoSeat
	}
	judge, err := casefile.ParseAddress(c.Judge)
	if err != nil {
		return Seat{}, ErrNoSeat
	}
	return Seat{Case: task, Round: c.Round, Judge: judge, Peer: peer}, nil
}
