package exchange

import (
	"context"
	"errors"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/anex"
)

// Seat is the authority with which a judge asks: that it sits in a round of a case, and that the peer is its node. Besides any case it is
// that the peer is the node of a judge on the Roster: then Case and Round are zero.
type Seat struct {
	Case  casefile.Address
	Round uint8            // 0 to casefile.MaxRound
	Judge casefile.Address // authority
	Peer  casefile.DID     // as the transport proves it
}

// Authority knows from the chain who may ask.
type Authority interface {
	// Check returns nil if who allows the seat to ask for the source: the judge sits in that round, the round is live, the peer is that
	// judge's node, for datasource.Seated the task names the source, and for datasource.Listed the judge is listed. Of a seat of round
	// 0 who allows datasource.Roster and Listed, and datasource.Judges if the judge sits in any live round; the peer has to be that judge's
	// node too. Otherwise the error wraps one of the Err… of this file; any other error is taken for ErrNotKnown. It returns when ctx ends.
	Check(ctx context.Context, seat Seat, source string, who datasource.Who) error
	// Judge is the judge on the Roster whose node the peer is.
	Judge(peer casefile.DID) (judge casefile.Address, ok bool)
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
	// ErrNoCase and ErrNoJudge are for questions besides any case, and nobody's fault.
	ErrNoCase  = errors.New("only judges of a live round may ask for the source")
	ErrNoJudge = errors.New("the peer is not the node of a judge on the roster")
)

// seatOf reads the seat that a call claims, or finds the judge that asks besides any case.
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
