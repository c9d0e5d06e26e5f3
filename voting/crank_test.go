package voting

import (
	"ojud/voting/turn"
	"slices"
	"testing"
)

func TestRankIsAPermutation(t *testing.T) {
	var seats []Seat
	var judges []Key
	for i := range MaxSeats {
		seats = append(seats, Seat{Judge: judgeKey(i)})
		judges = append(judges, judgeKey(i))
	}
	for op := OpDraw; op <= OpRelayCommit; op++ {
		seen := make([]bool, MaxSeats)
		sortByRank(judges, fill(3), 1, op, 0)
		for i, judge := range judges {
			r := rankOf(seats, judge, fill(3), 1, op, 0)
			if r != i || seen[r] {
				t.Fatalf("%s: rank %d of the judge in place %d", op, r, i)
			}
			seen[r] = true
		}
	}
}

// Who is first differs between cases, rounds, operations and target seats, so that nobody pays for
// all of it.
func TestRankSpreads(t *testing.T) {
	var seats []Seat
	for i := range 7 {
		seats = append(seats, Seat{Judge: judgeKey(i)})
	}
	first := make(map[Key]int)
	for task := range 50 {
		for round := range uint8(2) {
			for target := range uint8(2) {
				i := slices.IndexFunc(seats, func(s Seat) bool { return rankOf(seats, s.Judge, fill(byte(task)), round, OpRelayReveal, target) == 0 })
				first[seats[i].Judge]++
			}
		}
	}
	for i := range seats {
		if n := first[judgeKey(i)]; n < 10 || n > 60 {
			t.Errorf("judge %d is first %d times of 200", i, n)
		}
	}
}

func TestOutsidersComeLast(t *testing.T) {
	seats := []Seat{{Judge: judgeKey(0)}, {Judge: judgeKey(1)}}
	for i := 2; i < 60; i++ {
		if r := rankOf(seats, judgeKey(i), fill(3), 1, OpDraw, 0); r < 2 || r >= 2+turn.Outsiders {
			t.Errorf("outsider %d has rank %d", i, r)
		}
	}
	if r := rankOf(nil, judgeKey(0), fill(3), 1, OpDraw, 0); r < 0 || r >= turn.Outsiders {
		t.Errorf("rank %d before the first draw", r)
	}
}

func TestBackoff(t *testing.T) {
	p := DefaultParams()
	var slow, fast []uint32
	for tries := range 8 {
		slow, fast = append(slow, p.backoff(tries, false)), append(fast, p.backoff(tries, true))
	}
	if !slices.Equal(slow, []uint32{2, 4, 8, 16, 32, 60, 60, 60}) || !slices.Equal(fast, []uint32{2, 4, 8, 8, 8, 8, 8, 8}) {
		t.Errorf("%v, %v", slow, fast)
	}
	if p.backoff(1<<40, false) != 60 {
		t.Error("many failures")
	}
}

func TestTimer(t *testing.T) {
	x := after(1_000, 5)
	for now, want := range map[int64]bool{1_000: false, 1_004: false, 1_005: true, 9_999: true, 999: true, -5: true} {
		if x.due(now) != want {
			t.Errorf("due at %d: %t", now, !want)
		}
	}
	if !(timer{}).due(1) {
		t.Error("a timer that was never set is due")
	}
}

func TestDrawableAt(t *testing.T) {
	p := DefaultParams()
	for _, c := range []struct {
		slot, seed uint64
		want       int64
	}{
		{10, 9, 100}, {20, 9, 96}, {1 << 63, 9, 100 - 419_431}, {10, 10, 101}, {10, 12, 102}, {10, 265, 203}, {10, 1 << 63, 100 + 419_431},
	} {
		k := Case{Status: AwaitingDraw, Slot: c.slot, SeedSlot: c.seed}
		if got := p.drawableAt(&k, 100); got != c.want {
			t.Errorf("slot %d, seed slot %d: drawable at %d, want %d", c.slot, c.seed, got, c.want)
		}
	}
}

// settleable is a bench whose round everybody has revealed in.
func settleable(t *testing.T) *bench {
	b := newBench(t)
	for i := range b.look.Seats {
		b.lands(i, Accept)
		b.look.Seats[i].Revealed, b.look.Seats[i].Choice = true, Accept
	}
	b.look.Status = Revealing
	b.see()
	return b
}

// submits returns the transactions of a kind among effects.
func submits(effects []Effect, op Op) (n int) {
	for _, e := range effects {
		if s, ok := e.(Submit); ok && s.Op == op {
			n++
		}
	}
	return n
}

// wait ticks until the machine submits op and returns when that was, or −1 after limit seconds.
func (b *bench) wait(op Op, limit int64) int64 {
	for end := b.now + limit; b.now <= end; b.now++ {
		if submits(b.step(Tick{At: b.now}), op) > 0 {
			return b.now
		}
	}
	return -1
}

