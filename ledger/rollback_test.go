package ledger

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/onchain"
	"ojud/voting"
)

// vanish takes a transaction off the chain, as when its confirmed block is abandoned, and returns
// it.
func (f *fakeNode) vanish(sig onchain.Signature) *fakeTx {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.landed[sig]
	delete(f.landed, sig)
	f.order = slices.DeleteFunc(f.order, func(t *fakeTx) bool { return t == x })
	return x
}

// again lands a transaction in the open slot that was in another before.
func (f *fakeNode) again(x *fakeTx) {
	f.mu.Lock()
	defer f.mu.Unlock()
	later := *x
	later.slot = f.slot
	f.append(&later)
}

// TestRollback: a confirmed block is abandoned. What landed in it and lands again is given out
// once; the looks follow the case back to its earlier state, with newer slots; a case that was
// opened in it is gone.
func TestRollback(t *testing.T) {
	for _, socket := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			node := newFakeNode()
			node.seated()
			node.start(t)
			open := node.open
			if socket {
				open = node.onLine
			}
			task := node.dispute(1, voting.AwaitingDraw)
			w := watched(t, open(t, testConfig()), Cursor{})
			time.Sleep(5 * time.Second)
			node.happen(1, 0, mark(1))
			doomed := node.happen(2, 0, mark(2))
			node.dispute(1, voting.Committing)
			opened := node.dispute(2, voting.AwaitingDraw)
			w.Follow(opened)
			time.Sleep(5 * time.Second)

			x := node.vanish(doomed)
			node.dispute(1, voting.AwaitingDraw)
			node.remove(node.program.Case(opened))
			node.happen(3, 0, mark(3))
			time.Sleep(5 * time.Second)
			node.again(x)
			node.dispute(1, voting.Committing)
			time.Sleep(20 * time.Second)
			if err := w.stop(); err != nil {
				t.Fatal(err)
			}
			if got := w.numbers(); !slices.Equal(got, upTo(3)) {
				t.Errorf("socket %v: given out %v", socket, got)
			}
			var statuses []voting.Status
			for i, l := range w.of(task) {
				statuses = append(statuses, l.Case.Status)
				if i > 0 && l.Slot <= w.of(task)[i-1].Slot {
					t.Errorf("socket %v: a look of slot %d after %d", socket, l.Slot, w.of(task)[i-1].Slot)
				}
			}
			want := []voting.Status{voting.AwaitingDraw, voting.Committing, voting.AwaitingDraw, voting.Committing}
			if !slices.Equal(statuses, want) {
				t.Errorf("socket %v: looks %v, want %v", socket, statuses, want)
			}
			if all := w.of(opened); len(all) != 2 || !all[1].Gone() {
				t.Errorf("socket %v: the case that was rolled back: %+v", socket, all)
			}
		})
	}
}

// TestVanishedCursor: a cursor whose transaction was rolled back leads to its slot.
func TestVanishedCursor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.start(t)
		var sigs []onchain.Signature
		for n := range 9 {
			sigs = append(sigs, node.happen(n+1, 0, mark(n+1)))
			time.Sleep(time.Second)
		}
		cursor := Cursor{Slot: node.vanish(sigs[4]).slot, Signature: sigs[4]}
		w := watched(t, node.open(t, testConfig()), cursor)
		time.Sleep(10 * time.Second)
		if err := w.stop(); err != nil {
			t.Fatal(err)
		}
		if got := w.numbers(); !slices.Equal(got, []int{6, 7, 8, 9}) {
			t.Errorf("given out %v", got)
		}
	})
}
