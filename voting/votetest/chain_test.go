package votetest_test

import (
	"crypto/ed25519"
	"errors"
	"testing"

	"ojud/voting"
	"ojud/voting/rules"
	"ojud/voting/votetest"
)

// court is a chain with a drawn case of four judges.
type court struct {
	*testing.T
	votetest.Chain
	task   voting.Key
	keys   []ed25519.PrivateKey
	judges []voting.Key
}

func newCourt(t *testing.T) *court {
	t.Helper()
	law := votetest.DefaultLaw()
	law.Rules.MinSeats = 3
	c := &court{T: t, task: voting.Key{1}, Chain: votetest.Chain{
		Law: law, Domain: voting.Domain{Network: voting.Hash{2}, Program: voting.Key{3}}, Now: 1_000, Slot: 1_000,
	}}
	for i := range byte(4) {
		key := ed25519.NewKeyFromSeed(append(make([]byte, 31), i))
		c.keys, c.judges = append(c.keys, key), append(c.judges, voting.Key{9, i})
		c.Join(c.judges[i], voting.Key(key.Public().(ed25519.PublicKey)), voting.Key{}, 2_000_000_000)
	}
	c.must(c.BeginSeason())
	terms := rules.Terms{Escrow: 1_000_000, CreatorBond: 50_000, WorkerBond: 50_000, OnUndecided: voting.SplitEscrow}
	c.must(c.Open(c.task, voting.Parties{Creator: voting.Key{7}, Worker: voting.Key{8}}, terms))
	c.Slot += 10
	c.must(c.Draw(c.task))
	return c
}

func (c *court) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// refused checks that the program refuses with that error of protocol section 8.
func (c *court) refused(name string, err error) {
	c.Helper()
	var r *votetest.Refusal
	if !errors.As(err, &r) || r.Name != name {
		c.Errorf("%v, want %s", err, name)
	}
}

func (c *court) opening(i int, choice voting.Choice) voting.Opening {
	return voting.Opening{Choice: choice, Opinion: voting.Hash{1}, Salt: voting.Hash{byte(i + 1)}}
}

func (c *court) commit(i int, choice voting.Choice) error {
	round := c.Task(c.task).Case.Round
	return c.Commit(c.task, round, c.judges[i], c.Domain.Commitment(c.task, round, c.judges[i], c.opening(i, choice)))
}

func (c *court) reveal(i int, choice voting.Choice) error {
	return c.Reveal(c.task, c.Task(c.task).Case.Round, c.judges[i], c.opening(i, choice))
}

func TestCommitRefusals(t *testing.T) {
	c := newCourt(t)
	c.refused("WrongRound", c.Commit(c.task, 2, c.judges[0], voting.Hash{1}))
	c.refused("NotSeated", c.Commit(c.task, 1, voting.Key{99}, voting.Hash{1}))
	c.must(c.commit(0, voting.Accept))
	c.refused("AlreadyCommitted", c.commit(0, voting.Reject))
	c.refused("TooEarly", c.reveal(0, voting.Accept))
	c.Now += 420
	c.refused("TooLate", c.commit(1, voting.Accept))
	c.refused("WrongStatus", c.Commit(voting.Key{99}, 1, c.judges[0], voting.Hash{1}))
}

func TestRevealRefusals(t *testing.T) {
	c := newCourt(t)
	c.must(c.commit(0, voting.Accept))
	c.Now += 420
	c.refused("WrongOpening", c.reveal(0, voting.Reject))
	c.refused("NotCommitted", c.reveal(1, voting.Accept))
	c.refused("BadChoice", c.reveal(0, voting.NoChoice))
	c.must(c.reveal(0, voting.Accept))
	c.refused("AlreadyRevealed", c.reveal(0, voting.Accept))
	c.Now += 180
	c.refused("TooLate", c.reveal(0, voting.Accept))
}

