package ledger

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// dispute makes task and case n in the fake node.
func (f *fakeNode) dispute(n uint64, status voting.Status) onchain.Address {
	creator := onchain.Address{1}
	task := f.program.Task(creator, n)
	f.set(task, sampleTask(creator, n, program.Judiciary))
	f.set(f.program.Case(task), sampleCase(task, status))
	return task
}

// seated gives the roster's first entry to the judge of sampleCase.
func (f *fakeNode) seated() {
	f.set(f.program.Roster(), &program.Roster{Active: 1, Entries: []program.RosterEntry{
		{Authority: onchain.Address{21}, Peer: voting.Key{22}, State: program.EntryActive, Stake: 5},
	}})
}

// of are the looks at a case.
func (w *watch) of(task onchain.Address) (all []Look) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.looks {
		if l.ID == task {
			all = append(all, l)
		}
	}
	return all
}

// TestLooks: cases are looked at when the watcher starts, when a poll finds them changed, when an
// event names them, and when they are gone; with the clock and the roster of the same slot.
func TestLooks(t *testing.T) {
	for _, socket := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			node := newFakeNode()
			node.seated()
			node.start(t)
			early := node.dispute(1, voting.Committing)
			open := node.open
			if socket {
				open = node.onLine
			}
			w := watched(t, open(t, testConfig()), Cursor{})
			time.Sleep(5 * time.Second)
			synctest.Wait()
			all := w.of(early)
			if len(all) != 1 || all[0].Case.Status != voting.Committing || all[0].Task == nil {
				t.Fatalf("at the start: %+v", all)
			}
			v, ok := all[0].Event().(voting.CaseSeen)
			if !ok || v.At != all[0].Unix || v.Case.Task != voting.Key(early) || v.Case.Slot != all[0].Slot || v.Case.Seats[0].Peer != (voting.Key{22}) {
				t.Errorf("event %+v", v)
			}
			// Changed without an event.
			node.dispute(1, voting.Revealing)
			time.Sleep(3 * time.Second)
			synctest.Wait()
			if all = w.of(early); len(all) != 2 || all[1].Case.Status != voting.Revealing {
				t.Errorf("changed silently: %+v", all)
			}
			// A new one, with an event.
			late := node.dispute(2, voting.AwaitingDraw)
			node.happen(1, 0, text(&program.CaseOpened{Task: late, Round: 1}))
			wait := 600 * time.Millisecond
			if !socket {
				wait = 3 * time.Second
			}
			time.Sleep(wait)
			synctest.Wait()
			if all = w.of(late); len(all) != 1 || all[0].Case.Status != voting.AwaitingDraw {
				t.Errorf("new: %+v", all)
			}
			// A new one without one is found by a rescan.
			silent := node.dispute(3, voting.Committing)
			time.Sleep(62 * time.Second)
			synctest.Wait()
			if all = w.of(silent); len(all) != 1 {
				t.Errorf("new and silent: %+v", all)
			}
			// Gone.
			node.remove(node.program.Case(late))
			time.Sleep(3 * time.Second)
			synctest.Wait()
			all = w.of(late)
			last := all[len(all)-1]
			gone, ok := last.Event().(voting.CaseGone)
			if len(all) != 2 || !last.Gone() || !ok || gone.Slot != last.Slot || gone.Task != voting.Key(late) {
				t.Errorf("gone: %+v", all)
			}
			if err := w.stop(); err != nil {
				t.Error(err)
			}
			checkTimes(t, w.looks)
		})
	}
}

// checkTimes: slots never go back, and no two looks are further apart than a poll.
func checkTimes(t *testing.T, looks []Look) {
	t.Helper()
	ticks := 0
	for i, l := range looks {
		if i > 0 && (l.Unix < looks[i-1].Unix || l.ID.IsZero() && l.Slot < looks[i-1].Slot || l.Unix > looks[i-1].Unix+3) {
			t.Errorf("look %d: slot %d at %d after slot %d at %d", i, l.Slot, l.Unix, looks[i-1].Slot, looks[i-1].Unix)
		}
		if tick, ok := l.Event().(voting.Tick); ok {
			ticks++
			if tick.At != l.Unix {
				t.Errorf("tick %+v of look %+v", tick, l)
			}
		}
	}
	if ticks < 20 {
		t.Errorf("%d ticks in more than a minute", ticks)
	}
}

