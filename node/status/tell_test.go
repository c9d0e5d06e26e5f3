package status

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/node/webhook"
	"ojud/voting"
)

// TestTell: what happened to this judge is told before the position in the stream moves, and what
// happened to another is not. The same event has the same ID when it is read again.
func TestTell(t *testing.T) {
	self, other, task := onchain.Address{1}, onchain.Address{2}, onchain.Address{3}
	roster := &network.Roster{}
	roster.Learn(1, &program.Roster{Entries: []program.RosterEntry{
		{Authority: other, State: program.EntryActive}, {Authority: self, State: program.EntryActive},
	}})
	first := []voting.Seat{{Judge: voting.Key(other)}, {Judge: voting.Key(self)}}
	appeal := []voting.Seat{{Judge: voting.Key{7}}}
	for name, c := range map[string]struct {
		event     program.Event
		look      voting.Case
		elsewhere bool // this judge has no seat
		want      []webhook.Notification
	}{
		"drawn": {event: &program.Drawn{Task: task, Round: 1, CommitEnds: 60, Seats: []program.SeatDrawn{{Index: 0}, {Index: 1}}},
			want: []webhook.Notification{{Kind: webhook.JudgeDrawn, Details: webhook.Details{Round: 1, Seat: 2, Seats: 2, Due: 60}}}},
		"another is drawn": {event: &program.Drawn{Task: task, Seats: []program.SeatDrawn{{Index: 0}}}},
		"voted": {event: &program.Revealed{Task: task, Round: 1, Judge: self, Choice: voting.Reject},
			want: []webhook.Notification{{Kind: webhook.JudgeVoted, Details: webhook.Details{Round: 1, Choice: "reject"}}}},
		"another votes": {event: &program.Revealed{Task: task, Judge: other, Choice: voting.Reject}},
		"absent": {event: &program.RoundSettled{Task: task, Round: 1, Seats: []program.SeatSettled{{}, {Result: voting.Absent, Slashed: 9}}},
			want: []webhook.Notification{
				{Kind: webhook.JudgeAbsent, Details: webhook.Details{Round: 1}},
				{Kind: webhook.JudgeSlashed, Details: webhook.Details{Round: 1, Lamports: 9, Cause: "round settled"}},
			}},
		"paid": {event: &program.RoundSettled{Task: task, Round: 1, Seats: []program.SeatSettled{{Slashed: 5}, {Result: voting.Majority, Earned: 4}}},
			want: []webhook.Notification{{Kind: webhook.JudgePaid, Details: webhook.Details{Round: 1, Lamports: 4, Cause: "round settled"}}}},
		"settled elsewhere": {event: &program.RoundSettled{Task: task, Round: 1, Seats: []program.SeatSettled{{Slashed: 5}, {Earned: 4}}}, elsewhere: true},
		"final without appeal": {event: &program.CaseFinished{Task: task, Level: 1, Seats: []program.SeatEnd{{}, {Earned: 3}}}, look: voting.Case{Seats: first},
			want: []webhook.Notification{{Kind: webhook.JudgePaid, Details: webhook.Details{Lamports: 3, Cause: "end of the case, in all"}}}},
		"reversed": {event: &program.CaseFinished{Task: task, Level: 2, Seats: []program.SeatEnd{{}, {Slashed: 6}, {Earned: 8}}},
			look: voting.Case{FirstRound: 1, First: first, Seats: appeal, AppealSeats: 1},
			want: []webhook.Notification{{Kind: webhook.JudgeSlashed, Details: webhook.Details{Lamports: 6, Cause: "end of the case, in all"}}}},
		"golden": {event: &program.LeafApplied{Task: task, Seats: []program.SeatApplied{{}, {Result: 1, Earned: 2}}}, look: voting.Case{Seats: first},
			want: []webhook.Notification{{Kind: webhook.JudgePaid, Details: webhook.Details{Lamports: 2, Cause: "golden case"}}}},
		"equivocated": {event: &program.Slashed{Task: task, Round: 1, Judge: self, Amount: 11},
			want: []webhook.Notification{{Kind: webhook.JudgeSlashed, Details: webhook.Details{Round: 1, Lamports: 11, Cause: "equivocation"}}}},
		"another equivocated": {event: &program.Slashed{Task: task, Judge: other, Amount: 11}},
		"to the wallet": {event: &program.RewardClaimed{Judge: self, Amount: 12},
			want: []webhook.Notification{{Kind: webhook.JudgePaid, Details: webhook.Details{Lamports: 12, Cause: "to the wallet"}}}},
		"appealed": {event: &program.Appealed{Task: task, Seats: 7},
			want: []webhook.Notification{{Kind: webhook.CaseAppealed, Details: webhook.Details{Seats: 7}}}},
		"a true leaf":                   {event: &program.LeafOpened{Task: task, Seed: voting.Hash{1}}},
		"a void leaf":                   {event: &program.LeafOpened{Task: task, Void: 1}},
		"a false leaf":                  {event: &program.LeafOpened{Task: task}, want: []webhook.Notification{{Kind: webhook.LeafFalse}}},
		"a leaf that cannot be checked": {event: &program.LeafOpened{Task: task, Seed: voting.Hash{2}}},
		"a false leaf elsewhere":        {event: &program.LeafOpened{Task: task}, elsewhere: true},
		"appealed elsewhere":            {event: &program.Appealed{Task: task, Seats: 7}, elsewhere: true},
	} {
		var told []webhook.Notification
		events := make(chan ledger.Occurred, 2)
		for range 2 { // the stream gives it out again
			events <- ledger.Occurred{Signature: onchain.Signature{9}, Time: 100, Events: []program.Event{c.event}}
		}
		close(events)
		moved := 0
		o := NewOutcomes(OutcomesDeps{
			Judge: voting.Key(self), Roster: roster, Events: func() <-chan ledger.Occurred { return events }, Heard: func(program.Event) {},
			Tell: func(n webhook.Notification) { told = append(told, n) },
			Lie: func(_ context.Context, e *program.LeafOpened) (string, error) {
				return map[byte]string{0: "it answers accept"}[e.Seed[0]], map[byte]error{2: errors.New("no generator")}[e.Seed[0]]
			},
			SetCursor: func(ledger.Cursor) error {
				moved++
				if moved == 1 && len(told) != len(c.want) {
					t.Errorf("%s: the position moved when %d were told", name, len(told))
				}
				return nil
			},
			Look: func(voting.Key) (voting.Case, bool) { return c.look, true },
			Seats: func(_ voting.Key, round uint8) []voting.Seat {
				if c.elsewhere || round != 1 {
					return nil
				}
				return first
			},
			Audit: NewAudit(trail{}, func() int64 { return 0 }, slog.New(slog.DiscardHandler)), Log: slog.New(slog.DiscardHandler),
			Metrics: prometheus.NewRegistry(),
		})
		synctest.Test(t, func(t *testing.T) {
			if err := o.Run(t.Context()); err != nil {
				t.Fatal(name, err)
			}
		})
		if moved != 2 || len(told) != 2*len(c.want) {
			t.Errorf("%s: told %+v, the position was written %d times", name, told, moved)
			continue
		}
		var ids []string
		for i, got := range told[:len(c.want)] {
			if again := told[len(c.want)+i]; got.ID != again.ID || slices.Contains(ids, got.ID) || got.At.Unix() != 100 {
				t.Errorf("%s: %+v, and again %+v", name, got, again)
			}
			ids = append(ids, got.ID)
			want := c.want[i]
			if want.Details.Text = got.Details.Text; got.Details.Case != "" {
				want.Details.Case = task.String()
			}
			if got.Kind != want.Kind || got.Details != want.Details || got.Details.Text == "" {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
		}
	}
}

// TestTellAfterRestart: what happened while the node was away is told, although its events come
// before the node has read the Roster and the case. It waits no longer than startWait for a case of
// which nothing is left.
func TestTellAfterRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		self, task := onchain.Address{1}, onchain.Address{3}
		roster, began := &network.Roster{}, time.Now()
		var told []string
		events := make(chan ledger.Occurred, 3)
		events <- ledger.Occurred{Events: []program.Event{&program.Drawn{Task: task, Round: 1, Seats: []program.SeatDrawn{{Index: 0}}}}}
		events <- ledger.Occurred{Events: []program.Event{&program.RoundSettled{Task: task, Round: 1, Seats: []program.SeatSettled{{Result: voting.Absent}}}}}
		events <- ledger.Occurred{Events: []program.Event{&program.RoundSettled{Task: onchain.Address{4}, Round: 1}}}
		close(events)
		time.AfterFunc(time.Second, func() {
			roster.Learn(1, &program.Roster{Entries: []program.RosterEntry{{Authority: self, State: program.EntryActive}}})
		})
		o := NewOutcomes(OutcomesDeps{
			Judge: voting.Key(self), Roster: roster, Events: func() <-chan ledger.Occurred { return events }, Heard: func(program.Event) {},
			Tell: func(n webhook.Notification) { told = append(told, n.Kind) }, SetCursor: func(ledger.Cursor) error { return nil },
			Seats: func(of voting.Key, _ uint8) []voting.Seat {
				if of != voting.Key(task) || time.Since(began) < 2*time.Second {
					return nil
				}
				return []voting.Seat{{Judge: voting.Key(self)}}
			},
			Look:  func(voting.Key) (voting.Case, bool) { return voting.Case{}, false },
			Audit: NewAudit(trail{}, func() int64 { return 0 }, slog.New(slog.DiscardHandler)), Log: slog.New(slog.DiscardHandler),
			Metrics: prometheus.NewRegistry(),
		})
		if err := o.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(told, []string{webhook.JudgeDrawn, webhook.JudgeAbsent}) || time.Since(began) > startWait+startLook {
			t.Errorf("%v after %s", told, time.Since(began))
		}
	})
}

