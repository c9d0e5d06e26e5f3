package evidence

import (
	"context"
	"errors"
	"testing"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// TestMayAsk: who may ask, by the chain and the task. Nodes 1 and 2 sit in case 50, which is live;
// node 3 sat in case 51, which is over; node 4 is on the Roster only; node 9 is a stranger.
func TestMayAsk(t *testing.T) {
	task, err := casefile.NewTask(casefile.Task{
		Instruction: []string{"judge"}, OutputSchema: []byte(`{"type":"object"}`), DataSources: []string{"a"},
	})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[voting.Key]voting.Case{
		{50}: {Status: voting.Committing, Round: 2, Seats: seats(1, 2)},
		{51}: {Status: voting.Decided, Round: 1, Seats: seats(3)},
		{52}: {}, // opened, but not seen yet
	}
	follows := court{cases, &program.Task{TaskHash: task.Hash}}
	blind := court{cases, nil}
	seat := func(task, round, node byte) exchange.Seat {
		return exchange.Seat{Case: casefile.Address{task}, Round: round, Judge: casefile.Address{node + 100}, Peer: casefile.DID{node}}
	}
	other := func(s exchange.Seat, node byte) exchange.Seat {
		s.Peer = casefile.DID{node}
		return s
	}
	list := func(nodes ...byte) datasource.Who {
		w := datasource.Who{Class: datasource.Listed}
		for _, n := range nodes {
			w.Authorities = append(w.Authorities, casefile.Address{n + 100})
		}
		return w
	}
	of := func(c datasource.Class) datasource.Who { return datasource.Who{Class: c} }
	full, empty := newLibrary(task.Raw), newLibrary()
	for name, c := range map[string]struct {
		court  court
		tasks  *library
		seat   exchange.Seat
		source string
		who    datasource.Who
		want   error
	}{
		"a seat, and the task names it":            {follows, full, seat(50, 2, 1), "a", of(datasource.Seated), nil},
		"a seat, and the task names another":       {follows, full, seat(50, 2, 1), "b", of(datasource.Seated), exchange.ErrNotTold},
		"a seat, and all judges of rounds may ask": {follows, full, seat(50, 2, 1), "b", of(datasource.Judges), nil},
		"a seat, and all of the Roster may ask":    {follows, full, seat(50, 2, 2), "b", of(datasource.Roster), nil},
		"a seat on the list":                       {follows, full, seat(50, 2, 1), "b", list(2, 1), nil},
		"a seat that is not on the list":           {follows, full, seat(50, 2, 1), "a", list(2), exchange.ErrNotListed},
		"the task cannot be had":                   {follows, empty, seat(50, 2, 1), "a", of(datasource.Seated), exchange.ErrNotKnown},
		"the chain cannot be read":                 {blind, full, seat(50, 2, 1), "a", of(datasource.Seated), exchange.ErrNotKnown},
		"a case that is not followed":              {follows, full, seat(60, 1, 1), "a", of(datasource.Seated), exchange.ErrNotKnown},
		"a case that was not seen yet":             {follows, full, seat(52, 1, 1), "a", of(datasource.Seated), exchange.ErrNotKnown},
		"a later round":                            {follows, full, seat(50, 3, 1), "a", of(datasource.Seated), exchange.ErrNotKnown},
		"an earlier round":                         {follows, full, seat(50, 1, 1), "a", of(datasource.Seated), exchange.ErrNotLive},
		"a case that is over":                      {follows, full, seat(51, 1, 3), "a", of(datasource.Seated), exchange.ErrNotLive},
		"a judge without a seat":                   {follows, full, seat(50, 2, 4), "a", of(datasource.Seated), exchange.ErrNoSeat},
		"a judge without a seat, on the list":      {follows, full, seat(50, 2, 4), "a", list(4), exchange.ErrNoSeat},
		"another's seat":                           {follows, full, other(seat(50, 2, 1), 2), "a", of(datasource.Roster), exchange.ErrOtherPeer},
		"no case, but a live seat elsewhere":       {follows, full, seat(0, 0, 1), "a", of(datasource.Judges), nil},
		"no case and no live seat":                 {follows, full, seat(0, 0, 3), "a", of(datasource.Judges), exchange.ErrNoCase},
		"no case, for seats alone":                 {follows, full, seat(0, 0, 1), "a", of(datasource.Seated), exchange.ErrNoCase},
		"no case, for the Roster":                  {follows, full, seat(0, 0, 4), "a", of(datasource.Roster), nil},
		"no case, for the list":                    {follows, full, seat(0, 0, 4), "a", list(4), nil},
		"no case and not on the list":              {follows, full, seat(0, 0, 4), "a", list(1), exchange.ErrNotListed},
		"a stranger":                               {follows, full, seat(0, 0, 9), "a", of(datasource.Roster), exchange.ErrNoJudge},
		"a stranger on the list":                   {follows, full, seat(0, 0, 9), "a", list(9), exchange.ErrNoJudge},
		"a judge with another's node":              {follows, full, other(seat(0, 0, 1), 2), "a", of(datasource.Roster), exchange.ErrNoJudge},
	} {
		a := newAuthority(c.court, listed{1, 2, 3, 4}, c.tasks, nil)
		if err := a.Check(t.Context(), c.seat, c.source, c.who); !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	a := newAuthority(follows, listed{1}, full, nil)
	if judge, ok := a.Judge(casefile.DID{1}); !ok || judge != (casefile.Address{101}) {
		t.Errorf("the judge of node 1 is %v, %t", judge, ok)
	}
	if _, ok := a.Judge(casefile.DID{2}); ok {
		t.Error("a node that is not on the Roster has a judge")
	}
}

// ledgerOf has accounts; down: it cannot be read.
type ledgerOf struct {
	all  map[onchain.Address]*ledger.Account
	down bool
}

func (l ledgerOf) Program() program.Program { return program.New(onchain.Address{77}) }

func (l ledgerOf) Accounts(_ context.Context, addresses ...onchain.Address) (out []*ledger.Account, slot uint64, err error) {
	if l.down {
		return nil, 0, errDown
	}
	for _, a := range addresses {
		out = append(out, l.all[a])
	}
	return out, 5, nil
}

// TestAttackOutsiderNamesAnothersTask: who may ask without a judge, by the chain. Key 11 is the
// creator of task 60 and a registered agent, 12 is the worker, 13 is an agent and no party. Nobody
// has claimed task 61: its worker is the zero key, for which signatures can be made up.
func TestAttackOutsiderNamesAnothersTask(t *testing.T) {
	chain := ledgerOf{all: map[onchain.Address]*ledger.Account{}}
	put := func(at, owner onchain.Address, data []byte) {
		chain.all[at] = &ledger.Account{Address: at, Owner: owner, Data: data}
	}
	ours := chain.Program().ID()
	made := program.Task{Status: program.Created, OnUndecided: voting.SplitEscrow, Creator: onchain.Address{13}}
	deal, open := made, made
	deal.Creator, deal.Worker, open.Creator = onchain.Address{11}, onchain.Address{12}, onchain.Address{11}
	put(onchain.Address{60}, ours, deal.Encode())
	put(onchain.Address{61}, ours, open.Encode())
	put(onchain.Address{62}, onchain.Address{78}, made.Encode()) // an account of another program
	for _, n := range []byte{11, 13} {
		agent := program.Agent{Authority: onchain.Address{n}}
		put(chain.Program().Agent(onchain.Address{n}), ours, agent.Encode())
	}
	of := func(c datasource.Class) datasource.Who { return datasource.Who{Class: c} }
	list := datasource.Who{Class: datasource.Listed, Authorities: []casefile.Address{{13}}}
	for name, c := range map[string]struct {
		key, task byte
		who       datasource.Who
		want      error
	}{
		"creator":                   {11, 60, of(datasource.Parties), nil},
		"worker":                    {12, 60, of(datasource.Parties), nil},
		"another's task":            {13, 60, of(datasource.Parties), exchange.ErrNoParty},
		"another's task, anyone":    {13, 60, of(datasource.Anyone), exchange.ErrNoParty},
		"another's task, agents":    {13, 60, of(datasource.Agents), exchange.ErrNoParty},
		"another's task, listed":    {13, 60, list, exchange.ErrNoParty},
		"no such task":              {11, 70, of(datasource.Parties), exchange.ErrNoParty},
		"a made-up task":            {13, 62, of(datasource.Parties), exchange.ErrNoParty},
		"no task":                   {11, 0, of(datasource.Parties), exchange.ErrNoTask},
		"the zero key":              {0, 61, of(datasource.Parties), exchange.ErrNoParty},
		"an agent":                  {13, 0, of(datasource.Agents), nil},
		"an agent, its task":        {11, 60, of(datasource.Agents), nil},
		"no agent":                  {12, 0, of(datasource.Agents), exchange.ErrNoAgent},
		"no agent, its task":        {12, 60, of(datasource.Agents), exchange.ErrNoAgent},
		"anyone":                    {99, 0, of(datasource.Anyone), nil},
		"listed":                    {13, 0, list, nil},
		"not listed":                {11, 0, list, exchange.ErrNotListed},
		"for the roster":            {11, 0, of(datasource.Roster), exchange.ErrNoJudge},
		"for seats, by its task":    {11, 60, of(datasource.Seated), exchange.ErrNoJudge},
		"for judges, by its task":   {11, 60, of(datasource.Judges), exchange.ErrNoJudge},
		"the chain cannot be read":  {14, 60, of(datasource.Parties), exchange.ErrNotKnown},
		"the chain, for agents":     {14, 0, of(datasource.Agents), exchange.ErrNotKnown},
		"the chain is not in need":  {14, 0, of(datasource.Anyone), nil},
		"a judge, outside, parties": {1, 0, of(datasource.Parties), exchange.ErrNoTask},
	} {
		at := chain
		at.down = c.key == 14
		seat := exchange.Seat{Judge: casefile.Address{c.key}, Peer: casefile.DID{c.key}}
		if c.task != 0 {
			seat.Case = casefile.Address{c.task}
		}
		a := newAuthority(court{}, listed{1}, newLibrary(), at)
		if err := a.Check(t.Context(), seat, "a", c.who); !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	a := newAuthority(court{}, listed{1}, newLibrary(), chain)
	judge := exchange.Seat{Judge: casefile.Address{101}, Peer: casefile.DID{1}}
	for class, want := range map[datasource.Class]error{datasource.Agents: nil, datasource.Anyone: nil, datasource.Parties: exchange.ErrNoCase} {
		if err := a.Check(t.Context(), judge, "a", of(class)); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("a judge outside of any case, %s: %v, want %v", class, err, want)
		}
	}
}