// TestOverCases: a case that is over is followed until nothing can come of it, then not even listed
// again; an old one is never looked at.
func TestOverCases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		old := node.dispute(1, voting.Decided)
		node.unix += 90 // of 100 seconds for evidence
		node.start(t)
		w := watched(t, node.open(t, testConfig()), Cursor{})
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if all := w.of(old); len(all) != 1 {
			t.Fatalf("%d looks at a case that is over and can be slashed", len(all))
		}
		changed := sampleCase(old, voting.Decided)
		changed.Seats[0].Flags = program.SeatEquivocated
		node.set(node.program.Case(old), changed)
		time.Sleep(16 * time.Second)
		synctest.Wait()
		if all := w.of(old); len(all) != 2 {
			t.Errorf("%d looks at a case that is over and was slashed", len(all))
		}
		time.Sleep(2 * time.Minute)
		before := node.count("getMultipleAccounts")
		node.set(node.program.Case(old), sampleCase(old, voting.Decided))
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if all := w.of(old); len(all) != 2 {
			t.Errorf("%d looks at a case of which nothing can come", len(all))
		}
		if n := node.count("getMultipleAccounts") - before; n > 151+5 { // the Roster is read with each of five rescans
			t.Errorf("%d reads in 150 polls: it is still read", n)
		}
	})
}

// TestLookHostile: one account that makes no sense does not hide the others, and the trouble shows.
func TestLookHostile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.start(t)
		bad := node.dispute(1, voting.Committing)
		good := node.dispute(2, voting.Committing)
		node.accounts[node.program.Case(bad)].Data[13] = 99 // seats
		w := watched(t, node.open(t, testConfig()), Cursor{})
		time.Sleep(5 * time.Second)
		node.dispute(2, voting.Revealing)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if len(w.of(bad)) != 0 || len(w.of(good)) != 2 || w.Health().Looks == "" {
			t.Errorf("%d and %d looks, %+v", len(w.of(bad)), len(w.of(good)), w.Health())
		}
		node.dispute(1, voting.Committing)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if len(w.of(bad)) != 1 || w.Health().Looks != "" {
			t.Errorf("%d looks, %+v", len(w.of(bad)), w.Health())
		}
	})
}

// TestManyCases: more cases than fit in a call are all looked at, and no more than watch.max_cases
// are followed.
func TestManyCases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.start(t)
		cfg := testConfig()
		cfg.Watch.MaxCases = 110
		for n := range uint64(130) {
			node.dispute(n, voting.Committing)
		}
		w := watched(t, node.open(t, cfg), Cursor{})
		time.Sleep(10 * time.Second)
		for n := range uint64(130) {
			node.dispute(n, voting.Revealing)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if err := w.stop(); err != nil {
			t.Error(err)
		}
		seen := map[onchain.Address]int{}
		for _, l := range w.looks {
			if !l.ID.IsZero() {
				seen[l.ID]++
			}
		}
		if len(seen) < 110 || len(seen) > 130 {
			t.Errorf("%d cases seen", len(seen))
		}
		twice := 0
		for _, n := range seen {
			if n == 2 {
				twice++
			}
		}
		if twice != 110 || len(w.reader.followed) != 110 {
			t.Errorf("%d cases seen twice, %d followed, want 110", twice, len(w.reader.followed))
		}
	})
}

