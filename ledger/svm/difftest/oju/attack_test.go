package oju_test

import (
	"math"
	"slices"
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/difftest"
	"ojud/voting"
)

// These tests make the attacks of our own list (docs/attacks.md). TestSubstitution tries wrong
// accounts one by one.

// TestAttackReinitialisation: an existing account is not made again, even if lamports were sent
// there first.
func TestAttackReinitialisation(t *testing.T) {
	s := alone(t)
	s.cast(7)
	s.deployed("authority")
	s.refused(program.ErrAlreadyExists, s.init())
	s.refused(program.ErrAlreadyExists, s.prog.RegisterAgent(s.at("alice"), program.RegisterAgent{}))
	k := s.contested()
	s.refused(program.ErrWrongAddress, swap(s.create("alice"), 4, k.at))
	s.refused(program.ErrAlreadyExists, swap(s.counter(k), 4, s.prog.Case(k.at)))
	s.ok(s.pull("alice", "bob", 5, forever)...)
	s.refused(program.ErrVoucherSpent, s.pull("alice", "bob", 5, forever)...) // the channel did not begin again
}

// TestAttackClosedAccountRevived: a closed account does not come back, in the same transaction or
// later.
func TestAttackClosedAccountRevived(t *testing.T) {
	s := alone(t)
	s.cast(7)
	k := s.seated()
	s.round(k, all(s.panel(k), voting.Accept))
	s.pass(86_400)
	alice, bob := s.at("alice"), s.at("bob")
	revive := func(at onchain.Address) onchain.Instruction {
		return onchain.Transfer(s.at("payer"), at, 10*sol)
	}
	at := s.prog.Case(k.at)
	s.ok(s.prog.CloseCase(k.at, bob, onchain.Address{}), revive(at)) // closed and funded again before the transaction ends
	if a := s.accounts[at]; len(a.Data) != 0 || onchain.Address(a.Owner) != onchain.SystemProgram() {
		t.Fatalf("the case is there again: %d bytes of %s", len(a.Data), a.Owner)
	}
	s.refused(program.ErrWrongOwner, s.settle(k))
	s.refused(program.ErrWrongOwner, s.prog.CloseCase(k.at, bob, onchain.Address{}))
	s.refused(program.ErrWrongStatus, s.counter(k)) // no second case for the task
	s.ok(s.prog.CloseTask(k.at, alice, s.under(k)), revive(k.at))
	s.refused(program.ErrWrongOwner, s.claim(k, "carol", 0))
	if next := s.next("alice").at; next == k.at {
		t.Error("the next task has the address of the closed one")
	}
}

// TestAttackArithmeticAtTheEdges uses amounts, times and numbers at the ends of their ranges.
func TestAttackArithmeticAtTheEdges(t *testing.T) {
	s := alone(t)
	s.cast(7, func(p *program.Params) { p.MaxSeatWeight = 1 << 50 })
	alice, most := s.at("alice"), uint64(math.MaxUint64)
	s.refused(program.ErrOverflow, s.prog.Deposit(alice, alice, program.Deposit{Amount: most}))
	s.refused(program.ErrZeroAmount, s.prog.Deposit(alice, alice, program.Deposit{}))
	s.refused(program.ErrNotEnoughInVault, s.prog.Withdraw(alice, program.Withdraw{Amount: most}))
	s.refused(program.ErrOverflow, s.prog.TopUp(s.at("j0"), program.TopUp{Amount: most}))
	s.refused(program.ErrNotEnoughInVault, s.create("alice", func(c *program.CreateTask) { c.RewardMin, c.RewardMax = most, most }))
	s.refused(program.ErrBadReward, s.create("alice", func(c *program.CreateTask) { c.RewardMin = most }))
	s.refused(program.ErrBadDuration, s.create("alice", func(c *program.CreateTask) { c.WorkSeconds = math.MaxUint32 }))
	s.refused(program.ErrBadDuration, s.create("alice", func(c *program.CreateTask) { c.ClaimBy = math.MinInt64 }))
	s.refused(program.ErrBadConfig, s.announce(func(p *program.Params) { p.MaxSeatWeight = most }))
	s.refused(program.ErrBadConfig, s.announce(func(p *program.Params) { p.EvidenceSeconds = math.MaxUint32 }))
	// The largest possible weights: 7 seats of 2^50, whose products do not fit in 64 bits.
	for i := range 7 {
		s.fund(judgeName(i), 1<<51)
		s.ok(s.prog.TopUp(s.at(judgeName(i)), program.TopUp{Amount: 1<<50 - 1}))
	}
	before := s.lamports()
	k := s.seated()
	v := all(s.panel(k), voting.Accept)
	v["j0"] = voting.Reject
	s.round(k, v)
	same(t, "verdict", s.caseOf(k).Verdict, voting.ForWorker)
	same(t, "a vote earns its pay, whatever it weighs", s.caseOf(k).Seats[s.seat(k, "j0")].Earned, uint64(pay))
	fees := before - s.lamports()
	same(t, "lamports made", fees%5_000, 0)
}

