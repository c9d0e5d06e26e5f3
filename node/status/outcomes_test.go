package status

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/node/why"
	"ojud/voting"
)

// trail keeps nothing.
type trail struct{}

func (trail) EventLog(voting.Key) ([]byte, error)         { return why.EventLog{}.Encode() }
func (trail) PutEventLog(voting.Key, int64, []byte) error { return nil }
func (trail) TrimEventLogs(int) error                     { return nil }
func (trail) Uptime() ([]byte, error)                     { return why.Uptime{}.Encode() }
func (trail) PutUptime([]byte) error                      { return nil }

// TestOutcomes: the events of a case become sentences for the judge that they concern. Those of
// another judge give none.
func TestOutcomes(t *testing.T) {
	self, other, task := onchain.Address{1}, onchain.Address{2}, onchain.Address{3}
	roster := &network.Roster{}
	roster.Learn(1, &program.Roster{Entries: []program.RosterEntry{
		{Authority: other, State: program.EntryActive}, {Authority: self, State: program.EntryActive},
	}})
	seats := []voting.Seat{{Judge: voting.Key(other)}, {Judge: voting.Key(self)}}
	end := func(r voting.Result, slashed, earned uint64, v voting.Verdict) program.Event {
		return &program.RoundSettled{Task: task, Round: 1, Verdict: v, Seats: []program.SeatSettled{{}, {Result: r, Slashed: slashed, Earned: earned}}}
	}
	open := func(judge onchain.Address, c voting.Choice) program.Event {
		return &program.Revealed{Task: task, Round: 1, Judge: judge, Choice: c}
	}
	for name, c := range map[string]struct {
		events []program.Event
		says   []string // in this order
	}{
		"drawn": {[]program.Event{&program.Drawn{Task: task, CommitEnds: 60, Seats: []program.SeatDrawn{{Index: 0}, {Index: 1}}}},
			[]string{"You were drawn as a judge in case " + task.String() + ": seat 2 of 2; your vote is due by 1970-01-01 00:01:00 UTC."}},
		"agreed": {[]program.Event{&program.Committed{Task: task, Judge: self}, open(self, voting.Accept), end(voting.Majority, 0, 4_000_000, voting.ForWorker)},
			[]string{"Your sealed vote in case", "is open: accept.", "You voted accept in case " + task.String() + "; the panel agreed; you earned 0.004 SOL."}},
		"outvoted": {[]program.Event{open(self, voting.Reject), end(voting.Minority, 10_000_000, 0, voting.ForWorker)},
			[]string{"is open: reject.", "You voted reject in case " + task.String() + "; the panel decided otherwise; you lost 0.01 SOL of your stake."}},
		"absent": {[]program.Event{end(voting.Absent, 1_000_000_000, 0, voting.ForWorker)},
			[]string{"You did not vote in case " + task.String() + "; the verdict is accept; you lost 1 SOL of your stake."}},
		"void": {[]program.Event{open(self, voting.Abstain), end(voting.Abstained, 0, 0, voting.NoVerdict)},
			[]string{"is open: abstain.", "You abstained in case " + task.String() + "; the round was void; you earned nothing and lost nothing."}},
		"slashed": {[]program.Event{&program.Slashed{Task: task, Judge: self, Amount: 2_500_000_000}}, []string{"You were slashed 2.5 SOL for equivocation"}},
		"reward":  {[]program.Event{&program.RewardClaimed{Judge: self, Amount: 1}}, []string{"Your rewards of 0.000000001 SOL were paid to your wallet."}},
		"leaving": {[]program.Event{&program.JudgeExiting{Judge: self, ExitAt: 0}}, []string{"your stake is free at 1970-01-01 00:00:00 UTC at the earliest."}},
		"another's": {[]program.Event{&program.Committed{Task: task, Judge: other}, open(other, voting.Accept), &program.Slashed{Judge: other},
			&program.RewardClaimed{Judge: other}, &program.JudgeExiting{Judge: other}}, nil},
	} {
		var log bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&log, nil))
		events := make(chan ledger.Occurred, 1)
		events <- ledger.Occurred{Events: c.events}
		close(events)
		o := NewOutcomes(OutcomesDeps{
			Heard: func(program.Event) {}, Tell: untold, Look: func(voting.Key) (voting.Case, bool) { return voting.Case{}, false },
			Judge: voting.Key(self), Roster: roster, Events: func() <-chan ledger.Occurred { return events },
			SetCursor: func(ledger.Cursor) error { return nil }, Seats: func(voting.Key, uint8) []voting.Seat { return seats },
			Audit: NewAudit(trail{}, func() int64 { return 0 }, logger), Log: logger, Metrics: prometheus.NewRegistry(),
		})
		if err := o.Run(context.Background()); err != nil {
			t.Fatal(name, err)
		}
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if log.Len() == 0 {
			lines = nil
		}
		if len(lines) != len(c.says) {
			t.Errorf("%s: %d lines, want %d:\n%s", name, len(lines), len(c.says), log.String())
			continue
		}
		for i, want := range c.says {
			if !strings.Contains(lines[i], want) {
				t.Errorf("%s: %s does not say %q", name, lines[i], want)
			}
		}
	}
}
