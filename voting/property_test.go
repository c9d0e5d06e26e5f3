package voting

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// chaos feeds a machine events in an order that no chain, network or shell would ever produce, and
// stops it between any two effects. What must never happen must not happen then either.
type chaos struct {
	*bench
	r       *rand.Rand
	journal []Record
	signed  map[roundKey]Hash // what the journal has ever held, by round
	shown   map[Hash]bool     // openings in the journal
}

type roundKey struct {
	task  Key
	round uint8
}

func runChaos(t *testing.T, seed uint64, events int) {
	c := &chaos{
		bench: newBench(t), r: rand.New(rand.NewPCG(seed, 99)), signed: make(map[roundKey]Hash), shown: make(map[Hash]bool),
	}
	c.restart()
	for i := range events {
		if err := c.event(); err != nil {
			t.Fatalf("seed %d, event %d: %v", seed, i, err)
		}
	}
}

func (c *chaos) restart() {
	m, err := New(c.config())
	if err != nil {
		c.t.Fatal(err)
	}
	c.machine = m
	if err := c.do(Restored{At: c.now, Records: append([]Record(nil), c.journal...)}); err != nil {
		c.t.Fatal(err)
	}
}

// event makes one event up and checks what comes of it.
func (c *chaos) event() error {
	if c.r.IntN(30) == 0 {
		c.restart()
	}
	c.now += c.r.Int64N(20)
	if c.r.IntN(40) == 0 {
		c.now += c.r.Int64N(4_000) - 2_000
	}
	return c.do(c.make())
}

func (c *chaos) make() Event {
	round := uint8(1 + c.r.IntN(3))
	task := c.look.Task
	switch c.r.IntN(10) {
	case 0, 1:
		return CaseSeen{At: c.now, Case: c.anyLook()}
	case 2:
		return Tick{At: c.now}
	case 3, 4:
		c.look.Round = round
		return OpinionReady{At: c.now, Task: task, Round: round, Opening: c.opening(0, Choice(1+c.r.IntN(3))), Vote: []byte("{}")}
	case 5:
		return OpinionFailed{At: c.now, Task: task, Round: round, Reason: "x"}
	case 6:
		c.look.Round = round
		return c.anyNotice()
	case 7:
		return SubmitDone{At: c.now, Op: Op(1 + c.r.IntN(8)), Task: task, Round: round, Seat: uint8(c.r.IntN(4)), Class: SubmitClass(1 + c.r.IntN(4))}
	case 8:
		return CaughtUp{At: c.now, Task: task, Round: round, Answered: c.r.IntN(4)}
	}
	if c.r.IntN(5) == 0 {
		return CaseGone{At: c.now, Task: task, Slot: c.look.Slot + uint64(c.r.IntN(3))}
	}
	return PeerConnected{At: c.now, Peer: c.look.Seats[c.r.IntN(4)].Peer}
}

// anyLook is any state of a case that the account can hold.
func (c *chaos) anyLook() Case {
	k := c.look
	k.Slot += uint64(c.r.IntN(5))
	c.look.Slot = k.Slot - min(uint64(c.r.IntN(2)), k.Slot)
	k.Status = Status(1 + c.r.IntN(5))
	k.Round = uint8(1 + c.r.IntN(3))
	k.SlotHash = fill(byte(c.r.IntN(4)))
	k.CommitEnds = c.now + c.r.Int64N(600) - 200
	k.RevealEnds = k.CommitEnds + 180
	k.DrawBy = c.now + c.r.Int64N(600) - 200
	k.SettledAt = c.now
	k.Seats = append([]Seat(nil), k.Seats...)
	for i := range k.Seats {
		c.look.Round = k.Round
		c.anySeat(&k.Seats[i], i)
	}
	if k.Round == 1 && k.Status == AwaitingDraw {
		k.Seats = nil
	}
	return k
}

func (c *chaos) anySeat(s *Seat, i int) {
	choice := Choice(1 + c.r.IntN(3))
	if s.Committed = c.r.IntN(2) == 0; s.Committed {
		s.Commitment = c.commitOf(i, choice).Commitment
		if s.Revealed = c.r.IntN(3) == 0; s.Revealed {
			s.Choice = choice
		}
	}
	s.Equivocated = c.r.IntN(20) == 0
	s.Earned = uint64(c.r.IntN(2))
}

