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
// Round are then zero. An outsider has no judge. It asks with its own key as its peer. Case is
// zero, or the task that it says it is a party of.
type Seat struct {
	Case  casefile.Address
	Round uint8            // 0 to casefile.MaxRound
	Judge casefile.Address // authority, or the key of an outsider
	Peer  casefile.DID     // as the transport proves it
}

// Outsider reports whether no judge asks, but an agent, a party of a task, or anybody.
func (s Seat) Outsider() bool { return s.Round == 0 && s.Judge == casefile.Address(s.Peer) }

// Authority decides by the chain whether a peer may ask.
type Authority interface {
	// Check returns nil if who allows the seat to ask for the source. In a case, the judge must sit
	// in that round, the round must be live, and the peer must be that judge's node. For
	// datasource.Seated the task must name the source, and for datasource.Listed the judge must be
	// listed. In round 0 the peer must be that judge's node, and who must be datasource.Roster,
	// datasource.Listed, or datasource.Judges with the judge in any live round. The classes
	// datasource.Agents, Parties and Anyone allow all of these judges, and outsiders: registered
	// agents, the creator and the worker of the named task, or anybody. An outsider that names a
	// task must be a party of it, whatever the class. Otherwise the error wraps one of the Err… of
	// this file. Any other error counts as ErrNotKnown. Check returns when ctx ends.
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
	// These are for outsiders, and blame no one.
	ErrNoAgent = errors.New("the key of the peer is not that of a registered agent")
	ErrNoParty = errors.New("the key of the peer is not that of the creator or the worker of the task")
	ErrNoTask  = errors.New("the call names no task, and the source is for parties of tasks")
)

// seatOf reads the seat that a call claims. Outside any case it finds the judge whose node asks, or
// takes the peer as an outsider.
func seatOf(peer casefile.DID, c anex.Call, a Authority) (Seat, error) {
	seat := Seat{Round: c.Round, Judge: casefile.Address(peer), Peer: peer}
	if c.Case == "" {
		if judge, ok := a.Judge(peer); ok {
			seat.Judge = judge
		}
		return seat, nil
	}
	if c.Round > casefile.MaxRound {
		return Seat{}, ErrNoSeat
	}
	task, err := casefile.ParseAddress(c.Case)
	if err != nil {
		return Seat{}, ErrNoSeat
	}
	if seat.Case = task; c.Round == 0 {
		return seat, nil
	}
	judge, err := casefile.ParseAddress(c.Judge)
	if err != nil {
		return Seat{}, ErrNoSeat
	}
	seat.Judge = judge
	return seat, nil
}
