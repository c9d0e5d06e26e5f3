package oju_test

import (
	"crypto/sha256"
	"testing"

	goldens "ojud/golden"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/test/longtest"
	"ojud/voting"
)

// lied is a batch of false leaves that all judges but j0 see through, open and with 10 SOL in the
// Pot.
func (s *scene) lied(leaves int, change ...func(*batch)) *batch {
	s.t.Helper()
	s.allow(256, 10*sol)
	b := s.drawn(alternate(leaves)...)
	s.ok(s.commitBatch(b))
	for _, f := range change {
		f(b)
	}
	for i, l := range b.leaves {
		s.judge(b, i, func(panel []string) votes {
			v := all(panel, 3-l.Answer)
			if _, sits := v["j0"]; sits {
				v["j0"] = l.Answer
			}
			return v
		}, cheap)
	}
	s.openAll(b)
	return b
}

// honest is a court with an open batch of true leaves, of which each vote was right.
func (s *scene) honest(judges, leaves int) *batch {
	s.t.Helper()
	s.proctored(judges)
	s.allow(256, 10*sol)
	b := s.batched(alternate(leaves)...)
	for i, l := range b.leaves {
		s.judge(b, i, voteAll(l.Answer), cheap)
	}
	s.openAll(b)
	s.agent("dave", onchain.Address{})
	return b
}

// dear is a challenge of 14 seats with a reward of 2 SOL.
func dear(p *program.CreateTask) { p.Seats, p.RewardMin, p.RewardMax = 14, 2*sol, 2*sol }

// TestAttackChallengeDeflected: a lying proctor commits its leaves in two batches, one of 40 and
// one of the first two. When a challenge was won, it opened leaf 0 in the small batch: the
// challenge ended that, for 1.12 SOL, and 39 of 40 lies were applied. Now a case belongs to the
// batch that opened it first.
func TestAttackChallengeDeflected(t *testing.T) {
	s := alone(t)
	s.proctored(28)
	var spare *batch
	b := s.lied(40, func(b *batch) {
		spare = &batch{number: b.number + 1, leaves: b.leaves[:2], tasks: b.tasks[:2]}
		var err error
		if spare.root, spare.proofs, err = goldens.Commit(spare.leaves); err != nil {
			t.Fatal(err)
		}
		s.ok(s.commitBatch(spare))
	})
	honest := []string{"j1", "j2", "j3", "j4", "j5"}
	before, deposit := s.wealth(honest...), s.batchOf(b).Deposit
	wallet := s.accounts[s.at("pat")].Lamports
	s.agent("dave", onchain.Address{})
	askers := s.vault("carol") + s.vault("dave")
	k := s.challenged(b, 0, voting.Accept, dear)
	s.pass(3_600)
	s.ok(s.finish(k, ""))
	s.refused(program.ErrLeafOpen, s.openLeaf(spare, 0))
	s.ok(s.uphold(b, 0, k))
	s.refused(program.ErrWrongOwner, s.apply(b, 1))
	gain, lost := int64(s.vault("carol")+s.vault("dave"))-int64(askers), int64(s.accounts[s.at("pat")].Lamports)-int64(wallet)
	t.Logf("the challengers %+d, the proctor %+d of a deposit of %d, five honest judges %+d lamports", gain, lost-int64(deposit), deposit, s.wealth(honest...)-before)
	if gain <= 0 || lost > int64(sol)/10 || s.wealth(honest...) < before {
		t.Errorf("the challengers %d, back to the proctor %d", gain, lost)
	}
}