// The reveal starts at once when all have committed, and settling when all have revealed.
func TestEarlyPhases(t *testing.T) {
	c := newCourt(t)
	for i := range 4 {
		if s := c.Task(c.task).Case.Status; s != voting.Committing {
			t.Fatalf("%s after %d commits", s, i)
		}
		c.must(c.commit(i, voting.Accept))
	}
	k := &c.Task(c.task).Case
	if k.Status != voting.Revealing || k.CommitEnds != c.Now || k.RevealEnds != c.Now+180 {
		t.Fatalf("%s until %d", k.Status, k.RevealEnds)
	}
	for i := range 4 {
		c.refused("NotYetSettleable", c.Settle(c.task))
		c.must(c.reveal(i, voting.Accept))
	}
	c.must(c.Settle(c.task))
	c.refused("WrongStatus", c.Settle(c.task))
	if got := c.Task(c.task); got.Case.Verdict != voting.ForWorker || got.WorkerPaid != 1_050_000 {
		t.Errorf("%s, worker got %d", got, got.WorkerPaid)
	}
}

// A slot hash that nobody used in time is forgotten by the chain: the draw takes a later one.
func TestDrawMovesTheSeedSlot(t *testing.T) {
	c := newCourt(t)
	second := voting.Key{5}
	c.must(c.Open(second, voting.Parties{Creator: voting.Key{7}, Worker: voting.Key{8}}, rules.Terms{OnUndecided: voting.PayWorker}))
	c.refused("TooEarly", c.Draw(second))
	seed := c.Task(second).Case.SeedSlot
	c.Slot += 600
	c.must(c.Draw(second))
	k := c.Task(second).Case
	if k.Status != voting.AwaitingDraw || k.SeedSlot != c.Slot+2 || k.SeedSlot == seed {
		t.Fatalf("%s, seed slot %d", k.Status, k.SeedSlot)
	}
	c.Slot += 20
	c.must(c.Draw(second))
	if k := c.Task(second).Case; k.Status != voting.Committing || k.DrawnSlot < k.SeedSlot {
		t.Errorf("%s, drawn from %d", k.Status, k.DrawnSlot)
	}
}

// A season that begins at the seed slot or later changes no panel, because somebody may know the
// block then. One that the model has forgotten moves the seed slot.
func TestDrawSeesTheSeasonOfItsSeed(t *testing.T) {
	c := newCourt(t)
	c.refused("SeasonRuns", c.BeginSeason())
	second := voting.Key{5}
	c.must(c.Open(second, voting.Parties{Creator: voting.Key{7}, Worker: voting.Key{8}}, rules.Terms{OnUndecided: voting.PayWorker}))
	seed := c.Task(second).Case.SeedSlot
	season := func() {
		t.Helper()
		c.Slot, c.Now = c.Slot+uint64(c.Law.Rules.DrawDelaySlots), c.Now+int64(c.Law.SeasonSeconds)
		c.State.Roster.Now.Slot = 1 // the blocks were slow
		c.must(c.BeginSeason())
	}
	for i := range c.judges {
		c.State.Roster.Entries[i].Stake += 1_000_000_000
	}
	season()
	weights := func(seed uint64) (all []uint64) {
		for _, e := range c.State.Roster.Candidates(seed) {
			all = append(all, e.Stake)
		}
		return all
	}
	if before, after := weights(seed), weights(seed+1); len(before) != 4 || before[0] != 2_000_000_000 || after[0] != 3_000_000_000 {
		t.Errorf("%d, then %d", before, after)
	}
	season()
	c.State.Roster.Before.Slot = c.Slot
	c.must(c.Draw(second))
	if k := c.Task(second).Case; k.Status != voting.AwaitingDraw || k.SeedSlot != c.Slot+2 {
		t.Errorf("%s, seed slot %d", k.Status, k.SeedSlot)
	}
}

