package voting

import (
	"crypto/ed25519"
	"errors"
	"strings"
	"sync"
	"testing"
)

// bench is a machine with seat 0 in a live round of four, at second 1,000 of its commits.
type bench struct {
	t       testing.TB
	machine *Machine
	keys    []ed25519.PrivateKey
	look    Case
	now     int64
}

func judgeKey(i int) Key { return fill(byte(100 + i)) }

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{t: t, now: 1_000}
	rules := Rules{CommitSeconds: 420, RevealSeconds: 180, DrawSeconds: 1_800, EvidenceSeconds: 86_400, MaxRounds: 3}
	b.look = Case{
		Task: fill(3), Slot: 10, Status: Committing, Round: 1, OpenedAt: 900, SeedSlot: 5, DrawnSlot: 6, SlotHash: fill(6),
		DrawBy: 2_700, CommitEnds: 1_400, RevealEnds: 1_580, Rules: rules,
	}
	for i := range 4 {
		key, peer := testKey(byte(i + 1))
		b.keys = append(b.keys, key)
		b.look.Seats = append(b.look.Seats, Seat{Judge: judgeKey(i), Peer: peer, Index: uint16(i), Weight: 1_000})
	}
	b.machine = b.boot(Restored{At: 100})
	b.see()
	return b
}

func (b *bench) config() Config {
	_, peer := testKey(1)
	return Config{
		Domain: testDomain, Judge: judgeKey(0), Peer: peer, Params: DefaultParams(),
		Sign: func(statement []byte) Signature { return Signature(ed25519.Sign(b.keys[0], statement)) },
	}
}

func (b *bench) boot(e Restored) *Machine {
	b.t.Helper()
	m, err := New(b.config())
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := m.Step(e); err != nil {
		b.t.Fatal(err)
	}
	return m
}

// step feeds an event that must be taken.
func (b *bench) step(e Event) []Effect {
	b.t.Helper()
	effects, err := b.machine.Step(e)
	if err != nil {
		b.t.Fatalf("%T: %v", e, err)
	}
	return effects
}

// see delivers the look as it is now, in the next slot.
func (b *bench) see() []Effect {
	b.t.Helper()
	b.look.Slot++
	return b.step(CaseSeen{At: b.now, Case: b.look})
}

func (b *bench) opening(i int, c Choice) Opening {
	return Opening{Choice: c, Opinion: fill(byte(40 + c)), Receipts: fill(6), Salt: fill(byte(50 + i))}
}

func (b *bench) commitOf(i int, c Choice) Commit {
	h := testDomain.Commitment(b.look.Task, b.look.Round, judgeKey(i), b.opening(i, c))
	return Commit{b.look.Task, b.look.Round, judgeKey(i), signStatement(b.keys[i], testDomain, b.look.Task, b.look.Round, judgeKey(i), h)}
}

func (b *bench) voteOf(i int, c Choice) Vote {
	v := Vote{
		Network: testDomain.Network, Program: testDomain.Program, Task: b.look.Task, Round: b.look.Round, Judge: judgeKey(i),
		Peer: b.look.Seats[i].Peer, Accept: c == Accept, Opening: b.opening(i, c), Raw: []byte("{}"), Signed: []byte("the vote of a judge"),
	}
	v.Signature = Signature(ed25519.Sign(b.keys[i], v.Signed))
	return v
}

// lands puts a commitment on the chain.
func (b *bench) lands(i int, c Choice) {
	b.look.Seats[i].Committed, b.look.Seats[i].Commitment = true, b.commitOf(i, c).Commitment
}

// hear checks a notice and hands it over if it is usable.
func (b *bench) hear(n Notice) ([]Effect, error) {
	b.t.Helper()
	checked, err := b.machine.View().Check(Key{}, n)
	if !checked.Usable() {
		return nil, err
	}
	return b.step(NoticeReceived{At: b.now, Notice: checked}), err
}