// TestAttackRentDrained: no call brings an account of the program below its rent.
func TestAttackRentDrained(t *testing.T) {
	s := alone(t)
	s.cast(7)
	alice := s.at("alice")
	s.refused(program.ErrNotEnoughInVault, s.prog.Withdraw(alice, program.Withdraw{Amount: s.vault("alice") + 1}))
	s.ok(s.prog.Withdraw(alice, program.Withdraw{Amount: s.vault("alice")}))
	agent := s.prog.Agent(alice)
	same(t, "the empty vault's account", s.accounts[agent].Lamports, s.env.Rent.MinimumBalance(program.AgentSize))
	s.ok(onchain.Transfer(s.at("payer"), agent, sol)) // lamports from outside do not count
	s.refused(program.ErrNotEnoughInVault, s.prog.Withdraw(alice, program.Withdraw{Amount: 1}))
	k := s.seatedBy("carol")
	s.round(k, all(s.panel(k), voting.Reject))
	for i := range 7 {
		if s.entry(judgeName(i)).Rewards > 0 {
			s.ok(s.reward(judgeName(i)))
		}
		s.refused(program.ErrNothingToClaim, s.reward(judgeName(i)))
	}
	r := s.roster()
	rent := s.env.Rent.MinimumBalance(program.RosterSize(len(r.Entries)))
	same(t, "roster", s.accounts[s.prog.Roster()].Lamports, rent+r.TotalStake+r.TotalRewards)
}

// seatedBy returns a case of another creator.
func (s *scene) seatedBy(creator string) task {
	s.t.Helper()
	k := s.next(creator)
	s.ok(s.create(creator))
	s.ok(s.claim(k, "bob", 0))
	k.worker = "bob"
	s.ok(s.start(k))
	s.ok(s.submit(k))
	s.ok(s.object(k))
	s.ok(s.counter(k))
	s.draw(k)
	return k
}

// TestAttackPayeeSwapped: every payment goes to the wallet that the account names.
func TestAttackPayeeSwapped(t *testing.T) {
	s := alone(t)
	s.cast(7)
	k := s.seated()
	s.round(k, all(s.panel(k), voting.Accept))
	mallory := s.fund("mallory", sol)
	claim := s.reward("j0")
	s.refused(program.ErrNotEnoughAccounts, swap(claim, 1, mallory))
	s.refused(program.ErrNotOnRoster, s.prog.ClaimReward(mallory, mallory, program.ClaimReward{Judge: mallory}))
	s.pass(86_400)
	s.refused(program.ErrWrongAddress, s.prog.CloseCase(k.at, s.at("alice"), onchain.Address{}))
	s.refused(program.ErrWrongAddress, s.prog.CloseTask(k.at, mallory, s.under(k)))
	s.refused(program.ErrNotAuthority, swap(s.prog.Withdraw(s.at("alice"), program.Withdraw{Amount: 1}), 0, mallory))
	s.refused(program.ErrNotAuthority, swap(s.leave("j0"), 0, mallory))
	v := s.pull("alice", "bob", 5, forever)
	s.refused(program.ErrBadVoucher, v[0], swap(swap(v[1], 3, s.prog.Agent(s.at("carol"))), 4, s.prog.Channel(s.at("alice"), s.at("carol"))))
}