// TestOwnCasesAreFollowed: a case with a seat of the watcher's judge is followed although there is
// no room, also when the judge gets its seat later and no websocket tells of it; and cases that are
// over give way.
func TestOwnCasesAreFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.start(t)
		cfg := testConfig()
		cfg.Watch.MaxCases = 4
		judge := onchain.Address{42}
		seat := func(n uint64, s voting.Status) {
			c := sampleCase(node.dispute(n, s), s)
			c.Seats[0].Judge = judge
			node.set(node.program.Case(c.Task), c)
		}
		for n := range uint64(3) {
			node.dispute(n, voting.Decided)
		}
		for n := uint64(3); n < 30; n++ {
			node.dispute(n, voting.Committing)
		}
		for n := uint64(30); n < 40; n++ {
			seat(n, voting.Committing)
		}
		w := watched(t, node.open(t, cfg), Cursor{}, judge)
		time.Sleep(10 * time.Second)
		for n := uint64(20); n < 30; n++ {
			seat(n, voting.Revealing)
		}
		time.Sleep(cfg.Watch.Rescan + 10*time.Second)
		synctest.Wait()
		if err := w.stop(); err != nil {
			t.Error(err)
		}
		own, others := 0, 0
		for _, f := range w.reader.followed {
			switch {
			case f.own:
				own++
			case f.over:
				t.Error("a case that is over is followed, and live ones are not")
			default:
				others++
			}
		}
		if own != 20 || others > 4 {
			t.Errorf("%d cases with a seat are followed, want 20; %d others, at most 4", own, others)
		}
	})
}

// TestSlowTaker: while the caller takes no looks or events, the newest look of each case is kept
// and no event is lost.
func TestSlowTaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.start(t)
		task := node.dispute(1, voting.AwaitingDraw)
		cfg := testConfig()
		cfg.Watch.Buffer = 4
		w := NewWatcher(node.onLine(t, cfg), Cursor{})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- w.Run(ctx) }()
		time.Sleep(5 * time.Second)
		for n := range 20 {
			node.dispute(1, voting.Status(1+n%3))
			node.happen(n+1, 0, mark(n+1))
			time.Sleep(time.Second)
		}
		time.Sleep(3 * time.Second)
		l := <-w.Looks()
		if l.ID != task || l.Case.Status != voting.Status(1+19%3) {
			t.Errorf("the first look that is taken is of slot %d: %+v", l.Slot, l.Case)
		}
		for n := range 20 {
			o := <-w.Events()
			if got := o.Events[0].(*program.RewardClaimed).Amount; got != uint64(n+1) {
				t.Errorf("event %d: %d", n+1, got)
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if _, open := <-w.Events(); open {
			t.Error("events after the end")
		}
	})
}

// TestStaleLooks: a node that falls behind brings no looks from the past, and shows in Health.
func TestStaleLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.start(t)
		task := node.dispute(1, voting.AwaitingDraw)
		w := watched(t, node.open(t, testConfig()), Cursor{})
		time.Sleep(5 * time.Second)
		node.mu.Lock()
		node.fault = func(string, int) fault { return fault{slots: 200} }
		node.mu.Unlock()
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if w.Health().Looks == "" {
			t.Error("a node 200 slots behind does not show")
		}
		if age := w.client.Clock().Age(); age < 25*time.Second {
			t.Errorf("the clock is %v old", age)
		}
		node.mu.Lock()
		node.fault = nil
		node.mu.Unlock()
		node.dispute(1, voting.Committing)
		time.Sleep(20 * time.Second)
		if err := w.stop(); err != nil {
			t.Error(err)
		}
		if all := w.of(task); len(all) != 2 {
			t.Errorf("%d looks", len(all))
		}
		for i, l := range w.looks {
			if i > 0 && l.Unix < w.looks[i-1].Unix {
				t.Errorf("slot %d after %d", l.Slot, w.looks[i-1].Slot)
			}
		}
	})
}