// TestCheckTable is the table of protocol section 9, line by line.
func TestCheckTable(t *testing.T) {
	const accept, ignore, reject = GossipAccept, GossipIgnore, GossipReject
	revealing := func(b *bench) {
		b.lands(1, Accept)
		b.lands(2, Accept)
		b.look.Status = Revealing
		b.see()
	}
	commit := func(change func(*Commit)) func(*bench) Notice {
		return func(b *bench) Notice { n := b.commitOf(1, Accept); change(&n); return n }
	}
	vote := func(change func(*Vote)) func(*bench) Notice {
		return func(b *bench) Notice { n := b.voteOf(1, Accept); change(&n); return n }
	}
	heard := func(ns ...func(*bench) Notice) func(*bench) {
		return func(b *bench) {
			for _, n := range ns {
				if _, err := b.hear(n(b)); Classify(err) == GossipReject {
					b.t.Fatal(err)
				}
			}
		}
	}
	both := func(fs ...func(*bench)) func(*bench) {
		return func(b *bench) {
			for _, f := range fs {
				f(b)
			}
		}
	}
	accepts, rejects := commit(func(*Commit) {}), func(b *bench) Notice { return b.commitOf(1, Reject) }
	good := vote(func(*Vote) {})
	for name, c := range map[string]struct {
		before func(*bench)
		notice func(*bench) Notice
		from   int // who published it; −1: came over a stream
		want   Gossip
		class  Class
	}{
		"commit":                            {nil, accepts, 1, accept, 0},
		"commit over a stream":              {nil, accepts, -1, accept, 0},
		"commit of another's origin":        {nil, accepts, 2, reject, Invalid},
		"commit with bad signature":         {nil, commit(func(n *Commit) { n.Signature[9] ^= 1 }), 1, reject, Invalid},
		"commit of zero":                    {nil, commit(func(n *Commit) { n.Commitment = Hash{} }), 1, reject, Invalid},
		"commit in round 0":                 {nil, commit(func(n *Commit) { n.Round = 0 }), 1, reject, Invalid},
		"commit in round 7":                 {nil, commit(func(n *Commit) { n.Round = 7 }), 1, reject, Invalid},
		"commit in the next round":          {nil, commit(func(n *Commit) { n.Round = 2 }), 1, ignore, Unknown},
		"commit in an unknown case":         {nil, commit(func(n *Commit) { n.Task = fill(9) }), 1, ignore, Unknown},
		"commit without a seat":             {nil, commit(func(n *Commit) { n.Judge = fill(9) }), 1, ignore, NotRelevant},
		"commit had already":                {heard(accepts), accepts, 1, ignore, Duplicate},
		"second commit":                     {heard(accepts), rejects, 1, accept, 0},
		"third commit":                      {heard(accepts, rejects), func(b *bench) Notice { return b.commitOf(1, Abstain) }, 1, ignore, Duplicate},
		"commit during the reveals":         {revealing, accepts, 1, accept, 0},
		"commit of a round that is over":    {func(b *bench) { b.look.Status = Decided; b.see() }, accepts, 1, ignore, NotRelevant},
		"commit of an earlier round":        {func(b *bench) { b.look.Round = 2; b.see() }, commit(func(n *Commit) { n.Round = 1 }), 1, ignore, NotRelevant},
		"vote":                              {revealing, good, 1, accept, 0},
		"vote over a stream":                {revealing, good, -1, accept, 0},
		"vote with known statement":         {both(heard(accepts), revealing), good, 1, accept, 0},
		"vote before the reveal":            {nil, good, 1, ignore, Early},
		"another vote before the reveal":    {heard(good), good, 1, ignore, Early},
		"early vote against the statement":  {heard(rejects), good, 1, ignore, Contradicted},
		"forged early vote":                 {nil, vote(func(n *Vote) { n.Signature[9] ^= 1 }), 1, reject, Invalid},
		"vote when the time is over":        {func(b *bench) { b.lands(1, Accept); b.now = 1_400; b.see() }, good, 1, accept, 0},
		"vote had already":                  {both(revealing, heard(good)), good, 1, ignore, Duplicate},
		"vote of another's origin":          {revealing, good, 2, reject, Invalid},
		"vote of another agent":             {revealing, vote(func(n *Vote) { n.Peer[0] ^= 1 }), 1, reject, Invalid},
		"vote for another network":          {revealing, vote(func(n *Vote) { n.Network[0] ^= 1 }), 1, reject, Invalid},
		"vote for another program":          {revealing, vote(func(n *Vote) { n.Program[0] ^= 1 }), 1, reject, Invalid},
		"vote that contradicts itself":      {revealing, vote(func(n *Vote) { n.Accept = false }), 1, reject, Invalid},
		"vote without a choice":             {revealing, vote(func(n *Vote) { n.Choice = 4; n.Accept = false }), 1, reject, Invalid},
		"vote in round 0":                   {revealing, vote(func(n *Vote) { n.Round = 0 }), 1, reject, Invalid},
		"vote too long":                     {revealing, vote(func(n *Vote) { n.Raw = make([]byte, MaxVote+1) }), 1, reject, Invalid},
		"vote without bytes":                {revealing, vote(func(n *Vote) { n.Raw = nil }), 1, reject, Invalid},
		"vote with bad signature":           {revealing, vote(func(n *Vote) { n.Signature[9] ^= 1 }), 1, reject, Invalid},
		"vote against the statement":        {both(heard(rejects), revealing), good, 1, ignore, Contradicted},
		"forged vote against the statement": {both(heard(rejects), revealing), vote(func(n *Vote) { n.Signature[9] ^= 1 }), 1, reject, Invalid},
		"vote for one of two statements":    {both(heard(rejects, accepts), revealing), good, 1, accept, 0},
		"vote against the chain":            {revealing, func(b *bench) Notice { return b.voteOf(1, Reject) }, 1, ignore, NotRelevant},
		"vote without a commitment":         {revealing, func(b *bench) Notice { return b.voteOf(3, Accept) }, 3, ignore, NotRelevant},
		"vote without a seat":               {revealing, vote(func(n *Vote) { n.Judge = fill(9) }), 1, ignore, NotRelevant},
		"vote in an unknown case":           {revealing, vote(func(n *Vote) { n.Task = fill(9) }), 1, ignore, Unknown},
		"vote of a round that is over":      {func(b *bench) { b.look.Status = Decided; b.see() }, good, 1, ignore, NotRelevant},
		"nothing":                           {nil, func(*bench) Notice { return nil }, 1, reject, Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			checked, class, blamed, err := b.check(c.before, c.from, c.notice)
			if class == Contradicted && blamed != b.look.Seats[1].Peer {
				t.Errorf("%s is blamed", blamed)
			}
			if Classify(err) != c.want || class != c.class || checked.Usable() != (err == nil || name == "vote before the reveal") {
				t.Errorf("gossip %d, class %d, usable %t: %v", Classify(err), class, checked.Usable(), err)
			}
		})
	}
}