// TestAttackDrawGroundByTiming: the sender and the time of the draw do not change the panel, and it
// cannot be drawn again.
func TestAttackDrawGroundByTiming(t *testing.T) {
	s := alone(t)
	s.cast(12, func(p *program.Params) { p.PanelSeats = 7 })
	k := s.contested()
	s.refused(program.ErrTooEarly, s.prog.Draw(k.at)) // the block is not known yet
	s.reach(k)
	block := slices.Clone(s.env.SlotHashes)
	var first, later []string
	s.fork(func() { s.ok(s.prog.Draw(k.at)); first = s.panel(k) })
	s.fork(func() { // 40 slots and other hashes later, by another sender
		s.clock(s.now()+20, s.env.Clock.Slot+40)
		s.blocks(append(hashes(s.env.Clock.Slot-1, 40), block...))
		s.ok(s.prog.Draw(k.at))
		later = s.panel(k)
		s.refused(program.ErrWrongStatus, s.prog.Draw(k.at))
	})
	same(t, "the same panel", slices.Equal(first, later), true)
	// If an attacker waits until the block is forgotten, the draw only picks a new block, which is
	// not known yet.
	s.clock(s.now()+300, s.env.Clock.Slot+700)
	s.blocks(hashes(s.env.Clock.Slot-1, 8))
	s.ok(s.prog.Draw(k.at))
	same(t, "still to be drawn", s.caseOf(k).Status, voting.AwaitingDraw)
	if seed := s.caseOf(k).SeedSlot; seed <= s.env.Clock.Slot {
		t.Errorf("the new block, %d, is known in slot %d", seed, s.env.Clock.Slot)
	}
	s.refused(program.ErrTooEarly, s.prog.Draw(k.at))
}

// TestAttackVoteAfterTheDeadline: a vote is refused from the second of the deadline on, and out of
// order.
func TestAttackVoteAfterTheDeadline(t *testing.T) {
	s := alone(t)
	s.cast(7)
	k := s.seated()
	s.commits(k, votes{"j0": voting.Accept, "j1": voting.Accept})
	s.refused(program.ErrTooEarly, s.reveal(k, 1, "j0", voting.Accept))
	s.until(s.caseOf(k).CommitEnds)
	s.refused(program.ErrTooLate, s.commit(k, 1, "j2", voting.Accept))
	s.ok(s.reveal(k, 1, "j0", voting.Accept))
	s.refused(program.ErrWrongStatus, s.commit(k, 1, "j2", voting.Accept))
	s.refused(program.ErrNotCommitted, s.reveal(k, 1, "j2", voting.Accept))
	s.refused(program.ErrWrongOpening, s.reveal(k, 1, "j1", voting.Reject)) // a changed mind
	s.until(s.caseOf(k).RevealEnds)
	s.refused(program.ErrTooLate, s.reveal(k, 1, "j1", voting.Accept))
	s.ok(s.settle(k))
	s.refused(program.ErrWrongStatus, s.reveal(k, 1, "j1", voting.Accept))
}

// TestAttackStakeMovedMidCase: stake that comes or goes during a round changes no weight, and a
// seat's stake cannot leave.
func TestAttackStakeMovedMidCase(t *testing.T) {
	s := alone(t)
	s.cast(8)
	s.advance(600)
	k := s.seated()
	weights := func() (sum uint64) { c := s.caseOf(k); return c.SeatedWeight + c.AcceptWeight + c.RejectWeight }
	before := weights()
	s.ok(s.prog.TopUp(s.at("j0"), program.TopUp{Amount: 9 * sol}))
	s.ok(s.exit("j1"))
	s.ok(s.join("alice", 9*sol)...)
	s.ok(s.announce(func(p *program.Params) { p.MinStake, p.Absence, p.FeeMin = 2*sol, 40, sol/100 }))
	same(t, "weights", weights(), before)
	s.refused(program.ErrStakeLocked, s.leave("j1"))
	v := all(s.panel(k), voting.Accept)
	delete(v, "j0")
	s.vote(k, v)
	s.until(s.caseOf(k).RevealEnds)
	s.ok(s.settle(k))
	same(t, "slashed by the old rules", s.entry("j0").Stake, 10*sol-2*pay)
}