// TestAttackNoAppealByChoice: the challenger chooses how many judges sit, and with seven or 14 in a
// court of 9 to 20 it left too few for the proctor's appeal. So five bribed of seven ended an
// honest batch at once: +0.52 SOL in a court of 13. Now all judges sit if no second panel is
// possible, and it takes two thirds of them.
func TestAttackNoAppealByChoice(t *testing.T) {
	for _, c := range []struct {
		judges, seats, bribed int
		upheld                bool
	}{{9, 7, 5, false}, {13, 7, 5, false}, {20, 14, 10, false}, {13, 28, 9, true}, {20, 28, 14, true}} {
		s := alone(t)
		s.proctored(c.judges)
		b := s.batched(alternate(2)...)
		s.rightly(b)
		s.openAll(b)
		s.agent("dave", onchain.Address{})
		before := int64(s.vault("carol") + s.vault("dave"))
		k := s.asking(b, 0, goldens.Denial(), func(p *program.CreateTask) { p.Seats = uint8(c.seats) })
		s.bribed(k, c.bribed)
		same(t, "no appeal", s.caseOf(k).AppealBy, 0)
		if c.upheld {
			s.ok(s.uphold(b, 0, k))
		} else {
			s.refused(program.ErrNotFalse, s.uphold(b, 0, k))
		}
		gain := int64(s.vault("carol")+s.vault("dave")) - before
		t.Logf("court of %d, %d seats, %d bribed: upheld %t, the parties %+d lamports", c.judges, c.seats, c.bribed, c.upheld, gain)
		if !c.upheld && gain >= 0 {
			t.Errorf("the parties gain %d", gain)
		}
	}
}

// TestAttackRejectedChallengeAppealed: seven judges find rightly that the leaf is true. The worker
// of the challenge appeals to the few that are left, and most of them are bribed. That ended an
// honest batch: five bribed of 14 judges brought the parties 0.71 SOL. Now both panels have to find
// that the leaf is false, and an appeal of an undecided challenge does not count either: not even
// if seven of seven find so after four of seven abstained.
func TestAttackRejectedChallengeAppealed(t *testing.T) {
	for _, c := range []struct{ judges, abstain, accept int }{{14, 0, 5}, {20, 0, 9}, {40, 0, 19}, {14, 4, 7}} {
		s := alone(t)
		s.proctored(c.judges)
		b := s.batched(alternate(2)...)
		s.rightly(b)
		s.openAll(b)
		s.agent("dave", onchain.Address{})
		before := int64(s.vault("carol") + s.vault("dave"))
		k := s.asking(b, 0, goldens.Denial(), seven, func(p *program.CreateTask) { p.OnUndecided = voting.SplitEscrow })
		s.ballot(k, 0, c.abstain)
		if c.abstain > 0 { // a void round
			s.until(s.caseOf(k).DrawBy)
			s.ok(s.expireCase(k))
		}
		s.ok(s.appeal(k, "dave"))
		s.draw(k)
		s.bribed(k, c.accept)
		same(t, "verdict", s.caseOf(k).Verdict, voting.ForWorker)
		s.refused(program.ErrNotFalse, s.uphold(b, 0, k))
		t.Logf("court of %d, %d abstain, then %d bribed: not upheld, the parties %+d lamports", c.judges, c.abstain, c.accept, int64(s.vault("carol")+s.vault("dave"))-before)
	}
}

// TestAttackLightCourtLeftToLiars: in a court whose weight is in a few judges, a panel of 14 leaves
// too little weight for an appeal, so it cannot end a batch. A full panel can, although 21 judges
// or more sit: else such a court would have no challenge at all.
func TestAttackLightCourtLeftToLiars(t *testing.T) {
	s := alone(t)
	s.proctored(0)
	for i := range 24 {
		stake := uint64(sol)
		if i < 8 {
			stake = 20 * sol
		}
		s.fund(judgeName(i), 200*sol)
		s.ok(s.join(judgeName(i), stake)...)
	}
	s.weighed()
	b := s.batched(alternate(2)...)
	for i, l := range b.leaves {
		s.judge(b, i, voteAll(3-l.Answer), cheap)
	}
	s.openAll(b)
	few := s.challenged(b, 0, voting.Accept, half)
	if s.caseOf(few).AppealBy == 0 {
		s.refused(program.ErrNotFalse, s.uphold(b, 0, few))
	}
	full := s.challenged(b, 0, voting.Accept)
	same(t, "no appeal", s.caseOf(full).AppealBy, 0)
	s.ok(s.uphold(b, 0, full))
}