// check brings the machine to where before leads, and checks a notice that the peer of a seat
// passed on; from -1 is a stream.
func (b *bench) check(before func(*bench), from int, notice func(*bench) Notice) (checked Checked, class Class, author Key, err error) {
	if before != nil {
		before(b)
	}
	origin := Key{}
	if from >= 0 {
		origin = b.look.Seats[from].Peer
	}
	checked, err = b.machine.View().Check(origin, notice(b))
	if refused := (*NoticeError)(nil); errors.As(err, &refused) {
		class, author = refused.Class, refused.Author
	}
	return checked, class, author, err
}

// A vote that comes before this node has seen the commits over is told to no other node. It counts
// as soon as the node has seen that, if the chain shows the commitment that it opens.
func TestEarlyVote(t *testing.T) {
	for _, shown := range []Choice{Accept, Reject} {
		b := newBench(t)
		if _, err := b.hear(b.commitOf(1, Accept)); err != nil {
			t.Fatal(err)
		}
		if effects, err := b.hear(b.voteOf(1, Accept)); Classify(err) != GossipIgnore || len(effects) > 0 {
			t.Errorf("at first: %s, %v", kinds(effects), err)
		}
		votes := func() int { _, votes := b.machine.View().Have(b.look.Task, 1); return len(votes) }
		if votes() != 0 {
			t.Error("it is told before the reveal")
		}
		b.lands(1, shown)
		b.look.Status = Revealing
		got, want := kinds(b.see()), shown == Accept
		if strings.HasPrefix(got, "persist") != want || (votes() == 1) != want {
			t.Errorf("the chain shows %s: %s, %d votes", shown, got, votes())
		}
		if got := kinds(b.see()); strings.Contains(got, "persist") {
			t.Errorf("again: %s", got)
		}
	}
}

