package exchange

import (
	"context"
	"errors"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/anex"
)

// Seat is the claim with which a judge asks: it sits in a round of a case, and the peer is its
// node. Outside any case it claims that the peer is the node of a judge on the Roster; Case and
// Round are then zero.
type Seat struct {
	Case  casefile.Address
	Round uint8            // 0 to casefile.MaxRound
	Judge casefile.Address // authority
	Peer  casefile.DID     // as the transport proves it
}

// Authority decides by the chain whether a peer may ask.
type Authority interface {
	// Check returns nil if who allows the seat to ask for the source. In a case, the judge must sit
	// in that round, the round must be live, and the peer must be that judge's node. For
	// datasource.Seated the task must name the source, and for datasource.Listed the judge must be
	// listed. In round 0 the peer must be that judge's node, and who must be datasource.Roster,
	// datasource.Listed, or datasource.Judges with the judge in any live round. Otherwise the error
	// wraps one of the Err… of this file. Any other error counts as ErrNotKnown. Check returns when
	// ctx ends.
	Check(ctx context.Context, seat Seat, source string, who datasource.Who) error
	// Seats returns the number of seats in the present round of a case.
	Seats(task casefile.Address) int
	// Judge returns the judge on the Roster whose node is the peer.
	Judge(peer casefile.DID) (judge casefile.Address, ok bool)
}

// The reasons why a peer may not ask. The peer reads these texts.
var (
	// ErrNotKnown blames no one: this node may not know enough yet, or cannot reach the chain.
	ErrNotKnown = errors.New("the chain does not show that seat here yet")
	// ErrNotLive blames no one, because clocks differ.
	ErrNotLive = errors.New("the round is not live")
	// These are the asker's fault if this node's view of the chain is recent.
	ErrNoSeat    = errors.New("that judge has no seat in that round")
	ErrOtherPeer = errors.New("the peer is not the node of that judge")
	ErrNotListed = errors.New("the terms of the source do not let that judge ask")
	ErrNotTold   = errors.New("the task does not name the source")
	// ErrNoCase and ErrNoJudge are for requests outside any case, and blame no one.
	ErrNoCase  = errors.New("only judges of a live round may ask for the source")
	ErrNoJudge = errors.New("the peer is not the node of a judge on the roster")
)

// seatOf reads the seat that a call claims, or finds the judge that asks outside any case.
func seatOf(peer casefile.DID, c anex.Call, a Authority) (Seat, error) {
	if c.Case == "" {
		judge, ok := a.Judge(peer)
		if !ok {
			return Seat{}, ErrNoJudge
		}
		return Seat{Judge: judge, Peer: peer}, nil
	}
	if c.Round > casefile.MaxRound {
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
