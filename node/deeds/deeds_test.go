package deeds_test

import (
	"context"
	"slices"
	"testing"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/deeds"
	"ojud/voting"
)

// accounts are a chain of the accounts of these addresses.
type accounts map[onchain.Address]*ledger.Account

func (a accounts) Program() program.Program { return program.New(onchain.Address{7}) }

func (a accounts) Accounts(_ context.Context, addresses ...onchain.Address) (all []*ledger.Account, slot uint64, err error) {
	for _, at := range addresses {
		all = append(all, a[at])
	}
	return all, 1, nil
}

func (a accounts) set(at onchain.Address, content program.Account) {
	a[at] = &ledger.Account{Address: at, Owner: a.Program().ID(), Lamports: 1, Data: content.Encode()}
}

func sample(task onchain.Address, status voting.Status) *program.Case {
	return &program.Case{
		Status: status, Round: 1, Task: task, OpenedAt: 1_800_000_000, SettledAt: 1_800_000_000,
		Rules: voting.Rules{Preset: 1, MaxRounds: 3, PanelSeats: 3, MinSeats: 1, EvidenceSeconds: 100},
		Seats: []program.Seat{{Judge: onchain.Address{21}, Weight: 5, Index: 0}},
	}
}

// TestDone: what a case has to look like for an operation to be done.
func TestDone(t *testing.T) {
	judge, commitment := onchain.Address{21}, voting.Hash{5}
	seat := func(flags program.SeatFlags) func(*program.Case) {
		return func(c *program.Case) { c.Seats[0].Flags, c.Seats[0].Commitment = flags, commitment }
	}
	none := func(*program.Case) {}
	for _, c := range []struct {
		name   string
		op     voting.Op
		status voting.Status
		round  uint8
		change func(*program.Case)
		want   bool
	}{
		{"not drawn", voting.OpDraw, voting.AwaitingDraw, 1, none, false},
		{"drawn", voting.OpDraw, voting.Committing, 1, none, true},
		{"the next round", voting.OpDraw, voting.AwaitingDraw, 2, none, true},
		{"not committed", voting.OpCommit, voting.Committing, 1, none, false},
		{"committed", voting.OpCommit, voting.Committing, 1, seat(program.SeatCommitted), true},
		{"committed otherwise", voting.OpCommit, voting.Committing, 1, func(c *program.Case) { c.Seats[0].Flags = program.SeatCommitted }, false},
		{"committed in the next round", voting.OpCommit, voting.Committing, 2, seat(program.SeatCommitted), false},
		{"committed by another", voting.OpCommit, voting.Committing, 1, func(c *program.Case) { seat(1)(c); c.Seats[0].Judge[0]++ }, false},
		{"no such seat", voting.OpCommit, voting.Committing, 1, func(c *program.Case) { c.Seats = nil }, false},
		{"not relayed", voting.OpRelayCommit, voting.Committing, 1, seat(0), false},
		{"relayed, or committed otherwise", voting.OpRelayCommit, voting.Committing, 1, func(c *program.Case) { c.Seats[0].Flags = program.SeatCommitted }, true},
		{"not revealed", voting.OpReveal, voting.Revealing, 1, seat(program.SeatCommitted), false},
		{"revealed", voting.OpRelayReveal, voting.Revealing, 1, seat(program.SeatCommitted | program.SeatRevealed), true},
		{"not settled", voting.OpSettle, voting.Revealing, 1, none, false},
		{"void", voting.OpSettle, voting.AwaitingDraw, 2, none, true},
		{"settled", voting.OpSettle, voting.Decided, 1, none, true},
		{"not expired", voting.OpExpire, voting.AwaitingDraw, 1, none, false},
		{"expired", voting.OpExpire, voting.EndedUndecided, 1, none, true},
		{"not slashed", voting.OpSlash, voting.Decided, 1, none, false},
		{"slashed", voting.OpSlash, voting.Decided, 1, seat(program.SeatEquivocated), true},
	} {
		node := accounts{}
		task := onchain.Address{8}
		dispute := sample(task, c.status)
		dispute.Round = c.round
		c.change(dispute)
		node.set(node.Program().Case(task), dispute)
		e := voting.Submit{Op: c.op, Task: voting.Key(task), Round: 1, Judge: voting.Key(judge), Commitment: commitment}
		if got, err := deeds.Done(node, e)(t.Context()); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	node := accounts{}
	for op, want := range map[voting.Op]bool{voting.OpSettle: true, voting.OpCommit: false} {
		if got, err := deeds.Done(node, voting.Submit{Op: op})(t.Context()); err != nil || got != want {
			t.Errorf("%v of a case that is gone: %v, %v", op, got, err)
		}
	}
	for rewards, want := range map[uint64]bool{0: true, 5: false} {
		node.set(node.Program().Roster(), &program.Roster{Entries: []program.RosterEntry{{Authority: judge, State: program.EntryActive, Rewards: rewards}}})
		if got, err := deeds.Done(node, voting.Submit{Op: voting.OpClaim, Judge: voting.Key(judge)})(t.Context()); err != nil || got != want {
			t.Errorf("%d to claim: %v, %v", rewards, got, err)
		}
	}
}

// TestClaims: what goes with the end of a case are the rewards of those that earned some, each to
// the account that the Roster names for it and to no other, if there is one.
func TestClaims(t *testing.T) {
	task, other := onchain.Address{8}, onchain.Address{9}
	judge := func(n byte) onchain.Address { return onchain.Address{20 + n} }
	wallet := func(n byte) onchain.Address { return onchain.Address{100 + n} }
	settled := func(task onchain.Address, earned ...uint64) program.Event {
		e := &program.RoundSettled{Task: task}
		for _, v := range earned {
			e.Seats = append(e.Seats, program.SeatSettled{Earned: v})
		}
		return e
	}
	finished := func(task onchain.Address, earned ...uint64) program.Event {
		e := &program.CaseFinished{Task: task}
		for _, v := range earned {
			e.Seats = append(e.Seats, program.SeatEnd{Earned: v})
		}
		return e
	}
	for name, c := range map[string]struct {
		first  []byte // judges of the first panel
		seats  []byte
		events []program.Event
		want   []byte // judges whose claims go along
	}{
		"nothing happened":       {nil, []byte{1, 2, 3}, nil, nil},
		"nobody earned":          {nil, []byte{1, 2, 3}, []program.Event{settled(task, 0, 0, 0)}, nil},
		"two of three":           {nil, []byte{1, 2, 3}, []program.Event{settled(task, 5, 0, 6)}, []byte{1, 3}},
		"another case":           {nil, []byte{1, 2, 3}, []program.Event{settled(other, 5, 5, 5), finished(other, 5, 5, 5)}, nil},
		"a window is over":       {nil, []byte{1, 2, 3}, []program.Event{finished(task, 5, 0, 6)}, []byte{1, 3}},
		"an appeal":              {[]byte{1, 2}, []byte{3, 4}, []program.Event{settled(task, 0, 0), finished(task, 0, 5, 6, 0)}, []byte{2, 3}},
		"told twice":             {nil, []byte{1, 2}, []program.Event{settled(task, 5, 0), finished(task, 5, 0)}, []byte{1}},
		"more seats than judges": {nil, []byte{1}, []program.Event{settled(task, 5, 5, 5)}, []byte{1}},
		"left the Roster":        {nil, []byte{1, 9}, []program.Event{settled(task, 5, 5)}, []byte{1}},
		"no wallet yet":          {nil, []byte{1, 5}, []program.Event{settled(task, 5, 5)}, []byte{1}},
	} {
		node, dispute, roster := accounts{}, sample(task, voting.Revealing), &program.Roster{}
		for n := byte(1); n <= 5; n++ {
			roster.Entries = append(roster.Entries, program.RosterEntry{Authority: judge(n), Withdraw: wallet(n), State: program.EntryActive})
			if n < 5 {
				node[wallet(n)] = &ledger.Account{Address: wallet(n), Lamports: 1}
			}
		}
		dispute.Seats, dispute.AppealSeats = nil, uint8(len(c.first))
		for _, n := range c.first {
			dispute.First = append(dispute.First, program.Seat{Judge: judge(n)})
		}
		for _, n := range c.seats {
			dispute.Seats = append(dispute.Seats, program.Seat{Judge: judge(n)})
		}
		node.set(node.Program().Case(task), dispute)
		node.set(node.Program().Roster(), roster)
		var want []onchain.Instruction
		for _, n := range c.want {
			want = append(want, node.Program().ClaimReward(wallet(n), wallet(n), program.ClaimReward{Judge: judge(n)}))
		}
		got, err := deeds.Claims(node, task)(t.Context(), c.events)
		same := func(a, b onchain.Instruction) bool {
			return a.Program == b.Program && slices.Equal(a.Accounts, b.Accounts) && slices.Equal(a.Data, b.Data)
		}
		if err != nil || !slices.EqualFunc(got, want, same) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