func TestCrankStopsWhenSomebodyDidIt(t *testing.T) {
	b := settleable(t)
	b.look.Status, b.look.SettledAt = Decided, b.now
	b.see()
	if at := b.wait(OpSettle, 200); at >= 0 {
		t.Errorf("settles at %d a settled round", at)
	}
}

func TestOneAttemptAtATime(t *testing.T) {
	b := settleable(t)
	first := b.machine.cases.find(b.look.Task).attempts[0]
	if !first.pending && b.wait(OpSettle, 60) < 0 {
		t.Fatal("never settles")
	}
	if at := b.wait(OpSettle, 100); at >= 0 {
		t.Errorf("submits again at %d while the first is under way", at)
	}
	b.step(SubmitDone{At: b.now, Op: OpSettle, Task: b.look.Task, Round: 1, Class: Failed})
	if at := b.wait(OpSettle, 10); at < 0 {
		t.Error("does not try again")
	}
}

func TestHopelessIsNotTriedAgain(t *testing.T) {
	b := settleable(t)
	if !b.machine.cases.find(b.look.Task).attempts[0].pending {
		b.wait(OpSettle, 60)
	}
	b.step(SubmitDone{At: b.now, Op: OpSettle, Task: b.look.Task, Round: 1, Class: Hopeless})
	if at := b.wait(OpSettle, 400); at >= 0 {
		t.Errorf("tried again at %d", at)
	}
}

// A transaction that failed because somebody was faster is tried again only if the chain goes on
// lacking it.
func TestMootWaitsForTheChain(t *testing.T) {
	b := settleable(t)
	if !b.machine.cases.find(b.look.Task).attempts[0].pending {
		b.wait(OpSettle, 60)
	}
	done := b.now
	b.step(SubmitDone{At: b.now, Op: OpSettle, Task: b.look.Task, Round: 1, Class: Moot})
	if at := b.wait(OpSettle, 10); at != done+2 {
		t.Errorf("tried again at %d, done at %d", at, done)
	}
}

// A reward is claimed once in the life of a process: no look shows that it was.
func TestClaimOnce(t *testing.T) {
	b := settleable(t)
	b.look.Status, b.look.SettledAt = Decided, b.now
	b.look.Seats[0].Result, b.look.Seats[0].Earned = Majority, 5
	if n := submits(b.see(), OpClaim); n != 1 {
		t.Fatalf("%d claims", n)
	}
	for _, class := range []SubmitClass{Failed, Landed} {
		b.step(SubmitDone{At: b.now, Op: OpClaim, Task: b.look.Task, Round: 1, Class: class})
		at := b.wait(OpClaim, 300)
		if (at >= 0) != (class == Failed) {
			t.Errorf("%s: claimed again at %d", class, at)
		}
	}
}

// Relays come one node after another, all of them before the reveals end.
func TestRelaysFitIntoTheirTime(t *testing.T) {
	p := DefaultParams()
	m := transactions{&self{cfg: Config{Params: p}}}
	c := &caseState{task: fill(3)}
	c.chain.Rules.RevealSeconds, c.chain.RevealEnds = 180, 1_000
	for i := range MaxSeats {
		c.chain.Seats = append(c.chain.Seats, Seat{Judge: judgeKey(i)})
	}
	for i := range MaxSeats + 20 {
		m.cfg.Judge = judgeKey(i)
		w := action{Submit: Submit{Op: OpRelayReveal, Round: 1, Seat: 3}}
		if wait := m.turn(c, &w); wait < 0 || p.relayFrom(&c.chain)+wait >= c.chain.RevealEnds {
			t.Errorf("node %d waits %d s", i, wait)
		}
	}
}

// A vote that was heard is not revealed for its seat when the chain, after a rollback, holds
// another commitment of that seat.
func TestRelayOnlyWhatOpens(t *testing.T) {
	for _, landed := range []Choice{Accept, Reject} {
		b := newBench(t)
		b.lands(1, Accept)
		b.look.Status = Revealing
		b.see()
		if _, err := b.hear(b.voteOf(1, Accept)); err != nil {
			t.Fatal(err)
		}
		b.lands(1, landed)
		b.see()
		if at := b.wait(OpRelayReveal, 600); (at >= 0) != (landed == Accept) {
			t.Errorf("chain holds %s: relayed at %d", landed, at)
		}
	}
}

// Once another statement of its own is known a node says nothing more about its own commitment, not
// after a restart either.
func TestSilentAboutOwnCommitmentAfterConflict(t *testing.T) {
	b := newBench(t)
	effects := b.opine(Accept)
	cast := effects[0].(Persist).Record
	foreign := Foreign{At: b.now, Commit: b.commitOf(0, Reject)}
	for _, records := range [][]Record{{cast}, {cast, foreign}} {
		b.machine = b.boot(Restored{At: b.now, Records: records})
		announced := false
		for _, e := range b.see() {
			_, is := e.(Announce)
			announced = announced || is
		}
		if announced != (len(records) == 1) {
			t.Errorf("%d records: announced %t", len(records), announced)
		}
	}
}

