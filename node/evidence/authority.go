package evidence

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// seating is the part of the followed cases that decides who may ask.
type seating interface {
	// Look returns the latest look at a case, if it is followed.
	Look(task voting.Key) (voting.Case, bool)
	Terms(ctx context.Context, task voting.Key) (*program.Task, error)
	SeatPeers(task voting.Key) []peer.ID
	Sits(node voting.Key) bool
}

// bindings is the part of the Roster that says whose node it is.
type bindings interface {
	EntryOf(node voting.Key) (program.RosterEntry, bool)
}

type documents interface {
	Fetch(ctx context.Context, hash voting.Hash, likely []peer.ID) ([]byte, error)
}

// authority knows from the chain who may ask this node for data.
type authority struct {
	cases  seating
	roster bindings
	tasks  documents
	chain  accounts
}

var _ exchange.Authority = authority{}

func newAuthority(cases seating, roster bindings, tasks documents, chain accounts) authority {
	return authority{cases: cases, roster: roster, tasks: tasks, chain: chain}
}

// Check implements exchange.Authority (protocol section 12, "Who may ask"). It checks a named seat
// or task for every class, because the receipt will name it, and a quota will count it.
func (a authority) Check(ctx context.Context, seat exchange.Seat, source string, who datasource.Who) error {
	listed := who.Class == datasource.Listed && slices.Contains(who.Authorities, seat.Judge)
	if who.Class == datasource.Listed && !listed {
		return exchange.ErrNotListed
	}
	if seat.Outsider() && (listed || who.Open()) {
		return a.outsider(ctx, seat, who.Class)
	}
	if seat.Round == 0 {
		return a.outsideCases(seat, who.Class)
	}
	if err := a.sits(seat); err != nil || who.Class != datasource.Seated {
		return err
	}
	return a.taskNames(ctx, voting.Key(seat.Case), source)
}

func (a authority) sits(seat exchange.Seat) error {
	look, ok := a.cases.Look(voting.Key(seat.Case))
	if !ok {
		return exchange.ErrNotKnown
	}
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

// outsideCases checks that a judge may ask without a case.
func (a authority) outsideCases(seat exchange.Seat, class datasource.Class) error {
	if judge, ok := a.Judge(seat.Peer); !ok || judge != seat.Judge {
		return exchange.ErrNoJudge
	}
	seatsOnly := class == datasource.Judges || class == datasource.Parties
	if class == datasource.Seated || seatsOnly && !a.cases.Sits(voting.Key(seat.Peer)) {
		return exchange.ErrNoCase
	}
	return nil
}

// outsider checks a peer that asks by its own key. A task without a worker has the zero key there,
// which is no one's.
func (a authority) outsider(ctx context.Context, seat exchange.Seat, class datasource.Class) error {
	key, task := onchain.Address(seat.Peer), onchain.Address(seat.Case)
	if class == datasource.Agents {
		_, _, err := ledger.Read(ctx, a.chain, a.chain.Program().Agent(key), program.DecodeAgent)
		if err := unless(err, exchange.ErrNoAgent); err != nil {
			return err
		}
	}
	switch {
	case task.IsZero() && class == datasource.Parties:
		return exchange.ErrNoTask
	case task.IsZero():
		return nil
	}
	t, _, err := ledger.Read(ctx, a.chain, task, program.DecodeTask)
	if err := unless(err, exchange.ErrNoParty); err != nil {
		return err
	}
	if key.IsZero() || key != t.Creator && key != t.Worker {
		return exchange.ErrNoParty
	}
	return nil
}

// unless returns refusal if a read shows that there is no such account.
func unless(err, refusal error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ledger.ErrNotFound), errors.Is(err, ledger.ErrForeign):
		return refusal
	}
	return fmt.Errorf("%w: %w", exchange.ErrNotKnown, err)
}

// Seats implements exchange.Authority.
func (a authority) Seats(task casefile.Address) int {
	look, _ := a.cases.Look(voting.Key(task))
	return len(look.Seats)
}

// Judge implements exchange.Authority. It returns the judge to which the Roster binds a node.
func (a authority) Judge(peer casefile.DID) (casefile.Address, bool) {
	e, ok := a.roster.EntryOf(voting.Key(peer))
	return casefile.Address(e.Authority), ok
}

// taskNames checks that the task of a case names a source.
func (a authority) taskNames(ctx context.Context, task voting.Key, source string) error {
	terms, err := a.cases.Terms(ctx, task)
	if err != nil {
		return fmt.Errorf("%w: %w", exchange.ErrNotKnown, err)
	}
	raw, err := a.tasks.Fetch(ctx, terms.TaskHash, a.cases.SeatPeers(task))
	if err != nil {
		return fmt.Errorf("%w: %w", exchange.ErrNotKnown, err)
	}
	doc, err := casefile.ParseTask(raw)
	if err != nil || !slices.Contains(doc.Value.DataSources, source) {
		return exchange.ErrNotTold
	}
	return nil
}
