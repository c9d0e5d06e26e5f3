package ledger

import (
	"encoding/binary"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/looks"
	"ojud/ledger/program"
	"ojud/voting"
)

// sysvar is a Clock sysvar's account.
func sysvar(slot uint64, unix int64) *Account {
	data := make([]byte, looks.ClockSize)
	binary.LittleEndian.PutUint64(data, slot)
	binary.LittleEndian.PutUint64(data[32:], uint64(unix))
	return &Account{Data: data}
}

// TestGarbledClock: one answer with a clock that makes no sense does not move the time, now or
// later; a chain whose clock did jump is believed when it says so again. (Found by node/sim, seed
// 1: a node that took a slot of 2^60 was blind for good.)
func TestGarbledClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := newMetrics(nil)
		if err != nil {
			t.Fatal(err)
		}
		c := &Client{clock: looks.NewClock(m.clock), metrics: m}
		tell := func(slot uint64, unix int64, context uint64, want error) {
			t.Helper()
			before, _ := c.clock.Last()
			got, err := c.tell(sysvar(slot, unix), context)
			after, _ := c.clock.Last()
			if !errors.Is(err, want) || err == nil && got != after || err != nil && after != before {
				t.Errorf("slot %d, %d s in slot %d: %v, then %v, %v", slot, unix, context, before, after, err)
			}
		}
		tell(100, 5000, 100, nil)
		time.Sleep(10 * time.Second)
		tell(1<<60, 5010, 125, ErrAnswer)
		tell(125, 5010+1<<40, 125, ErrAnswer)
		tell(125, -7, 125, ErrAnswer)
		tell(125, 5010, 125, nil)
		time.Sleep(time.Second)
		tell(9000, 5011+28_800, 9000, ErrAnswer) // it jumps
		time.Sleep(2 * time.Second)
		tell(9005, 5013+28_800, 9005, nil)
		tell(9006, 5013, 9006, ErrAnswer) // and back, once
		time.Sleep(time.Second)
		tell(9008, 5014+28_800, 9008, nil)
	})
}

// TestForeignCase: a Case account that says it is another case's is not given out: the node would
// follow a case that does not exist. (Found by node/sim, seed 3.)
func TestForeignCase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.start(t)
		task := node.dispute(1, voting.Committing)
		c := node.open(t, testConfig())
		w := watched(t, c, Cursor{})
		time.Sleep(5 * time.Second)
		node.set(node.program.Case(task), &program.Case{Status: voting.Revealing, Round: 1, Task: node.program.Config(), Rules: voting.Rules{Preset: 1, MaxRounds: 3, PanelSeats: 7}})
		time.Sleep(10 * time.Second)
		if health := w.Health(); health.Looks == "" {
			t.Error("it is content with what it reads")
		}
		if err := w.stop(); err != nil {
			t.Fatal(err)
		}
		for _, l := range w.looks {
			if l.Case != nil && l.Case.Task != task {
				t.Errorf("given out: %+v", l.Case)
			}
		}
	})
}