// TestAttackBountyTaken: a lying proctor sees a challenge, and two agents of its own bring the
// same. It appealed the first in the last second of its hour, for nothing, and did not appeal its
// own: the honest challengers lost 0.41 SOL, and its agents took the bounty. Now the challengers
// appeal at once themselves, as `ojud court proctor challenge` does: there is no hour, and no
// appeal is left to the proctor.
func TestAttackBountyTaken(t *testing.T) {
	s := alone(t)
	s.proctored(40)
	for _, n := range []string{"erin", "frank"} {
		s.agent(n, onchain.Address{})
	}
	b := s.lied(20)
	s.agent("dave", onchain.Address{})
	honest, own := int64(s.vault("carol")+s.vault("dave")), int64(s.vault("erin")+s.vault("frank"))
	k1 := s.asking(b, 0, goldens.Denial(), dear)
	s.round(k1, all(s.panel(k1), voting.Accept))
	s.ok(s.appeal(k1, "carol"))
	s.refused(program.ErrWrongStatus, s.contest(b, 0, k1))
	k2 := s.askingAs("erin", "frank", b, 0, dear)
	s.round(k2, all(s.panel(k2), voting.Accept))
	s.ok(s.appeal(k2, "erin")) // it is as fast, but later
	s.draw(k1)
	s.round(k1, all(s.panel(k1), voting.Accept))
	s.ok(s.uphold(b, 0, k1))
	s.draw(k2)
	s.round(k2, all(s.panel(k2), voting.Accept))
	s.refused(program.ErrWrongOwner, s.uphold(b, 0, k2))
	gain, taken := int64(s.vault("carol")+s.vault("dave"))-honest, int64(s.vault("erin")+s.vault("frank"))-own
	t.Logf("the challengers %+d, the proctor's two agents %+d lamports", gain, taken)
	if gain <= 0 || taken >= 0 {
		t.Errorf("the challengers %d, the proctor's agents %d", gain, taken)
	}
}

// askingAs is asking with other parties.
func (s *scene) askingAs(creator, worker string, b *batch, i int, terms ...func(*program.CreateTask)) task {
	s.t.Helper()
	k := s.next(creator)
	s.ok(s.create(creator, func(c *program.CreateTask) {
		c.TaskHash = sha256.Sum256(b.leaves[i].Question())
		for _, change := range terms {
			change(c)
		}
	}))
	s.ok(s.claim(k, worker, 0))
	k.worker = worker
	s.ok(s.start(k))
	s.ok(s.prog.SubmitResult(s.at(worker), s.at(creator), k.at, s.under(k), program.SubmitResult{ResultHash: sha256.Sum256(goldens.Denial())}))
	s.ok(s.object(k))
	s.ok(s.counter(k))
	s.draw(k)
	return k
}

// abstained is a round in which so many seats are paid to abstain, and the others reject.
func (s *scene) abstained(k task, bought int) {
	s.t.Helper()
	s.draw(k)
	s.ballot(k, 0, bought)
}

// ballot plays a round in which the first seats accept, the next ones abstain, and the others
// reject. It returns the judges that accept.
func (s *scene) ballot(k task, accept, abstain int) []string {
	s.t.Helper()
	p := s.panel(k)
	v := all(p, voting.Reject)
	for i, name := range p[:accept+abstain] {
		if v[name] = voting.Accept; i >= accept {
			v[name] = voting.Abstain
		}
	}
	s.round(k, v)
	return p[:accept]
}

// endUndecided ends a case that the first panel left undecided: by the creator's appeal, in which
// all judges reject, or without one.
func (s *scene) endUndecided(k task, appealed bool) {
	s.t.Helper()
	if !appealed {
		s.pass(3_600)
		s.ok(s.finish(k, ""))
		return
	}
	s.ok(s.appeal(k, "alice"))
	s.draw(k)
	s.round(k, all(s.panel(k), voting.Reject))
}

// TestAttackFullPanelAbstains: with 28 seats, 14 bought abstentions ended a case of a court of 28
// to 41 judges, because an appeal needed half of the weight of all that sat. Now it needs half of
// the weight of those that took no side. A court of 36 has that, unless 17 are bought.
func TestAttackFullPanelAbstains(t *testing.T) {
	for _, c := range []struct {
		judges, bought int
		appeal         bool
	}{{36, 14, true}, {36, 16, true}, {36, 17, false}, {34, 14, false}} {
		s := alone(t)
		s.cast(c.judges)
		creator, worker := int64(s.vault("alice")), int64(s.vault("bob"))
		k := s.contested(func(c *program.CreateTask) { c.OnUndecided = voting.SplitEscrow })
		s.abstained(k, c.bought)
		s.abstained(k, c.bought)
		if c.appeal {
			same(t, "status", s.caseOf(k).Status, voting.Appealable)
			s.ok(s.appeal(k, "alice"))
			s.draw(k)
			s.round(k, all(s.panel(k), voting.Reject))
		}
		gain, loss := int64(s.vault("bob"))-worker, creator-int64(s.vault("alice"))
		t.Logf("court of %d, %d of 28 abstain: appealed %t, the worker %+d, the creator %+d lamports", c.judges, c.bought, c.appeal, gain, -loss)
		if c.appeal && (gain >= 0 || loss > 0) {
			t.Errorf("the worker gains %d, and the creator loses %d", gain, loss)
		}
	}
}