// TestTellFunds: low funds are told when they begin to be low. Rules that are announced are told
// with an ID of their content.
func TestTellFunds(t *testing.T) {
	var told []webhook.Notification
	l := &ledgerOf{lamports: 1, least: onchain.LamportsPerSOL}
	l.roster.Entries = []program.RosterEntry{{State: program.EntryActive, Stake: onchain.LamportsPerSOL}}
	monitor := func() *Monitor {
		return NewMonitor(Checker{Chain: l, MinBalance: 5}, slog.New(slog.DiscardHandler), func(n webhook.Notification) { told = append(told, n) })
	}
	m := monitor()
	for _, lamports := range []uint64{1, 1, 9, 2, 2} {
		l.lamports = lamports
		m.again(t.Context())
	}
	if len(told) != 2 || told[0].Kind != webhook.FundsLow || told[1].Kind != webhook.FundsLow {
		t.Errorf("low twice: %+v", told)
	}
	told, l.lamports = nil, 9
	l.next = &program.Rules{Number: 2, From: 1_800_000_000, Params: program.Params{MinStake: 4 * onchain.LamportsPerSOL}}
	m.again(t.Context())
	m.again(t.Context())
	monitor().check(t.Context()) // after a restart
	if len(told) != 2 || told[0].ID == "" || told[0].ID != told[1].ID || told[0].Details.Version != 2 || told[0].Details.From != 1_800_000_000 {
		t.Errorf("announced: %+v", told)
	}
	l.next = &program.Rules{Number: 2, From: 1_800_000_000, Params: program.Params{MinStake: 8 * onchain.LamportsPerSOL}}
	if m.again(t.Context()); len(told) != 3 || told[2].ID == told[0].ID {
		t.Errorf("others under the same number: %+v", told)
	}
}