// TestAttackHeavySeatByNewRules: the authority raises the limit of seats for a rich judge that is
// its own. In the case of an older task the judge's seat weighs as much as the others', not twice
// as much.
func TestAttackHeavySeatByNewRules(t *testing.T) {
	s := alone(t)
	s.cast(8, func(p *program.Params) { p.MaxSeatWeight = sol })
	k := s.created()
	s.enact(func(p *program.Params) { p.MaxSeatWeight = 2 * sol })
	s.ok(s.topUp("j0", 7*sol))
	s.ok(s.season())
	same(t, "the season's weight", s.entry("j0").Weight, 2*sol)
	s.ok(s.claim(k, "bob", 0))
	k.worker = "bob"
	s.ok(s.start(k))
	s.ok(s.submit(k))
	s.ok(s.object(k))
	s.ok(s.counter(k))
	s.draw(k)
	for _, seat := range s.caseOf(k).Seats {
		same(t, "the weight of "+s.names[seat.Judge], seat.Weight, sol)
	}
}

// TestAttackSettleAndClaimTwice: nothing is paid twice.
func TestAttackSettleAndClaimTwice(t *testing.T) {
	s := alone(t)
	s.cast(7)
	k := s.seated()
	v := all(s.panel(k), voting.Accept)
	s.vote(k, v)
	before := s.vault("bob")
	s.no(program.ErrWrongStatus, s.settle(k), s.settle(k)) // twice in one transaction: neither
	same(t, "vault", s.vault("bob"), before)
	s.ok(s.settle(k))
	s.refused(program.ErrWrongStatus, s.settle(k))
	s.refused(program.ErrWrongStatus, s.expireCase(k))
	s.refused(program.ErrWrongStatus, s.accept(k))
	s.refused(program.ErrWrongStatus, s.expire(k))
	claim := s.reward("j0")
	s.ok(claim)
	s.refused(program.ErrNothingToClaim, claim)
	s.ok(s.slash(k, 1, "j1")...)
	s.refused(program.ErrEquivocated, s.slash(k, 1, "j1")...)
	free := s.created()
	s.ok(s.prog.CancelTask(s.at("alice"), free.at))
	s.refused(program.ErrWrongStatus, s.prog.CancelTask(s.at("alice"), free.at))
}

// TestAttackRosterFilledByOneOperator: seats cost stake, and the weight of a panel is the weight of
// the stake, however it is split. A full Roster is full only for a while, because an entry costs
// its stake, and a judge that leaves frees it.
func TestAttackRosterFilledByOneOperator(t *testing.T) {
	s := alone(t)
	s.cast(7, func(p *program.Params) { p.MaxJudges = 10 })
	boss := s.at("boss")
	for _, name := range []string{"s0", "s1", "s2"} {
		s.fund(name, 20*sol)
		s.refused(program.ErrStakeTooSmall, s.joinAs(name, name, sol-1, boss)...)
		s.ok(s.joinAs(name, name, sol, boss)...)
	}
	s.fund("late", 20*sol)
	s.refused(program.ErrRosterFull, s.join("late", 10*sol)...)
	s.ok(s.prog.UpdateAgent(s.at("alice"), onchain.Address{}, program.UpdateAgent{Operator: boss}))
	k := s.seated() // in a case of the operator's own, none of its judges sits
	for _, name := range []string{"s0", "s1", "s2"} {
		s.refused(program.ErrNotSeated, s.commit(k, 1, name, voting.Accept))
	}
	s.enact(func(p *program.Params) { p.MaxJudges = 512 }) // the court can make room
	s.ok(s.join("late", 10*sol)...)
}

// TestAttackGriefingByBonds: each dispute costs its author a bond. No party can be forced to pay a
// bond, and it cannot be lost by silence of the other side.
func TestAttackGriefingByBonds(t *testing.T) {
	s := alone(t)
	s.cast(7)
	alice, bob := s.vault("alice"), s.vault("bob")
	k := s.verified()
	s.refused(program.ErrNotCreator, swap(swap(s.object(k), 0, s.at("mallory")), 2, s.prog.Agent(s.at("alice"))))
	s.refused(program.ErrWrongAddress, swap(s.object(k), 2, s.prog.Agent(s.at("carol")))) // with another agent's money
	s.ok(s.object(k))
	s.refused(program.ErrWrongAddress, swap(s.counter(k), 2, s.prog.Agent(s.at("carol"))))
	same(t, "posted", s.vault("alice"), alice-sol-creatorBond)
	s.ok(s.rework(k)) // the worker gives in: the creator gets its bond back
	same(t, "back", s.vault("alice"), alice-sol)
	s.ok(s.submit(k))
	s.ok(s.object(k))
	s.ok(s.counter(k))
	s.pass(1_800) // no judge is drawn in time: who profits pays, here half of each bond
	s.ok(s.expireCase(k))
	same(t, "creator", s.vault("alice"), alice-sol+sol/2-creatorBond/2)
	same(t, "worker", s.vault("bob"), bob+earned/2-workerBond/2)
	small := s.disputed(func(c *program.CreateTask) { c.RewardMin, c.RewardMax = 1_000_000, 1_000_000 })
	same(t, "never less than the fees of two panels", s.taskOf(small).CreatorBond, 56*2*pay)
}

