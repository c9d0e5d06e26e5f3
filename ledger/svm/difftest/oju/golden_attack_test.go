package oju_test

import (
	"slices"
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// wealth is what a judge has on the Roster.
func (s *scene) wealth(names ...string) (sum int64) {
	for _, name := range names {
		e := s.entry(name)
		sum += int64(e.Stake + e.Rewards)
	}
	return sum
}

// purse is what the two parties and the proctor of golden cases have together.
func (s *scene) purse() int64 {
	return int64(s.vault("alice") + s.vault("bob") + s.accounts[s.at("pat")].Lamports)
}

// TestAttackLyingProctor: a proctor commits to false answers, and its judge alone gives them. It
// would take 20 fees from each honest seat. A challenge, which anybody can bring for a bond and get
// back, costs it the deposit: 560 fees for each leaf. No judge loses a lamport.
func TestAttackLyingProctor(t *testing.T) {
	for _, challenged := range []bool{false, true} {
		s := alone(t)
		s.proctored(28)
		honest := []string{"j1", "j2", "j3", "j4", "j5"}
		before, purse := s.wealth(honest...), s.purse()
		b := s.batched(voting.Accept, voting.Reject) // the truth is the other way round
		for i, l := range b.leaves {
			s.judge(b, i, func(panel []string) votes {
				v := all(panel, 3-l.Answer)
				v["j0"] = l.Answer
				return v
			})
		}
		s.openAll(b)
		if challenged {
			s.agent("dave", onchain.Address{})
			askers := s.vault("carol") + s.vault("dave")
			k := s.challenged(b, 0, voting.Accept, half)
			s.refused(program.ErrNotFalse, s.uphold(b, 0, k)) // the proctor may appeal
			s.pass(3_600)
			s.ok(s.finish(k, ""))
			s.ok(s.uphold(b, 0, k))
			same(t, "the challengers: a tenth of the deposit, less a bond and the trade fee", s.vault("carol")+s.vault("dave")-askers, risk/5-42*2*pay-sol/1_000)
			s.pass(14_400)
			s.refused(program.ErrWrongOwner, s.apply(b, 1))
			if lost := s.purse() - purse; lost > -2*risk {
				t.Errorf("proctor and parties: %+d lamports", lost)
			}
			if now := s.wealth(honest...); now <= before {
				t.Errorf("honest judges lost %d", before-now)
			}
			t.Logf("challenged: proctor and parties %+d, five honest judges %+d lamports", s.purse()-purse, s.wealth(honest...)-before)
			continue
		}
		s.pass(14_400)
		for i := range b.leaves {
			s.ok(s.apply(b, i))
		}
		same(t, "five honest judges, two leaves", s.wealth(honest...)-before, -5*2*(40*pay-pay))
	}
}

// TestAttackFeeForNobody: a proctor posts golden cases that nobody judges, such as those of two
// parties whose judges all abstain. Each earned it 0.028 SOL from the golden pot, and said nothing
// about any judge. Now it earns by votes for a side.
func TestAttackFeeForNobody(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	b := s.batched(voting.Accept, voting.Reject)
	purse := s.purse()
	s.judge(b, 0, voteAll(b.leaves[0].Answer))
	s.judge(b, 1, voteAll(voting.Abstain))
	s.draw(b.tasks[1])
	s.round(b.tasks[1], all(s.panel(b.tasks[1]), voting.Abstain))
	s.openAll(b)
	s.pass(14_400)
	for i, fee := range []uint64{56 * pay, 0} {
		earned, pot := s.batchOf(b).Earned, s.pot().Golden
		s.ok(s.apply(b, i))
		same(t, "the fee", s.batchOf(b).Earned-earned, fee)
		if i == 1 {
			same(t, "the golden pot", s.pot().Golden, pot)
			same(t, "seen", s.entry("j1").Seen, 2)
		}
	}
	t.Logf("proctor and parties: %+d lamports", s.purse()-purse)
}

// TestAttackSelectiveOpening: a proctor opens only the leaf in which rivals erred, to drop their
// records. Nothing is applied, and the deposit goes to the Pot.
func TestAttackSelectiveOpening(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	b := s.batched(voting.Accept, voting.Reject)
	s.judge(b, 0, voteAll(voting.Reject)) // wrong
	s.judge(b, 1, voteAll(voting.Reject)) // right
	s.ok(s.openLeaf(b, 0))
	s.refused(program.ErrLeafOpen, s.openLeaf(b, 0)) // it would count for the other one
	s.refused(program.ErrBatchIncomplete, s.apply(b, 0))
	s.pass(43_200)
	s.refused(program.ErrTooLate, s.openLeaf(b, 1))
	s.refused(program.ErrBatchIncomplete, s.apply(b, 0))
	pot := s.pot().Golden
	s.ok(s.closeBatch(b))
	same(t, "the Pot", s.pot().Golden-pot, 2*risk)
	same(t, "the record of a rival", s.entry("j1").Seen, 0)
}

// TestAttackLateOpening: a proctor opens its lie in the last second, so that nobody has the time to
// check it. The time to challenge begins then.
func TestAttackLateOpening(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	b := s.batched(voting.Accept, voting.Reject)
	s.rightly(b)
	s.ok(s.openLeaf(b, 0))
	s.until(s.batchOf(b).OpenBy - 1)
	s.ok(s.openLeaf(b, 1))
	s.pass(14_399)
	s.refused(program.ErrTooEarly, s.apply(b, 0))
	s.ok(s.uphold(b, 1, s.challenged(b, 1, voting.Accept)))
}

// TestAttackVoidByChoice: a proctor whose judges erred declares the leaf void. A leaf whose
// documents are on the chain counts: its case must be passed, and be over.
func TestAttackVoidByChoice(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	b := s.batched(voting.Accept, voting.Reject)
	k := s.seated(b.sealed(0))
	s.refused(program.ErrWrongStatus, s.openLeaf(b, 0))
	s.refused(program.ErrNotEnoughAccounts, cut(s.openLeaf(b, 0), 3))
	s.round(k, all(s.panel(k), voting.Reject))
	s.refused(program.ErrNotEnoughAccounts, cut(s.openLeaf(b, 0), 3))
	s.refused(program.ErrNotInBatch, swap(s.openLeaf(b, 0), 2, onchain.Address{1})) // an empty account instead of the task
	s.ok(s.openLeaf(b, 0))
	same(t, "void", s.batchOf(b).Void, 0)
}

// TestAttackLeafPostedTwice: a proctor posts one leaf as two tasks, and opens the one in which its
// judges sat. The leaf names one address.
func TestAttackLeafPostedTwice(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	b := s.batched(voting.Accept, voting.Reject)
	s.judge(b, 0, voteAll(voting.Reject))
	s.ok(s.prog.CancelTask(s.at("alice"), s.created().at)) // the number of the second leaf
	again := s.seated(b.sealed(0))
	s.round(again, all(s.panel(again), voting.Accept))
	i := swap(swap(s.openLeaf(b, 0), 2, again.at), 3, s.prog.Case(again.at))
	s.refused(program.ErrNotInBatch, i)
}

// TestAttackVotesKnownFirst: a proctor commits when the votes are known, and keeps what it likes.
// A task that is older than its batch makes the leaf void, and voids cost the deposit.
func TestAttackVotesKnownFirst(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	b := s.drawn(voting.Accept, voting.Reject)
	s.rightly(b)
	s.ok(s.commitBatch(b))
	for i := range b.leaves {
		s.refused(program.ErrNotEnoughAccounts, cut(s.openLeaf(b, i), 2))
		s.ok(s.openLeaf(b, i))
	}
	same(t, "void", s.batchOf(b).Void, 2)
	s.pass(14_400)
	s.refused(program.ErrNotGolden, s.apply(b, 0))
	pot := s.pot().Golden
	s.ok(s.closeBatch(b))
	same(t, "the Pot", s.pot().Golden-pot, 2*risk)
}

// TestAttackStrangerClaims: a stranger claims a proctor's task. The leaf is void: no seat earns or
// loses by an answer to another result.
func TestAttackStrangerClaims(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	b := s.batched(voting.Accept, voting.Reject)
	k := s.created(b.sealed(0))
	s.ok(s.claim(k, "carol", 0))
	k.worker = "carol"
	s.ok(s.start(k))
	s.ok(s.prog.SubmitResult(s.at("carol"), s.at("alice"), k.at, s.under(k), program.SubmitResult{ResultHash: hash("the work of carol")}))
	s.ok(s.object(k))
	s.ok(s.counter(k))
	s.draw(k)
	s.round(k, all(s.panel(k), voting.Reject))
	s.ok(s.openLeaf(b, 0))
	same(t, "void", s.batchOf(b).Void, 1)
	same(t, "golden", s.caseOf(k).Golden, 0)
	s.refused(program.ErrNotGolden, s.apply(b, 0))
}

// TestAttackStrangerBurnsADeposit: a stranger claims one task of a batch, and the whole deposit
// goes to the Pot: 4.48 SOL with eight leaves. From eight leaves on, one void leaf costs
// nothing, whatever its answer was. With fewer it leaves 60 % of one answer or more.
func TestAttackStrangerBurnsADeposit(t *testing.T) {
	answers := []voting.Choice{1, 2, 1, 2, 1, 2, 1, 2, 1, 2}
	for _, leaves := range []int{4, 6, 8, 10} {
		s := alone(t)
		s.proctored(7)
		b := s.batched(answers[:leaves]...)
		for i := range leaves - 1 {
			s.judge(b, i, voteAll(b.leaves[i].Answer))
		}
		k := s.created(b.sealed(leaves - 1))
		s.ok(s.claim(k, "carol", 0))
		s.openAll(b)
		same(t, "void", s.batchOf(b).Void, 1)
		s.pass(14_400)
		pot := s.pot().Golden
		if leaves < 8 {
			s.refused(program.ErrBatchIncomplete, s.apply(b, 0))
			s.ok(s.closeBatch(b))
			same(t, "the deposit", s.pot().Golden-pot, uint64(leaves)*risk)
			continue
		}
		for i := range leaves - 1 {
			s.ok(s.apply(b, i))
		}
		before := s.accounts[s.at("pat")].Lamports
		s.ok(s.closeBatch(b))
		if got := s.accounts[s.at("pat")].Lamports - before; got < uint64(leaves)*risk {
			t.Errorf("of %d leaves one is void, and the proctor gets back %d lamports", leaves, got)
		}
	}
}

// TestAttackPauseForAnIncompleteBatch: a proctor opens only the leaf in which its rivals erred,
// or commits to one answer, and the authority pauses the court for a moment. The deposit, 1.12
// SOL, came back. Now a pause excuses only void leaves, in a batch whose leaves are all open.
func TestAttackPauseForAnIncompleteBatch(t *testing.T) {
	for name, answer := range map[string]voting.Choice{"incomplete": voting.Accept, "of one answer": voting.Reject} {
		s := alone(t)
		s.proctored(7)
		b := s.batched(answer, voting.Reject)
		s.rightly(b)
		s.ok(s.pause(1))
		s.ok(s.openLeaf(b, 1))
		s.ok(s.pause(0))
		if name == "of one answer" {
			s.ok(s.openLeaf(b, 0))
		}
		s.pass(43_200)
		pot := s.pot().Golden
		s.ok(s.closeBatch(b))
		same(t, name, s.pot().Golden-pot, 2*risk)
	}
}

// TestAttackMomentsPauseForVoidLeaves: a proctor whose judges erred posts no task, or has strangers
// claim it, so that leaves are void. A pause of a moment returned the deposit, 1.12 SOL. Now it has
// to take a tenth of the batch's time, and an earlier one does not count.
func TestAttackMomentsPauseForVoidLeaves(t *testing.T) {
	for _, paused := range []int64{0, 4_319, 4_320} {
		s := alone(t)
		s.proctored(7)
		s.ok(s.pause(1))
		s.pass(4_319)
		b := s.batched(voting.Accept, voting.Reject)
		s.ok(s.pause(0))
		s.ok(s.pause(1))
		s.pass(paused - paused/2)
		s.ok(s.pause(0))
		s.pass(1_000)
		s.ok(s.pause(1))
		s.pass(paused / 2)
		s.openAll(b)
		pot := s.pot().Golden
		s.ok(s.closeBatch(b))
		want := uint64(2 * risk)
		if paused == 4_320 {
			want = 0
		}
		same(t, "the Pot's", s.pot().Golden-pot, want)
	}
}

// TestPauseExcusesVoidLeaves: in a pause nobody can make tasks, so the leaves are void. They can
// be opened, and then the deposit comes back.
func TestPauseExcusesVoidLeaves(t *testing.T) {
	for _, during := range []bool{true, false} {
		s := alone(t)
		s.proctored(7)
		b := s.batched(voting.Accept, voting.Reject)
		s.ok(s.pause(1))
		s.pass(4_320)
		s.openAll(b)
		if !during {
			s.ok(s.pause(0))
		}
		pot := s.pot().Golden
		s.ok(s.closeBatch(b))
		same(t, "the Pot", s.pot().Golden, pot)
	}
}

// TestAttackUnbalancedBatch: a proctor's judge always rejects, and so do all leaves. It would gain
// by every case without reading. No such batch is applied.
func TestAttackUnbalancedBatch(t *testing.T) {
	for accepts := range 12 {
		answers := slices.Repeat([]voting.Choice{voting.Reject}, 11)
		for i := range accepts {
			answers[i] = voting.Accept
		}
		fair := accepts == 5 || accepts == 6
		b := program.Batch{Leaves: 11, Opened: 11, Accepts: uint32(accepts)}
		same(t, "fair", b.Fair(), fair)
	}
	s := alone(t)
	s.proctored(7)
	b := s.batched(voting.Reject, voting.Reject)
	s.rightly(b)
	s.openAll(b)
	s.pass(14_400)
	s.refused(program.ErrBatchIncomplete, s.apply(b, 0))
	before := s.wealth("j0")
	s.ok(s.closeBatch(b))
	same(t, "j0", s.wealth("j0"), before)
}

// TestAttackPotEmptied: a proctor whose judges are the whole panel opens cheap leaves until the Pot
// is empty. Right seats get an equal part of what is there, and the last cases pay nothing. It gets
// back what it paid, less fees of transactions.
func TestAttackPotEmptied(t *testing.T) {
	s := alone(t)
	s.proctored(28)
	s.drain()
	var names []string
	for i := range 28 {
		names = append(names, judgeName(i))
	}
	purse, wealth := s.purse(), s.wealth(names...)
	b := s.batched(voting.Accept, voting.Reject, voting.Accept, voting.Reject)
	for i, l := range b.leaves {
		s.judge(b, i, voteAll(l.Answer), cheap)
	}
	s.openAll(b)
	s.pass(14_400)
	for i := range b.leaves {
		s.ok(s.apply(b, i))
	}
	same(t, "the Pot", s.pot().Golden, 0)
	s.ok(s.closeBatch(b))
	got := s.purse() - purse + s.wealth(names...) - wealth
	t.Logf("four leaves of 0.1 SOL, all 28 seats: proctor, parties and judges %+d lamports", got)
	if got > 0 {
		t.Errorf("the proctor with all 28 judges gains %d lamports", got)
	}
}

// cheap is a task that costs its parties the least bond.
func cheap(c *program.CreateTask) { c.RewardMin, c.RewardMax = sol/10, sol/10 }

// drain empties the Pot.
func (s *scene) drain() {
	s.t.Helper()
	pot, a := s.pot(), s.accounts[s.prog.Pot()]
	a.Lamports -= pot.Golden
	s.put(s.prog.Pot(), a)
	pot.Golden = 0
	s.set(s.prog.Pot(), pot)
}

// TestAttackProctorsJudges: a proctor with k judges of its own in each panel of the cheapest cases,
// which cost it the least bond. It gains nothing with up to 5 of 28.
func TestAttackProctorsJudges(t *testing.T) {
	for _, k := range []int{0, 5, 14} {
		s := alone(t)
		s.proctored(28)
		var own []string
		for i := range k {
			own = append(own, judgeName(i))
		}
		purse, wealth := s.purse(), s.wealth(own...)
		b := s.batched(voting.Accept, voting.Reject)
		for i := range b.leaves {
			s.judge(b, i, voteAll(b.leaves[i].Answer), cheap)
		}
		s.openAll(b)
		s.pass(14_400)
		for i := range b.leaves {
			s.ok(s.apply(b, i))
		}
		s.ok(s.closeBatch(b))
		for _, k := range b.tasks { // rent
			s.until(s.caseOf(k).SettledAt + 86_400)
			s.ok(s.prog.CloseCase(k.at, s.at("bob"), onchain.Address{}))
		}
		got := (s.purse() - purse + s.wealth(own...) - wealth) / 2
		t.Logf("%d own judges of 28: %+d lamports a leaf", k, got)
		if k <= 5 && got > 0 {
			t.Errorf("a proctor with %d judges gains %d lamports a leaf", k, got)
		}
	}
}

// TestAttackDepositOutrun: a proctor takes a deposit for small rewards, and posts large ones, so
// that its lie takes more than it loses. A leaf beyond the deposit does not open.
func TestAttackDepositOutrun(t *testing.T) {
	s := alone(t)
	s.proctored(0, func(p *program.Params) { p.MaxSeatWeight = 100 * sol })
	for i := range 7 {
		s.fund(judgeName(i), 100*sol)
		s.ok(s.join(judgeName(i), 50*sol)...)
	}
	s.ok(s.season())
	b := s.batched(voting.Accept, voting.Reject)
	large := func(c *program.CreateTask) { c.RewardMin, c.RewardMax = 20*sol, 20*sol } // a loss of 0.4 SOL a seat
	s.judge(b, 0, voteAll(voting.Accept), large)
	s.refused(program.ErrDepositTooSmall, s.openLeaf(b, 0))
}

// TestAttackPausedChallenge: authority and proctor pause the court, so that nobody can post a
// challenge, and take up to 20 fees of every honest seat when it is over. The time to challenge
// runs again after the pause.
func TestAttackPausedChallenge(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	b := s.batched(voting.Accept, voting.Reject)
	s.rightly(b)
	s.openAll(b)
	s.ok(s.pause(1))
	s.pass(14_400)
	s.refused(program.ErrPaused, s.apply(b, 0))
	s.ok(s.pause(0))
	s.refused(program.ErrTooEarly, s.apply(b, 0))
	s.ok(s.uphold(b, 0, s.challenged(b, 0, voting.Accept)))
}

// TestAttackRulesBetween: a proctor waits for a version of the rules under which cases are closed
// soon, and calls leaves void whose cases are gone. No batch runs into another version.
func TestAttackRulesBetween(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	s.ok(s.announce(func(p *program.Params) { p.BatchSeconds, p.EvidenceSeconds = 0, 60 }))
	s.until(s.law().Until - 43_200)
	s.ok(s.commitBatch(s.drawn(voting.Accept, voting.Reject)))
	s.pass(1)
	s.refused(program.ErrWrongRules, s.commitBatch(s.drawn(voting.Accept, voting.Reject)))
}

// TestAttackTooManyGolden: a proctor with judges of its own commits more golden cases than the
// share of the cases that ended. With a half, two leaves need four cases.
func TestAttackTooManyGolden(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	s.allow(0, 0)
	for n := range 4 {
		s.refused(program.ErrTooManyLeaves, s.commitBatch(s.drawn(voting.Accept, voting.Reject)))
		k := s.seated()
		s.round(k, all(s.panel(k), voting.Accept))
		same(t, "allowance", s.pot().Allowance, uint64(5_000*(n+1)))
	}
	s.batched(voting.Accept, voting.Reject)
	same(t, "allowance", s.pot().Allowance, 0)
}

// TestAttackBatchOfAnother: a stranger's batch, or a case that is not golden, moves money.
func TestAttackBatchOfAnother(t *testing.T) {
	s := alone(t)
	s.proctored(7)
	plain := s.seated()
	s.round(plain, all(s.panel(plain), voting.Accept))
	one := s.batched(voting.Accept, voting.Reject)
	s.rightly(one)
	s.openAll(one)
	two := s.batched(voting.Accept, voting.Reject)
	s.rightly(two)
	s.openAll(two)
	s.pass(14_400)
	s.refused(program.ErrNotGolden, s.prog.BatchCalls(one.number).ApplyLeaf(plain.at))
	s.refused(program.ErrNotGolden, s.prog.BatchCalls(two.number).ApplyLeaf(one.tasks[0].at))
	s.ok(s.apply(one, 0))
	s.refused(program.ErrNotGolden, s.apply(one, 0))
}

// TestAttackLeavesBeforeTheBatch: a judge that was wrong begins to leave at once. It is still there
// when the batch is applied, and pays.
func TestAttackLeavesBeforeTheBatch(t *testing.T) {
	s := alone(t)
	s.proctored(8)
	b := s.batched(voting.Accept, voting.Reject)
	for i, l := range b.leaves {
		s.judge(b, i, func(panel []string) votes {
			v := all(panel, l.Answer)
			if i == 0 {
				v["j0"] = 3 - l.Answer
			}
			return v
		})
		if i == 0 {
			s.ok(s.exit("j0"))
		}
	}
	s.until(s.batchOf(b).OpenBy - 1)
	s.openAll(b)
	s.until(s.batchOf(b).KeepUntil - 1)
	s.refused(program.ErrTooEarly, s.leave("j0"))
	before := s.entry("j0").Stake
	s.ok(s.apply(b, 0))
	same(t, "j0", before-s.entry("j0").Stake, 40*pay)
}

// TestAttackLiesWithJudges: a lying proctor has nine of 28 judges, who vote for its lies in 20
// golden cases that nobody challenges. They have the stakes of the honest, beside its fees.
func TestAttackLiesWithJudges(t *testing.T) {
	s := alone(t)
	s.proctored(28)
	s.allow(256, 10*sol)
	b := s.drawn(alternate(20)...)
	s.ok(s.commitBatch(b))
	own := map[string]bool{}
	for i := range 9 {
		own[judgeName(i)] = true
	}
	has := func() (sum int64) {
		for name := range own {
			sum += int64(s.entry(name).Stake + s.entry(name).Rewards)
		}
		return sum
	}
	for i, l := range b.leaves {
		s.judge(b, i, func(panel []string) votes {
			v := all(panel, 3-l.Answer)
			for name := range v {
				if own[name] {
					v[name] = l.Answer
				}
			}
			return v
		}, cheap)
	}
	s.openAll(b)
	deposit := int64(s.batchOf(b).Deposit)
	judges, proctor := has(), int64(s.accounts[s.at("pat")].Lamports)+deposit
	s.pass(14_400)
	for i := range b.leaves {
		s.ok(s.apply(b, i))
	}
	s.ok(s.closeBatch(b))
	judges, proctor = has()-judges, int64(s.accounts[s.at("pat")].Lamports)-proctor
	t.Logf("the nine judges %+.3f SOL, the proctor %+.3f SOL, a deposit of %.2f SOL", float64(judges)/sol, float64(proctor)/sol, float64(deposit)/sol)
	if gain := judges + proctor; gain <= 0 || gain > 15*sol/10 {
		t.Errorf("lies that nobody challenges bring %d lamports", gain)
	}
}
