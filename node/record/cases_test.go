package record

import (
	"context"
	"errors"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// oneTask is a chain that has one task and nothing else.
type oneTask struct{ terms *program.Task }

func (c oneTask) Task(context.Context, voting.Key) (*program.Task, error) {
	if c.terms == nil {
		return nil, errors.New("down")
	}
	return c.terms, nil
}

func (oneTask) Rules(context.Context, uint32) (*program.Rules, error) { return nil, errors.New("none") }

func (oneTask) History(context.Context, voting.Key) ([]ledger.Occurred, error) { return nil, nil }

// noEvents stores nothing.
type noEvents struct{}

func (noEvents) Put(casefile.Event) error                  { return nil }
func (noEvents) List(voting.Key) ([]casefile.Event, error) { return nil, nil }

// seatedCase returns a look at a case in its first round with three seats. The keys of judge and
// node of seat i begin with i+1.
func seatedCase(task byte, status voting.Status) ledger.Look {
	c := &program.Case{Task: onchain.Address{task}, Status: status, Round: 1, CommitEnds: 200, RevealEnds: 300, DrawBy: 400, SettledAt: 100}
	r := &program.Roster{}
	for i := range byte(3) {
		c.Seats = append(c.Seats, program.Seat{Judge: onchain.Address{i + 1}, Index: uint16(i)})
		r.Entries = append(r.Entries, program.RosterEntry{Authority: onchain.Address{i + 1}, Peer: voting.Key{i + 1}, State: program.EntryActive})
	}
	return ledger.Look{Moment: ledger.Moment{Slot: 1, Unix: 100}, ID: c.Task, Case: c, Roster: r, Task: &program.Task{Reward: 7}}
}

func newTestCases(now int64) *Cases {
	return NewCases(voting.Domain{}, voting.Key{1}, noEvents{}, nil, oneTask{&program.Task{Reward: 9}}, func() int64 { return now },
		func() *voting.View { return nil })
}

// TestCases: a look at a live case shows its seats and its task. If a case is over when it is first
// seen, the node does not follow it.
func TestCases(t *testing.T) {
	s, task, over := newTestCases(100), voting.Key{50}, voting.Key{51}
	s.See(seatedCase(50, voting.Committing))
	old := seatedCase(51, voting.Decided)
	old.Unix = 1 << 40
	s.See(old)
	if _, ok := s.Look(over); ok {
		t.Error("a case that was over is followed")
	}
	if look, ok := s.Look(task); !ok || !look.Live() || len(s.Seats(task, 1)) != 3 || len(s.Seats(task, 2)) != 0 {
		t.Errorf("%+v", look)
	}
	if got := s.SeatPeers(task); len(got) != 2 || len(s.LivePeers()) != 2 {
		t.Errorf("%d other seats, want 2: this node is one of three", len(got))
	}
	for node, sits := range map[voting.Key]bool{{1}: true, {3}: true, {4}: false} {
		judge, ok := s.JudgeOf(task, 1, node)
		if s.Sits(node) != sits || ok != sits || ok && judge != node {
			t.Errorf("node %x: %t, judge %x", node[:1], ok, judge[:1])
		}
		if _, ok := s.JudgeOf(task, 2, node); ok {
			t.Error("a seat in a round that is not live")
		}
	}
	for key, reward := range map[voting.Key]uint64{task: 7, over: 9} {
		if terms, err := s.Terms(t.Context(), key); err != nil || terms.Reward != reward {
			t.Errorf("%x: %+v, %v", key[:1], terms, err)
		}
	}
	s.Forget(task)
	if _, ok := s.Look(task); ok || s.Sits(voting.Key{2}) {
		t.Error("a case that was forgotten is followed")
	}
}

// TestWithheld: the node's own opinion is withheld while the state of its round is unknown. Other
// content is not, and a forgotten case withholds nothing.
func TestWithheld(t *testing.T) {
	s, task, own := newTestCases(100), voting.Key{50}, voting.Hash{1}
	s.Restore([]voting.Record{voting.Cast{Commit: voting.Commit{Task: task, Round: 1}, Opening: voting.Opening{Opinion: own}}})
	if !s.Withheld(own) || s.Withheld(voting.Hash{2}) {
		t.Error("an own opinion is served, or other content is withheld")
	}
	s.Forget(task)
	if s.Withheld(own) {
		t.Error("withheld although the case is forgotten")
	}
}

// TestReceipts: answers of this node are noted for cases that it follows, up to a limit.
func TestReceipts(t *testing.T) {
	s, task := newTestCases(100), voting.Key{50}
	s.AddReceipt(casefile.Receipt{Case: casefile.Address(task)}) // not followed: not noted
	s.See(seatedCase(50, voting.Committing))
	for range maxReceipts + 5 {
		s.AddReceipt(casefile.Receipt{Case: casefile.Address(task)})
	}
	if n := len(s.find(task).given); n != maxReceipts {
		t.Errorf("%d receipts are noted, want %d", n, maxReceipts)
	}
	if d := s.AtMost(task, time.Minute); d != time.Minute {
		t.Errorf("without a view a peer may take %s", d)
	}
	if s.Settled(task) || s.Unplaced(8) != nil {
		t.Error("a live case is settled, or an event is made without a view")
	}
}