func TestExpireCase(t *testing.T) {
	c := newCourt(t)
	second := voting.Key{5}
	c.must(c.Open(second, voting.Parties{}, rules.Terms{Escrow: 9, OnUndecided: voting.SplitEscrow}))
	c.refused("TooEarly", c.ExpireCase(second))
	c.refused("WrongStatus", c.ExpireCase(c.task))
	c.Now += 1_800
	c.must(c.ExpireCase(second))
	if got := c.Task(second); got.Case.Verdict != voting.Undecided || got.WorkerPaid != 4 || got.CreatorPaid != 5 {
		t.Errorf("%s, worker %d, creator %d", got, got.WorkerPaid, got.CreatorPaid)
	}
}

func (c *court) evidence(i int) voting.Evidence {
	k := &c.Task(c.task).Case
	seat := k.Seats[k.SeatOf(c.judges[i])]
	sign := func(h voting.Hash) voting.Signed {
		return voting.Signed{Commitment: h, Signature: voting.Signature(ed25519.Sign(c.keys[i], c.Domain.Statement(c.task, k.Round, c.judges[i], h)))}
	}
	return voting.Evidence{
		Task: c.task, Round: k.Round, Judge: c.judges[i], Peer: seat.Peer, A: sign(voting.Hash{1}), B: sign(voting.Hash{2}),
	}
}

// When the only seat that has not committed is shown to equivocate, no seat is left that could: the
// reveal begins.
func TestSlashBeginsTheReveal(t *testing.T) {
	c := newCourt(t)
	for i := range 3 {
		c.must(c.commit(i, voting.Accept))
	}
	e := c.evidence(3)
	c.must(c.SlashEquivocation(e))
	if s := c.Task(c.task).Case.Status; s != voting.Revealing {
		t.Errorf("%s", s)
	}
	c.refused("Equivocated", c.SlashEquivocation(e))
	forged := c.evidence(2)
	forged.B = forged.A
	c.refused("BadEvidence", c.SlashEquivocation(forged))
}

// After the commits have ended, a slash must not begin the reveal anew and give time to those who
// let it pass.
func TestSlashDoesNotReopen(t *testing.T) {
	c := newCourt(t)
	for i := range 3 {
		c.must(c.commit(i, voting.Accept))
	}
	ends := c.Task(c.task).Case.RevealEnds
	c.Now = ends + 5
	c.must(c.SlashEquivocation(c.evidence(3)))
	if k := c.Task(c.task).Case; k.RevealEnds != ends {
		t.Errorf("reveals end at %d instead of %d", k.RevealEnds, ends)
	}
}

func TestExitAndWithdraw(t *testing.T) {
	c := newCourt(t)
	before := c.State.Lamports()
	c.refused("NotExiting", c.WithdrawStake(0))
	c.must(c.BeginExit(0))
	c.refused("AlreadyExiting", c.BeginExit(0))
	c.Now += 172_800
	c.refused("StakeLocked", c.WithdrawStake(0)) // its round is not settled
	c.must(c.Settle(c.task))
	c.refused("StakeLocked", c.WithdrawStake(0)) // what it signed may still be shown
	c.Now += int64(c.Task(c.task).Case.Rules.EvidenceSeconds)
	for range 2 { // it weighs in its season, and then in the one before
		c.refused("SeasonRuns", c.WithdrawStake(0))
		c.Now, c.Slot = c.Now+int64(c.Law.SeasonSeconds), c.Slot+513
		c.must(c.BeginSeason())
	}
	c.must(c.WithdrawStake(0))
	c.refused("NothingToClaim", c.Claim(c.judges[0]))
	if c.State.Lamports() != before {
		t.Errorf("%d lamports became %d", before, c.State.Lamports())
	}
}

// A clone does not change when its original does.
func TestCloneIsDeep(t *testing.T) {
	c := newCourt(t)
	clone := c.State.Clone()
	c.must(c.commit(0, voting.Accept))
	c.State.Roster.Entries[0].Stake = 0
	c.State.Wallets[0] = 5
	k := &clone.Tasks[0].Case
	if k.Seats[k.SeatOf(c.judges[0])].Committed || clone.Roster.Entries[0].Stake == 0 || clone.Wallets[0] != 0 {
		t.Error("it changed")
	}
}