// TestAttackUndecidedThenBought: half of a full panel abstains, the other half rejects the garbage,
// and seven of the eight judges that are left are paid to accept it. That brought the worker 0.995
// SOL, against 15 honest votes. Now the votes of both panels decide, so accept needs more than 66 %
// of them: in a court of 14, all seven seats of the appeal after four abstentions.
func TestAttackUndecidedThenBought(t *testing.T) {
	for _, c := range []struct{ judges, seats, abstain, accept, silent int }{{36, 28, 14, 7, 0}, {36, 28, 14, 8, 0}, {14, 7, 4, 3, 3}, {14, 7, 4, 5, 1}, {14, 7, 4, 5, 2}, {14, 7, 4, 6, 0}, {14, 7, 4, 7, 0}} {
		s := alone(t)
		s.cast(c.judges)
		worker := int64(s.vault("bob"))
		k := s.contested(func(x *program.CreateTask) { x.OnUndecided, x.Seats = voting.SplitEscrow, uint8(c.seats) })
		s.abstained(k, c.abstain)
		s.until(s.caseOf(k).DrawBy)
		s.ok(s.expireCase(k))
		s.ok(s.appeal(k, "bob"))
		s.draw(k)
		s.ballot(k, c.accept, c.silent)
		sat := len(s.caseOf(k).Seats)
		won := 100*c.accept > 66*(c.seats-c.abstain+sat-c.silent)
		gain := int64(s.vault("bob")) - worker
		t.Logf("%+v: %d sat in the appeal: %s, the worker %+d lamports", c, sat, s.caseOf(k).Verdict, gain)
		if won != (s.caseOf(k).Verdict == voting.ForWorker) || !won && gain >= 0 {
			t.Errorf("%+v: %s, the worker gains %d", c, s.caseOf(k).Verdict, gain)
		}
	}
}

// TestAttackSlashedByOnePanel: under preset majority a judge of an appeal loses seven pays if it
// stands against a clear verdict. After an undecided first panel the votes of both decide. Then no
// seat loses unless they are clear, and those of its own panel, too: otherwise 13 rejects of the
// first panel would slash six of eight that accept.
func TestAttackSlashedByOnePanel(t *testing.T) {
	for _, c := range []struct {
		judges, seats, abstain, accept int
		loses                          bool
	}{{14, 7, 4, 6, false}, {14, 7, 4, 3, false}, {14, 7, 4, 1, true}, {36, 28, 15, 6, false}, {36, 28, 15, 2, true}} {
		s := alone(t)
		s.cast(c.judges, func(p *program.Params) { p.Preset, p.Minority = 2, 7 })
		k := s.contested(func(x *program.CreateTask) { x.OnUndecided, x.Seats = voting.SplitEscrow, uint8(c.seats) })
		s.abstained(k, c.abstain)
		s.until(s.caseOf(k).DrawBy)
		s.ok(s.expireCase(k))
		s.ok(s.appeal(k, "bob"))
		s.draw(k)
		for _, name := range s.ballot(k, c.accept, 0) {
			if earned := s.earns(name, sol); earned < 0 != c.loses {
				t.Errorf("%+v: one that accepts earns %d", c, earned)
			}
		}
		same(t, "verdict", s.caseOf(k).Verdict, voting.ForCreator)
	}
}