// A vote that comes after the end is not passed on, but kept: a round can end faster than notices
// travel.
func TestLateVote(t *testing.T) {
	b := newBench(t)
	b.lands(1, Accept)
	b.look.Seats[1].Revealed, b.look.Seats[1].Choice = true, Accept
	b.look.Status, b.look.SettledAt = Decided, b.now
	b.see()
	b.now += int64(DefaultParams().CatchUpEvery) // the seats were asked when the round began
	if got := kinds(b.step(Tick{At: b.now})); !strings.Contains(got, "catch-up") {
		t.Errorf("no seat is asked for the vote: %s", got)
	}
	effects, err := b.hear(b.voteOf(1, Accept))
	if Classify(err) != GossipIgnore || !strings.HasPrefix(kinds(effects), "persist") {
		t.Errorf("%s, %v", kinds(effects), err)
	}
	for range 60 {
		b.now++
		if got := kinds(b.step(Tick{At: b.now})); strings.Contains(got, "catch-up") {
			t.Fatalf("asks on, although nothing is missing: %s", got)
		}
	}
}

// Evidence for a round that is over is ignored by gossip and taken by the machine.
func TestCheckLateEvidence(t *testing.T) {
	b := newBench(t)
	if _, err := b.hear(b.commitOf(1, Accept)); err != nil {
		t.Fatal(err)
	}
	b.look.Status, b.look.SettledAt = Decided, b.now
	b.see()
	forged := b.commitOf(1, Reject)
	forged.Signature[1] ^= 1
	if checked, err := b.machine.View().Check(Key{}, forged); checked.Usable() || Classify(err) != GossipReject {
		t.Errorf("forged evidence: %v", err)
	}
	checked, err := b.machine.View().Check(Key{}, b.commitOf(1, Reject))
	if !checked.Usable() || Classify(err) != GossipIgnore {
		t.Fatalf("usable %t, %v", checked.Usable(), err)
	}
	if got := kinds(b.step(NoticeReceived{At: b.now, Notice: checked})); !strings.HasPrefix(got, "persist testify") {
		t.Errorf("effects: %s", got)
	}
}

func TestClassify(t *testing.T) {
	if Classify(nil) != GossipAccept || Classify(errors.New("whatever")) != GossipReject {
		t.Error("no error is accepted, an unknown one is the sender's fault")
	}
	for class, want := range map[Class]Gossip{
		Invalid: GossipReject, Unknown: GossipIgnore, NotRelevant: GossipIgnore, Duplicate: GossipIgnore, Early: GossipIgnore,
	} {
		if got := Classify(refuse(class, "x")); got != want {
			t.Errorf("class %d: %d", class, got)
		}
	}
}

// A View taken before stays as it was, and can be used while the machine goes on.
func TestViewNeverChanges(t *testing.T) {
	b := newBench(t)
	before := b.machine.View()
	var wait sync.WaitGroup
	for i := 1; i < 4; i++ {
		n := b.commitOf(i, Accept)
		wait.Go(func() {
			for range 20 {
				if _, err := before.Check(Key{}, n); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := 1; i < 4; i++ {
		if _, err := b.hear(b.commitOf(i, Accept)); err != nil {
			t.Fatal(err)
		}
	}
	b.look.Status = Decided
	b.see()
	wait.Wait()
	if known, ok := before.Round(b.look.Task, 1); !ok || len(known) != 0 {
		t.Errorf("%v, %t", known, ok)
	}
	if look, _ := before.Case(b.look.Task); look.Status != Committing {
		t.Errorf("%s", look.Status)
	}
	known, _ := b.machine.View().Round(b.look.Task, 1)
	if len(known) != 3 || known[0].Seat != 1 || len(known[0].Commits) != 1 {
		t.Errorf("%+v", known)
	}
}

func TestViewOfWhatIsNotThere(t *testing.T) {
	v := newBench(t).machine.View()
	if _, ok := v.Round(fill(9), 1); ok {
		t.Error("unknown case")
	}
	if _, ok := v.Round(fill(3), 2); ok {
		t.Error("unknown round")
	}
	if _, ok := v.Round(fill(3), 0); ok {
		t.Error("round 0")
	}
	if _, ok := v.Case(fill(9)); ok {
		t.Error("unknown case")
	}
}