// TestRosterLooks: the Roster is shown without any case, when the watcher starts, when an event
// tells of stake, and at each rescan.
func TestRosterLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.seated()
		node.start(t)
		w := watched(t, node.onLine(t, testConfig()), Cursor{})
		shown := func() (all []Look) {
			w.mu.Lock()
			defer w.mu.Unlock()
			for _, l := range w.looks {
				if l.ID.IsZero() && l.Roster != nil {
					all = append(all, l)
				}
			}
			return all
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		all := shown()
		if len(all) != 1 || all[0].Roster.Entries[0].Stake != 5 || all[0].Slot == 0 {
			t.Fatalf("at the start: %+v", all)
		}
		if tick, ok := all[0].Event().(voting.Tick); !ok || tick.At != all[0].Unix {
			t.Errorf("event %+v", all[0].Event())
		}
		node.set(node.program.Roster(), &program.Roster{Active: 1, Entries: []program.RosterEntry{
			{Authority: onchain.Address{21}, Peer: voting.Key{22}, State: program.EntryActive, Stake: 7},
		}})
		node.happen(1, 0, text(&program.StakeMoved{Judge: onchain.Address{21}}))
		time.Sleep(600 * time.Millisecond)
		synctest.Wait()
		if all = shown(); len(all) != 2 || all[1].Roster.Entries[0].Stake != 7 {
			t.Errorf("after an event: %+v", all)
		}
		time.Sleep(testConfig().Watch.Rescan + 3*time.Second)
		synctest.Wait()
		if all = shown(); len(all) != 3 {
			t.Errorf("%d looks after a rescan", len(all))
		}
	})
}

// TestLargeRoster: a Roster of 10,240 judges is read whole if its head has changed, and now and
// then; otherwise a look reads its head.
func TestLargeRoster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		roster := &program.Roster{TotalStake: 7, Entries: make([]program.RosterEntry, program.MaxJudges)}
		for i := range roster.Entries {
			roster.Entries[i] = program.RosterEntry{Authority: onchain.Address{1, byte(i), byte(i >> 8)}, State: program.EntryActive, Stake: 5}
		}
		node.set(node.program.Roster(), roster)
		node.start(t)
		task := node.dispute(1, voting.Committing)
		w := watched(t, node.onLine(t, testConfig()), Cursor{})
		read := func(what string, pause time.Duration, want int) {
			t.Helper()
			node.mu.Lock()
			before := node.large
			node.mu.Unlock()
			time.Sleep(pause)
			synctest.Wait()
			node.mu.Lock()
			defer node.mu.Unlock()
			if got := node.large - before; got != want {
				t.Errorf("%s: the Roster was read %d times, want %d", what, got, want)
			}
		}
		stake := func() uint64 {
			all := w.of(task)
			return all[len(all)-1].Roster.Entries[9_999].Stake
		}
		read("at the start", 5*time.Second, 1)
		looks := len(w.of(task))
		for n := range 56 {
			node.dispute(1, voting.Status(1+n%3))
			read("a change of the case", 3*time.Second, 0)
		}
		if got := len(w.of(task)) - looks; got < 50 || stake() != 5 {
			t.Errorf("%d looks at 56 changes, a stake of %d", got, stake())
		}
		read("six quiet minutes", 6*time.Minute, 0)
		roster.TotalStake, roster.Entries[9_999].Stake = 8, 6
		node.set(node.program.Roster(), roster)
		read("a stake", 70*time.Second, 1)
		node.dispute(1, voting.Revealing)
		read("the case again", 3*time.Second, 0)
		if stake() != 6 {
			t.Errorf("the case is shown with a stake of %d", stake())
		}
		roster.Entries[0].Live = 1
		node.set(node.program.Roster(), roster)
		read("eleven minutes", 11*time.Minute, 1)
	})
}

// TestForeignAccountIsNotReadWhole: an account that a peer names as a task is read no further than
// a part, whatever the Roster does.
func TestForeignAccountIsNotReadWhole(t *testing.T) {
	for _, judges := range []int{1, 99} {
		synctest.Test(t, func(t *testing.T) {
			node := newFakeNode()
			node.set(node.program.Roster(), &program.Roster{Entries: make([]program.RosterEntry, judges)})
			node.start(t)
			huge := onchain.Address{77}
			node.mu.Lock()
			node.accounts[huge] = &Account{Address: huge, Owner: onchain.Address{3}, Lamports: 1, Data: make([]byte, 3<<20)}
			node.mu.Unlock()
			w := watched(t, node.onLine(t, testConfig()), Cursor{})
			for range 12 {
				w.Hint(huge)
				time.Sleep(5 * time.Second)
			}
			synctest.Wait()
			node.mu.Lock()
			defer node.mu.Unlock()
			if node.large > 0 {
				t.Errorf("%d judges: the account was read %d times", judges, node.large)
			}
		})
	}
}