// TestAttackPanelStaysAway: ten of 28 judges are paid to stay away, in both rounds, so that 18
// votes for one side are no quorum. An appeal needed half of the weight of the larger side, which
// eight judges do not have: that was the end, and garbage brought the worker 0.4475 SOL. Now it
// needs half of the seats without a side. In larger courts two more abstentions stopped the appeal.
func TestAttackPanelStaysAway(t *testing.T) {
	for _, c := range []struct{ judges, seats, absent, abstain int }{{36, 28, 10, 0}, {38, 28, 10, 2}, {44, 28, 10, 7}, {14, 7, 3, 0}} {
		s := alone(t)
		s.cast(c.judges)
		worker := int64(s.vault("bob"))
		k := s.contested(func(x *program.CreateTask) { x.OnUndecided, x.Seats = voting.SplitEscrow, uint8(c.seats) })
		for range 2 {
			s.draw(k)
			v := all(s.panel(k), voting.Reject)
			for _, name := range s.panel(k)[:c.absent] {
				delete(v, name)
			}
			s.round(k, v)
		}
		same(t, "status", s.caseOf(k).Status, voting.Appealable)
		s.ok(s.appeal(k, "alice"))
		s.draw(k)
		s.ballot(k, 0, c.abstain)
		if gain := int64(s.vault("bob")) - worker; s.caseOf(k).Verdict != voting.ForCreator || gain >= 0 {
			t.Errorf("%+v: %s, the worker gains %d", c, s.caseOf(k).Verdict, gain)
		}
	}
}

// TestAttackSecondRoundNotDrawn: abstentions make the first round void, and the court is kept busy
// until the time of the second draw is over. That ended the case, by one round of bribes instead of
// two. Now it can be appealed.
func TestAttackSecondRoundNotDrawn(t *testing.T) {
	for _, appealed := range []bool{true, false} {
		s := alone(t)
		s.cast(36)
		creator, worker := int64(s.vault("alice")), int64(s.vault("bob"))
		k := s.contested(seven, func(c *program.CreateTask) { c.OnUndecided = voting.SplitEscrow })
		s.abstained(k, 4)
		same(t, "void", s.caseOf(k).Status, voting.AwaitingDraw)
		s.until(s.caseOf(k).DrawBy)
		s.ok(s.expireCase(k))
		c := s.caseOf(k)
		same(t, "status", c.Status, voting.Appealable)
		same(t, "verdict", c.Verdict, voting.Undecided)
		same(t, "round", c.Round, 1)
		s.endUndecided(k, appealed)
		gain, loss := int64(s.vault("bob"))-worker, creator-int64(s.vault("alice"))
		t.Logf("appealed %t: the worker %+d, the creator %+d lamports", appealed, gain, -loss)
		if appealed && (gain >= 0 || loss > 0) || !appealed && gain <= 0 {
			t.Errorf("appealed %t: the worker gains %d, and the creator loses %d", appealed, gain, loss)
		}
	}
}

// TestAttackProctorVoidsAppeal: a lying proctor appeals an honest challenge without a bond, and a
// third of the second panel stays away, or half of it abstains. The challenge then counted for
// nothing, and all 20 lies were applied: +0.56 SOL and the deposit of 11.2 SOL for the proctor. Now
// the batch ends, the challengers have their tenth, and no judge loses by a lie.
func TestAttackProctorVoidsAppeal(t *testing.T) {
	longtest.Only(t)
	for _, c := range []struct{ judges, absent, abstain int }{{24, 4, 0}, {28, 5, 0}, {28, 0, 7}, {28, 4, 0}, {28, 0, 6}} {
		s := alone(t)
		s.proctored(c.judges)
		b := s.lied(20)
		s.agent("dave", onchain.Address{})
		parties, pat := int64(s.vault("carol")+s.vault("dave")), int64(s.accounts[s.at("pat")].Lamports)
		k := s.challenged(b, 0, voting.Accept, dear)
		deposit := int64(s.batchOf(b).Deposit)
		s.ok(s.contest(b, 0, k))
		s.refused(program.ErrNotFalse, s.uphold(b, 0, k)) // its appeal is not over
		s.hollow(k, c.absent, c.abstain)
		doubted := c.absent == 5 || c.judges == 24 || c.abstain == 7
		same(t, "level", s.caseOf(k).Level, map[bool]uint8{true: 1, false: 2}[doubted])
		judges := s.wealth("j1", "j2", "j3", "j4", "j5")
		s.ok(s.uphold(b, 0, k))
		s.refused(program.ErrWrongOwner, s.apply(b, 1))
		gain, loss := int64(s.vault("carol")+s.vault("dave"))-parties, int64(s.accounts[s.at("pat")].Lamports)-pat
		t.Logf("court of %d, %d absent, %d abstain: in doubt %v, the challengers %+.4f SOL, the proctor %+.4f SOL of a deposit of %.2f",
			c.judges, c.absent, c.abstain, doubted, float64(gain)/float64(sol), float64(loss)/float64(sol), float64(deposit)/float64(sol))
		if gain <= 0 || s.wealth("j1", "j2", "j3", "j4", "j5") != judges {
			t.Errorf("the challengers %+d, five honest judges %+d", gain, s.wealth("j1", "j2", "j3", "j4", "j5")-judges)
		}
		if back := loss > 0; back != doubted || loss > deposit/2 { // the deposit was paid before
			t.Errorf("the proctor %+d of a deposit of %d", loss, deposit)
		}
	}
}

