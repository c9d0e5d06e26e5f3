package voting

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// kinds names effects in a word each.
func kinds(effects []Effect) string {
	var words []string
	for _, e := range effects {
		words = append(words, strings.Fields(e.String())[0])
	}
	return strings.Join(words, " ")
}

func TestRestoredComesFirstAndOnce(t *testing.T) {
	b := newBench(t)
	m, err := New(b.config())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Step(Tick{At: 1}); !errors.Is(err, errOrder) {
		t.Errorf("tick before: %v", err)
	}
	if _, err := b.machine.Step(Restored{At: 1}); !errors.Is(err, errOrder) {
		t.Errorf("restored twice: %v", err)
	}
}

func TestTwoGoroutinesPanic(t *testing.T) {
	b := newBench(t)
	config := b.config()
	var m *Machine
	config.Sign = func([]byte) Signature {
		m.View() // as another goroutine would, in the middle of a Step
		return Signature{}
	}
	m, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	b.machine = m
	b.step(Restored{At: 1})
	b.see()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	b.opine(Accept)
}

func (b *bench) opine(c Choice) []Effect {
	b.t.Helper()
	return b.step(OpinionReady{At: b.now, Task: b.look.Task, Round: b.look.Round, Opening: b.opening(0, c), Vote: []byte("{}")})
}

// What no correct shell sends is refused and changes nothing.
func TestBadEvents(t *testing.T) {
	b := newBench(t)
	change := func(f func(*Case)) Case { c := b.look; c.Slot += 10; f(&c); return c }
	opinion := func(f func(*OpinionReady)) OpinionReady {
		e := OpinionReady{At: b.now, Task: b.look.Task, Round: 1, Opening: b.opening(0, Accept)}
		f(&e)
		return e
	}
	for name, e := range map[string]Event{
		"nil":                  nil,
		"status 0":             CaseSeen{At: b.now, Case: change(func(c *Case) { c.Status = 0 })},
		"status 7":             CaseSeen{At: b.now, Case: change(func(c *Case) { c.Status = 7 })},
		"round 0":              CaseSeen{At: b.now, Case: change(func(c *Case) { c.Round = 0 })},
		"round 7":              CaseSeen{At: b.now, Case: change(func(c *Case) { c.Round = 7 })},
		"29 seats":             CaseSeen{At: b.now, Case: change(func(c *Case) { c.Seats = make([]Seat, 29) })},
		"live without seats":   CaseSeen{At: b.now, Case: change(func(c *Case) { c.Seats = nil })},
		"seats before a draw":  CaseSeen{At: b.now, Case: change(func(c *Case) { c.Status = AwaitingDraw })},
		"opinion of no choice": opinion(func(e *OpinionReady) { e.Opening.Choice = NoChoice }),
		"opinion without hash": opinion(func(e *OpinionReady) { e.Opening.Opinion = Hash{} }),
		"opinion without salt": opinion(func(e *OpinionReady) { e.Opening.Salt = Hash{} }),
		"vote too long":        opinion(func(e *OpinionReady) { e.Vote = make([]byte, MaxVote+1) }),
		"recovered nothing":    OpeningRecovered{At: b.now, Task: b.look.Task, Round: 1},
		"unchecked notice":     NoticeReceived{At: b.now},
	} {
		if e == nil {
			continue
		}
		effects, err := b.machine.Step(e)
		if !errors.Is(err, errEvent) || len(effects) != 0 {
			t.Errorf("%s: %v, %v", name, err, effects)
		}
	}
	if got := kinds(b.opine(Accept)); got != "persist testify announce submit" {
		t.Errorf("afterwards: %s", got)
	}
}

// Events about cases and rounds that are not known, or not running, do nothing.
func TestEventsAboutNothing(t *testing.T) {
	b := newBench(t)
	o := b.opening(0, Accept)
	for _, task := range []Key{fill(9), b.look.Task} {
		for _, round := range []uint8{0, 2, 3, 4, 255} {
			for _, e := range []Event{
				OpinionReady{At: b.now, Task: task, Round: round, Opening: o},
				OpinionFailed{At: b.now, Task: task, Round: round},
				CaughtUp{At: b.now, Task: task, Round: round, Answered: 3},
				OpeningRecovered{At: b.now, Task: task, Round: round, Opening: o},
				SubmitDone{At: b.now, Op: OpCommit, Task: task, Round: round, Class: Landed},
				CaseGone{At: b.now, Task: fill(9), Slot: 99},
				PeerConnected{At: b.now, Peer: fill(9)},
			} {
				if effects := b.step(e); len(effects) != 0 {
					t.Errorf("%T, round %d: %v", e, round, effects)
				}
			}
		}
	}
}