// anyNotice is a notice of anybody, this node's other copy included, as far as it can be checked.
func (c *chaos) anyNotice() Event {
	i, choice := c.r.IntN(4), Choice(1+c.r.IntN(3))
	if i == 0 && c.r.IntN(10) != 0 {
		i = 1
	}
	var n Notice = c.commitOf(i, choice)
	if c.r.IntN(2) == 0 {
		n = c.voteOf(i, choice)
	}
	if c.r.IntN(4) == 0 {
		n = c.relayOf(i, choice)
	}
	checked, _ := c.machine.View().Check(Key{}, n)
	if !checked.Usable() {
		return Tick{At: c.now}
	}
	return NoticeReceived{At: c.now, Notice: checked}
}

// do steps and executes, with a crash between two effects now and then.
func (c *chaos) do(e Event) error {
	effects, err := c.machine.Step(e)
	if err != nil {
		return fmt.Errorf("%T: %w", e, err)
	}
	for _, f := range effects {
		if c.r.IntN(60) == 0 {
			c.restart()
			return nil
		}
		if err := c.check(f); err != nil {
			return fmt.Errorf("%T: %s: %w", e, f, err)
		}
	}
	if at, ok := c.machine.Next(); ok && at == 0 {
		return fmt.Errorf("waits for the beginning of time")
	}
	return nil
}

// check tests the properties that must hold for every effect.
func (c *chaos) check(f Effect) error {
	switch f := f.(type) {
	case Persist:
		c.journal = append(c.journal, f.Record)
		return c.checkRecord(f.Record)
	case Announce:
		if n, ok := f.Notice.(Commit); ok {
			return c.mustBe(n.Task, n.Round, n.Commitment)
		}
		if n, ok := f.Notice.(Relay); ok {
			return c.mustBe(n.Task, n.Round, n.Commitment)
		}
		v := f.Notice.(Vote)
		if !c.shown[testDomain.Commitment(v.Task, v.Round, v.Judge, v.Opening)] {
			return fmt.Errorf("shows a vote that is not in the journal")
		}
	case Submit:
		switch f.Op {
		case OpCommit:
			return c.mustBe(f.Task, f.Round, f.Commitment)
		case OpReveal:
			if !c.shown[testDomain.Commitment(f.Task, f.Round, f.Judge, f.Opening)] {
				return fmt.Errorf("reveals a vote that is not in the journal")
			}
		}
	case Forget: // the case is over for good, or was gone for two days: its rounds cannot come back
		c.journal = nil
		c.signed = make(map[roundKey]Hash)
	}
	return nil
}

func (c *chaos) checkRecord(r Record) error {
	cast, ok := r.(Cast)
	if !ok {
		return nil
	}
	at := roundKey{cast.Task, cast.Round}
	if old, ok := c.signed[at]; ok && old != cast.Commitment {
		return fmt.Errorf("a second vote for round %d", cast.Round)
	}
	for _, old := range c.journal {
		if f, ok := old.(Foreign); ok && f.Task == cast.Task && f.Round == cast.Round {
			return fmt.Errorf("signs in round %d although another statement of its own is known", cast.Round)
		}
	}
	c.signed[at] = cast.Commitment
	c.shown[cast.Commitment] = true
	return verifyStatement(testDomain, c.look.Seats[0].Peer, cast.Task, cast.Round, cast.Judge, cast.Signed)
}

func (c *chaos) mustBe(task Key, round uint8, commitment Hash) error {
	if c.signed[roundKey{task, round}] != commitment {
		return fmt.Errorf("shows a commitment that is not in the journal")
	}
	return nil
}

// TestNeverTwoVotes is the property that a judge's stake hangs on: at most one vote for a round, in
// the journal before it is shown, in every course of events.
func TestNeverTwoVotes(t *testing.T) {
	for seed := range uint64(150) {
		runChaos(t, seed, 250)
	}
}

func FuzzMachine(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { runChaos(t, seed, 150) })
}

// The same events give the same effects.
func TestSameEventsSameEffects(t *testing.T) {
	trace := func() string {
		b := newBench(t)
		out := fmt.Sprint(b.opine(Accept))
		for i := 1; i < 4; i++ {
			effects, err := b.hear(b.commitOf(i, Accept))
			if err != nil {
				t.Fatal(err)
			}
			b.lands(i, Accept)
			out += fmt.Sprint(effects, b.see())
		}
		for range 200 {
			b.now += 3
			out += fmt.Sprint(b.step(Tick{At: b.now}))
		}
		return out
	}
	first := trace()
	for range 20 {
		if again := trace(); again != first {
			t.Fatalf("%s\n%s", first, again)
		}
	}
}