// TestAttackHonestBatchInDoubt: ten of 14 say for money that a true leaf is false, and a third of
// the appeal stays away. The batch ends and is not applied, but its proctor loses little more than
// half of the deposit, and the parties gain no more than the reward, which the court covers. The
// other half is the Pot's. A panel of seven does not do it.
func TestAttackHonestBatchInDoubt(t *testing.T) {
	s := alone(t)
	b := s.honest(28, 8)
	few := s.asking(b, 0, goldens.Denial(), seven)
	s.bribed(few, 5)
	s.ok(s.contest(b, 0, few))
	s.hollow(few, 8, 0)
	same(t, "verdict of seven", s.caseOf(few).Verdict, voting.ForWorker)
	s.refused(program.ErrNotFalse, s.uphold(b, 0, few))

	parties, pat := int64(s.vault("carol")+s.vault("dave")), int64(s.accounts[s.at("pat")].Lamports)
	deposit := s.batchOf(b).Deposit
	k := s.asking(b, 0, goldens.Denial(), half)
	s.bribed(k, 10)
	s.ok(s.contest(b, 0, k))
	s.hollow(k, 5, 0)
	pot := s.pot().Golden
	s.ok(s.uphold(b, 0, k))
	gain, back := int64(s.vault("carol")+s.vault("dave"))-parties, int64(s.accounts[s.at("pat")].Lamports)-pat
	t.Logf("the parties %+d lamports of a reward of %d, the proctor has %d of %d back", gain, sol/5, back, deposit)
	if gain > int64(sol/5) || back < int64(deposit)*4/10 || s.pot().Golden-pot > deposit/2 {
		t.Errorf("the parties %+d, the proctor has %d of %d back, the Pot %+d", gain, back, deposit, int64(s.pot().Golden)-int64(pot))
	}
}

// TestAttackOwnDoubt: a proctor whose lies may be found out has its own two agents bring a
// challenge first, appeals it without a bond, and pays five of 14 to stay away. The deposit came
// back but for what its own agents had: the three lost 0.05 of 11.2 SOL together. Now half of it is
// gone.
func TestAttackOwnDoubt(t *testing.T) {
	for name, terms := range map[string]func(*program.CreateTask){"dear": dear, "cheap": half} {
		s := alone(t)
		s.proctored(28)
		purse := func() int64 {
			return int64(s.accounts[s.at("pat")].Lamports + s.vault("carol") + s.vault("dave"))
		}
		b := s.lied(20)
		s.agent("dave", onchain.Address{})
		deposit := int64(s.batchOf(b).Deposit)
		before := purse() + deposit
		k := s.challenged(b, 0, voting.Accept, terms)
		s.ok(s.contest(b, 0, k))
		s.hollow(k, 5, 0)
		s.ok(s.uphold(b, 0, k))
		loss := before - purse()
		t.Logf("%s: of a deposit of %.2f SOL the proctor and its two agents lose %.4f SOL", name, float64(deposit)/float64(sol), float64(loss)/float64(sol))
		if loss < deposit*4/10 {
			t.Errorf("%s: they lose %d of %d", name, loss, deposit)
		}
	}
}

// hollow hears an appeal to its end: all accept, but so many are absent or abstain.
func (s *scene) hollow(k task, absent, abstain int) {
	s.t.Helper()
	for s.caseOf(k).Status == voting.AwaitingDraw {
		s.draw(k)
		p := s.panel(k)
		v := all(p, voting.Accept)
		for i, name := range p[:absent+abstain] {
			if v[name] = voting.Abstain; i < absent {
				delete(v, name)
			}
		}
		s.round(k, v)
	}
}