// What a catch-up request names: a statement that is not the one for the chain's commitment does
// not count as had, nor one for which the chain has none when the time to commit is over.
func TestHave(t *testing.T) {
	b := newBench(t)
	for i, landed := range []Choice{1: Accept, 2: Reject, 3: NoChoice} {
		if i == 0 {
			continue
		}
		if landed.Valid() {
			b.lands(i, landed)
		}
		b.see()
		if _, err := b.hear(b.commitOf(i, Accept)); err != nil {
			t.Fatal(err)
		}
	}
	commits, votes := b.machine.View().Have(b.look.Task, 1)
	if !slices.Equal(commits, []int{1, 3}) || votes != nil {
		t.Errorf("commits %v, votes %v", commits, votes)
	}
	b.look.Status = Revealing
	b.see()
	if commits, _ := b.machine.View().Have(b.look.Task, 1); !slices.Equal(commits, []int{1}) {
		t.Errorf("commits %v when the commits are over", commits)
	}
	b.look.Status, b.look.SettledAt = Decided, b.now
	b.see()
	if commits, _ := b.machine.View().Have(b.look.Task, 1); !slices.Equal(commits, []int{1}) {
		t.Errorf("commits %v when the case is decided", commits)
	}
	if commits, votes := b.machine.View().Have(fill(9), 1); commits != nil || votes != nil {
		t.Errorf("of an unknown case: %v, %v", commits, votes)
	}
}

// TestDoubts: what makes a judge ask all seats when the case is decided.
func TestDoubts(t *testing.T) {
	for name, c := range map[string]struct {
		seat   int
		change func(*Seat)
		asks   bool
	}{
		"no commitment":            {1, func(*Seat) {}, true},
		"another commitment":       {1, func(s *Seat) { s.Committed, s.Commitment = true, fill(7) }, true},
		"a judge that was slashed": {1, func(s *Seat) { s.Equivocated = true }, false},
		"the own statement":        {0, func(*Seat) {}, false},
	} {
		b := newBench(t)
		b.see()
		if _, err := b.hear(b.commitOf(c.seat, Accept)); err != nil {
			t.Fatal(name, err)
		}
		c.change(&b.look.Seats[c.seat])
		b.look.Status, b.look.SettledAt = Decided, b.now
		asked := slices.ContainsFunc(b.see(), func(e Effect) bool { _, ok := e.(CatchUp); return ok })
		if asked != c.asks {
			t.Errorf("%s: asked %t", name, asked)
		}
	}
}

// A case that expired before its second draw still has the seats of the first round, and evidence
// against them counts.
func TestEvidenceAfterExpiry(t *testing.T) {
	for _, expired := range []bool{false, true} {
		b := newBench(t)
		for _, c := range []Choice{Accept, Reject} {
			if _, err := b.hear(b.commitOf(1, c)); err != nil {
				t.Fatal(err)
			}
		}
		b.look.Status, b.look.SettledAt = EndedUndecided, b.now
		if expired {
			b.look.Round, b.look.SeedSlot = 2, b.look.DrawnSlot+100
		}
		b.see()
		if round := b.look.SeatsRound(); round != 1 {
			t.Fatalf("seats of round %d", round)
		}
		b.step(SubmitDone{At: b.now, Op: OpSlash, Task: b.look.Task, Round: 1, Seat: 1, Class: Failed})
		if b.wait(OpSlash, 200) < 0 {
			t.Errorf("expired %t: not filed", expired)
		}
	}
}

// A node that starts again after every few seconds draws when its turn has come, counted from the
// seed slot and not from its start.
func TestTurnOverRestarts(t *testing.T) {
	b := newBench(t)
	k := b.look
	k.Status, k.Seats, k.SeedSlot, k.DrawnSlot = AwaitingDraw, nil, 1_000, 0
	rank := int64(rankOf(nil, b.machine.cfg.Judge, k.Task, k.Round, OpDraw, 0))
	if rank == 0 {
		t.Fatal("this judge's turn is the first: take another task")
	}
	for late, want := range map[int64]bool{0: rank == 0, rank * int64(b.machine.cfg.Params.CrankStep): true} {
		k.Slot = k.SeedSlot + 1 + uint64(late*1000/int64(b.machine.cfg.Params.SlotMillis))
		c := &caseState{task: k.Task, chain: k, drawAt: b.machine.cfg.Params.drawableAt(&k, b.machine.now)}
		a := b.machine.transactions.attempt(c, &b.machine.transactions.drawAction(c, nil)[0])
		if got := a.due <= b.machine.now; got != want {
			t.Errorf("rank %d, %d s after the seed slot: due in %d s", rank, late, a.due-b.machine.now)
		}
	}
}

// sortByRank orders judges as rankOf does.
func sortByRank(judges []Key, task Key, round uint8, op Op, target uint8) {
	work, all := turn.Work[Key]{Subject: task, Round: round, Op: uint8(op), Target: target}, slices.Clone(judges)
	slices.SortFunc(judges, func(a, b Key) int { return work.Of(all, a) - work.Of(all, b) })
}