// TestAttackCranksStarved: if parties and judges do nothing, an outsider brings every task to its
// end, also while the court is paused.
func TestAttackCranksStarved(t *testing.T) {
	s := alone(t)
	s.cast(7)
	open := []task{
		s.created(func(c *program.CreateTask) { c.ClaimBy = s.now() + 9 }), s.claimed(func(c *program.CreateTask) { c.ClaimBy = s.now() + 9 }),
		s.verified(), s.disputed(), s.contested(), s.seated(),
	}
	s.ok(s.pause(1))
	for n := 0; len(open) > 0; n++ {
		if n == 20 {
			t.Fatalf("%d tasks do not end", len(open))
		}
		s.pass(28_800)
		open = slices.DeleteFunc(open, func(k task) bool {
			switch got := s.taskOf(k); {
			case got.Status.Over():
				return true
			case got.Status != program.Judiciary:
				if got.Worker.IsZero() {
					k.worker = ""
				}
				s.ok(s.expire(k))
			case s.caseOf(k).Status == voting.AwaitingDraw:
				s.ok(s.expireCase(k))
			default:
				s.ok(s.settle(k))
			}
			return false
		})
	}
}

// TestAttackVoteCopiedAndReplayed: a commitment is valid for one judge, one round, one task.
func TestAttackVoteCopiedAndReplayed(t *testing.T) {
	s := alone(t)
	s.cast(7)
	k, other := s.seated(), s.seatedBy("carol")
	opening := s.opening(k, 1, "j0", voting.Accept)
	copied := program.Commit{Round: 1, Commitment: s.domain().Commitment(voting.Key(k.at), 1, voting.Key(s.at("j0")), opening)}
	s.ok(s.commitment(k, "j0", copied))
	s.ok(s.commitment(k, "j1", copied))     // a judge can copy it,
	s.ok(s.commitment(other, "j0", copied)) // or submit it elsewhere,
	s.until(s.caseOf(other).CommitEnds)
	s.refused(program.ErrWrongOpening, s.prog.Reveal(k.at, s.at("j1"), 1, opening)) // but cannot open it
	s.refused(program.ErrWrongOpening, s.prog.Reveal(other.at, s.at("j0"), 1, opening))
	s.ok(s.prog.Reveal(k.at, s.at("j0"), 1, opening))
	s.refused(program.ErrAlreadyRevealed, s.prog.Reveal(k.at, s.at("j0"), 1, opening))
	s.refused(program.ErrWrongRound, s.prog.Reveal(k.at, s.at("j0"), 2, opening))
}

// TestAttackEvidenceForged: no judge is slashed for statements that it did not sign, or signed
// elsewhere.
func TestAttackEvidenceForged(t *testing.T) {
	s := alone(t)
	s.cast(7)
	k, other := s.seated(), s.seatedBy("carol")
	good := s.slash(k, 1, "j0")
	one, two := s.said(k, 1, "j0", "one"), s.said(k, 1, "j0", "two")
	foreign := voting.Domain{Network: hash("another network"), Program: voting.Key(s.prog.ID())}
	elsewhere := says("j0", foreign.Statement(voting.Key(k.at), 1, voting.Key(s.at("j0")), hash("two")))
	for _, evidence := range []onchain.Instruction{
		{}, program.Ed25519(one), program.Ed25519(one, one), program.Ed25519(one, elsewhere), program.Ed25519(one, s.said(other, 1, "j0", "two")),
		program.Ed25519(one, s.said(k, 2, "j0", "two")), program.Ed25519(one, says("j1", two.Message)), program.Ed25519(one, two, two),
	} {
		s.refused(program.ErrBadEvidence, slashWith(good, evidence)...)
	}
	forged := difftest.Address("not the sysvar")
	s.refused(program.ErrWrongOwner, good[0], swap(good[1], 4, onchain.Address(forged)))
}