func TestJournalOfAnotherNode(t *testing.T) {
	b := newBench(t)
	b.opine(Accept)
	o := b.opening(0, Accept)
	foreign := Cast{Commit: b.commitOf(1, Accept), Opening: o}
	twice := Cast{Commit: b.commitOf(0, Accept), Opening: o}
	badRound := Heard{Commit: Commit{Round: 9}}
	for name, records := range map[string][]Record{
		"another judge's vote": {foreign}, "two votes": {twice, twice}, "round 9": {badRound}, "nothing": {nil},
	} {
		m, err := New(b.config())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Step(Restored{At: 1, Records: records}); !errors.Is(err, errEvent) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := m.Step(Tick{At: 1}); !errors.Is(err, errOrder) {
			t.Errorf("%s: runs on a journal that it refused: %v", name, err)
		}
	}
}

// The opinion of the deadline itself is late.
func TestOpinionDeadline(t *testing.T) {
	for at, want := range map[int64]string{
		1_354: "persist testify announce submit",
		1_355: "stop-judge ask-abstain", // 1,400 − 45
		1_399: "stop-judge ask-abstain",
		1_400: "", // nobody can commit any more
	} {
		b := newBench(t)
		b.step(CaughtUp{At: b.now, Task: b.look.Task, Round: 1, Answered: 3})
		b.now = at
		got := kinds(b.opine(Accept))
		if !strings.HasPrefix(got+" ", want+" ") {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
	}
}

// The time for an opinion shrinks with the commit time.
func TestShortRounds(t *testing.T) {
	p := DefaultParams()
	for commit, want := range map[uint32]int64{420: 375, 180: 135, 100: 75, 20: 15, 4: 3, 1: 1} {
		c := Case{CommitEnds: int64(commit), Rules: Rules{CommitSeconds: commit}}
		if got := p.opinionDeadline(&c); got != want {
			t.Errorf("%d s for commits: deadline at %d, want %d", commit, got, want)
		}
	}
	for reveal, want := range map[uint32]int64{180: 120, 120: 60, 60: 30, 1: 1} {
		c := Case{RevealEnds: int64(reveal), Rules: Rules{RevealSeconds: reveal}}
		if got := p.relayFrom(&c); got != want {
			t.Errorf("%d s for reveals: relays from %d, want %d", reveal, got, want)
		}
	}
}

// fullHouse makes room for n cases.
func fullHouse(t testing.TB, n int) *bench {
	t.Helper()
	b := newBench(t)
	config := b.config()
	config.Params.MaxCases = n
	m, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	b.machine = m
	b.step(Restored{At: 1})
	return b
}

// other is a case without a seat of the node, opened i seconds later than others.
func (b *bench) other(i int) Case {
	c := b.look
	c.Task, c.OpenedAt = fill(byte(200+i)), int64(500+i)
	c.Seats = append([]Seat(nil), c.Seats[1:]...)
	return c
}

func TestCasesAreBounded(t *testing.T) {
	b := fullHouse(t, 3)
	for i := range 5 {
		b.step(CaseSeen{At: b.now, Case: b.other(i)})
	}
	if n := len(b.machine.View().cases); n != 3 {
		t.Fatalf("%d cases", n)
	}
	// A case with a seat needs none of these places.
	if got := kinds(b.see()); !strings.HasPrefix(got, "testify testify ask-judge") {
		t.Errorf("effects: %s", got)
	}
	if n := len(b.machine.View().cases); n != 4 {
		t.Errorf("%d cases", n)
	}
}

func TestOverAndDoneGoesFirst(t *testing.T) {
	b := fullHouse(t, 2)
	b.step(CaseSeen{At: b.now, Case: b.other(0)})
	over := b.other(1)
	over.Status, over.SettledAt = Decided, b.now
	b.step(CaseSeen{At: b.now, Case: over})
	b.step(CaseSeen{At: b.now, Case: b.other(2)})
	if _, ok := b.machine.View().Case(fill(201)); ok {
		t.Error("the case that is over is still there")
	}
	if _, ok := b.machine.View().Case(fill(202)); !ok {
		t.Error("the open case found no room")
	}
}

// A judge is in every case in which it has a seat, however many there are: it would be slashed for
// having been busy.
func TestOwnSeatsAlwaysFit(t *testing.T) {
	b := fullHouse(t, 1)
	b.see()
	for i := range 40 {
		own := b.look
		own.Task = fill(byte(100 + i))
		if got := kinds(b.step(CaseSeen{At: b.now, Case: own})); !strings.Contains(got, "ask-judge") {
			t.Fatalf("case %d with a seat: %s", i, got)
		}
	}
	if effects := b.step(CaseSeen{At: b.now, Case: b.other(0)}); len(effects) == 0 {
		t.Error("a case without a seat found no room, although it is the only one")
	}
	if effects := b.step(CaseSeen{At: b.now, Case: b.other(1)}); len(effects) != 0 {
		t.Errorf("a second case without a seat: %v", effects)
	}
	if n := len(b.machine.View().cases); n != 42 {
		t.Errorf("%d cases", n)
	}
}

// Cases that wait for their draw have places of their own, and take one of the others when somebody
// else was drawn.
func TestUndrawnFit(t *testing.T) {
	b := fullHouse(t, 2)
	undrawn := func(i int) Case {
		c := b.other(i)
		c.Status, c.Seats = AwaitingDraw, nil
		return c
	}
	for i := range 20 {
		b.step(CaseSeen{At: b.now, Case: undrawn(i)})
	}
	if n := len(b.machine.View().cases); n != 2*undrawnPlaces {
		t.Fatalf("%d cases", n)
	}
	for i := range 4 {
		drawn := b.other(i)
		drawn.Slot += 5
		got := kinds(b.step(CaseSeen{At: b.now, Case: drawn}))
		if forgot := strings.Contains(got, "forget"); forgot != (i >= 2) {
			t.Errorf("case %d of others: %s", i, got)
		}
	}
	for i := 16; i < 20; i++ { // places are free again
		b.step(CaseSeen{At: b.now, Case: undrawn(i)})
	}
	if n := len(b.machine.View().cases); n != 2+2*undrawnPlaces {
		t.Errorf("%d cases", n)
	}
}

// A node keeps at most two commits and one vote a seat, however many it is sent.
func TestNoticesAreBounded(t *testing.T) {
	b := newBench(t)
	for i := range 200 {
		h := Hash(fill(byte(i + 1)))
		n := Commit{b.look.Task, 1, judgeKey(1), signStatement(b.keys[1], testDomain, b.look.Task, 1, judgeKey(1), h)}
		_, err := b.hear(n)
		if (i < 2) != (err == nil) {
			t.Fatalf("commit %d: %v", i, err)
		}
	}
	known, _ := b.machine.View().Round(b.look.Task, 1)
	if len(known) != 1 || len(known[0].Commits) != 2 {
		t.Errorf("%+v", known)
	}
}

// So it does when many were checked against one old View, as goroutines do that validate gossip at
// the same time.
func TestNoticesOfOneViewAreBounded(t *testing.T) {
	b := newBench(t)
	view := b.machine.View()
	var checked []Checked
	for i := range 10 {
		h := Hash(fill(byte(i + 1)))
		n := Commit{b.look.Task, 1, judgeKey(1), signStatement(b.keys[1], testDomain, b.look.Task, 1, judgeKey(1), h)}
		ok, err := view.Check(Key{}, n)
		if err != nil {
			t.Fatal(err)
		}
		checked = append(checked, ok)
	}
	persisted := 0
	for _, c := range checked {
		for _, e := range b.step(NoticeReceived{At: b.now, Notice: c}) {
			if _, ok := e.(Persist); ok {
				persisted++
			}
		}
	}
	known, _ := b.machine.View().Round(b.look.Task, 1)
	if len(known[0].Commits) != 2 || persisted != 2 {
		t.Errorf("%d commits kept, %d records", len(known[0].Commits), persisted)
	}
}

// Notices of the round before are dropped when the next one is drawn, but not this node's own
// statements.
func TestOldRoundsAreDropped(t *testing.T) {
	b := newBench(t)
	b.opine(Accept)
	if _, err := b.hear(b.commitOf(1, Accept)); err != nil {
		t.Fatal(err)
	}
	b.look.Round, b.look.DrawnSlot, b.look.SlotHash = 2, 50, fill(50)
	b.see()
	c := b.machine.cases.find(b.look.Task)
	if n := len(c.rounds[1].heard); n != 1 || c.rounds[1].cast == nil {
		t.Errorf("%d judges heard of in round 1, vote %v", n, c.rounds[1].cast)
	}
}

func TestNextIsWhenSomethingIsDue(t *testing.T) {
	b := newBench(t)
	for _, want := range []int64{1_005, 1_355, 1_400} { // catch-up, deadline, end of the commits
		at, ok := b.machine.Next()
		if !ok || at != want {
			t.Fatalf("next at %d, %t, want %d", at, ok, want)
		}
		b.now = at
		b.step(Tick{At: at})
	}
	m, err := New(b.config())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Next(); ok {
		t.Error("a machine without cases waits for something")
	}
}

// Everything that has a name prints it, unknown values too: they end up in logs.
func TestNames(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Op(0).String(), "none"}, {OpClaim.String(), "claim"}, {Op(99).String(), "op(99)"},
		{Landed.String(), "landed"}, {SubmitClass(99).String(), "class(99)"},
		{TestifyOutcome.String(), "outcome"}, {Testimony(99).String(), "unknown"},
		{Accept.String(), "accept"}, {Choice(9).String(), "choice(9)"},
		{Verdict(9).String(), "verdict(9)"}, {Undecided.String(), "undecided"}, {Result(9).String(), "result(9)"},
		{Status(9).String(), "status(9)"}, {Status(0).String(), "unknown"},
		{Key(fill(0xab)).String()[:4], "abab"}, {fmt.Sprint(Hash(fill(1)))[:4], "0101"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	for c := Accept; c <= Abstain; c++ {
		if got, err := ParseChoice(c.String()); got != c || err != nil {
			t.Errorf("%s: %v", c, err)
		}
	}
	if _, err := ParseChoice("none"); err == nil {
		t.Error("none can be cast")
	}
}

func TestParams(t *testing.T) {
	if err := DefaultParams().Validate(); err != nil {
		t.Error(err)
	}
	for field, change := range map[string]func(*Params){
		"opinion_margin_seconds": func(p *Params) { p.OpinionMargin = 0 }, "crank_step_seconds": func(p *Params) { p.CrankStep = 61 },
		"relay_margin_seconds": func(p *Params) { p.RelayMargin = 0 }, "retry_min_seconds": func(p *Params) { p.RetryMin = 0 },
		"retry_max_seconds": func(p *Params) { p.RetryMax = p.RetryMin - 1 }, "landed_timeout_seconds": func(p *Params) { p.LandedWait = 0 },
		"catch_up_interval_seconds": func(p *Params) { p.CatchUpEvery = 0 }, "slot_milliseconds": func(p *Params) { p.SlotMillis = 0 },
		"new_journal_margin_seconds": func(p *Params) { p.FreshSlack = 86_401 }, "keep_missing_cases_seconds": func(p *Params) { p.KeepGone = 0 },
		"max_cases": func(p *Params) { p.MaxCases = 0 },
	} {
		p := DefaultParams()
		change(&p)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestConfig(t *testing.T) {
	for field, change := range map[string]func(*Config){
		"Judge": func(c *Config) { c.Judge = Key{} }, "Peer": func(c *Config) { c.Peer = Key{} },
		"Network": func(c *Config) { c.Domain.Network = Hash{} }, "Program": func(c *Config) { c.Domain.Program = Key{} },
		"Sign": func(c *Config) { c.Sign = nil }, "max_cases": func(c *Config) { c.Params.MaxCases = -1 },
	} {
		c := newBench(t).config()
		change(&c)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// A void round is drawn again within seconds. Who sees the second panel and never saw the first
// round's end says all the same how it ended.
func TestTestifyVoidRound(t *testing.T) {
	b := newBench(t)
	b.see()
	b.look.Round, b.look.SeedSlot, b.look.DrawnSlot, b.look.Slot = 2, b.look.Slot+10, b.look.Slot+11, b.look.Slot+12
	var said []string
	for _, e := range b.see() {
		if e, ok := e.(Testify); ok {
			said = append(said, fmt.Sprint(e.Kind, e.Round))
		}
	}
	if got, want := strings.Join(said, " "), "settle 1 draw 2"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}
