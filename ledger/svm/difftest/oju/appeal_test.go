package oju_test

import (
	"slices"
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// These attacks are on the second level of a case (ADR 0038). Each names who would gain, how much
// without the rule, and how much with it.

const (
	appealBond = 28 * 2 * pay
	reversal   = 20 * pay
)

func (s *scene) appeal(k task, party string) onchain.Instruction {
	return s.prog.Appeal(s.at(party), k.at)
}

// finish makes a verdict final; before its time loser signs.
func (s *scene) finish(k task, loser string) onchain.Instruction {
	signer := onchain.Address{}
	if loser != "" {
		signer = s.at(loser)
	}
	return s.prog.FinishCase(k.at, s.at(k.creator), s.at(k.worker), signer)
}

// seven is a task whose first panel has seven seats.
func seven(i *program.CreateTask) { i.Seats = 7 }

// announced is a case that a first panel of seven decided, and the names of that panel.
func (s *scene) announced(c voting.Choice) (k task, first []string) {
	s.t.Helper()
	k = s.seated(seven)
	first = s.panel(k)
	s.round(k, all(first, c))
	same(s.t, "status", s.caseOf(k).Status, voting.Appealable)
	return k, first
}

// TestAttackNarrowReversal: three of seven judges of an appeal are bribed to reject what all seven
// first judges accepted. That is enough for a reject, but less than half of the votes for the
// accept, so that it stands. With four it becomes a reject by 57 %. The worker loses, as narrow
// verdicts are lost; but nobody can say that the first judges were wrong, and each keeps its pay
// and its stake.
func TestAttackNarrowReversal(t *testing.T) {
	for bribed, want := range map[int]voting.Verdict{3: voting.ForWorker, 4: voting.ForCreator} {
		s := alone(t)
		s.cast(14)
		k, first := s.announced(voting.Accept)
		s.ok(s.appeal(k, "alice"))
		s.draw(k)
		v := all(s.panel(k), voting.Accept)
		for _, name := range s.panel(k)[:bribed] {
			v[name] = voting.Reject
		}
		s.round(k, v)
		same(t, "the verdict", s.caseOf(k).Verdict, want)
		for _, honest := range first {
			same(t, "a first judge", s.earns(honest, sol), pay)
		}
	}
}

// TestAttackPanelBribedAfterTheDraw: the panel is known for ten minutes, and five of seven judges
// are bribed. Without an appeal the worker loses a reward of 1 SOL and a bond of 0.1 SOL, and the
// bribed judges earn their pay and the bribe. Now 21 other judges pay the worker, and each bribed
// judge loses 20 pays, and its pay: a bribe has to be worth 0.0525 SOL for five of them.
func TestAttackPanelBribedAfterTheDraw(t *testing.T) {
	s := alone(t)
	s.cast(28)
	before := s.vault("bob")
	k := s.seated(seven)
	first := s.panel(k)
	v := all(first, voting.Reject)
	for _, honest := range first[5:] {
		v[honest] = voting.Accept
	}
	s.round(k, v)
	same(t, "the first verdict", s.caseOf(k).Verdict, voting.ForCreator)
	s.ok(s.appeal(k, "bob"))
	s.draw(k)
	second := s.panel(k)
	same(t, "other judges", len(second), 21)
	for _, name := range second {
		if slices.Contains(first, name) {
			t.Errorf("%s sits twice", name)
		}
	}
	s.round(k, all(second, voting.Accept))
	same(t, "the verdict", s.caseOf(k).Verdict, voting.ForWorker)
	same(t, "the worker", s.vault("bob"), before+earned)
	for _, bribed := range first[:5] {
		same(t, "a bribed judge", s.earns(bribed, sol), -reversal)
	}
	for _, honest := range append(slices.Clone(first[5:]), second...) {
		same(t, "an honest judge", s.earns(honest, sol), pay)
	}
}

// TestAttackAppealAsDelay: a party that lost appeals to hold the winner's money for another hour.
// It costs 28 fees, 0.028 SOL, that do not come back, and works once.
func TestAttackAppealAsDelay(t *testing.T) {
	s := alone(t)
	s.cast(28)
	k, _ := s.announced(voting.Accept)
	before, worker := s.vault("alice"), s.vault("bob")
	s.ok(s.appeal(k, "alice"))
	s.draw(k)
	s.round(k, all(s.panel(k), voting.Accept))
	same(t, "the appeal cost", before-s.vault("alice"), appealBond)
	same(t, "the worker has its money", s.vault("bob")-worker, earned+workerBond+sol/50)
	s.refused(program.ErrWrongStatus, s.appeal(k, "alice"))
}

// TestAttackWinnerWaivesTheAppeal: the winner, or anybody, makes the verdict final before the loser
// can appeal. Only the loser's signature, or the time, does.
func TestAttackWinnerWaivesTheAppeal(t *testing.T) {
	s := alone(t)
	s.cast(14)
	k, _ := s.announced(voting.Reject)
	s.refused(program.ErrTooEarly, s.finish(k, ""))
	s.refused(program.ErrWrongAddress, s.finish(k, "alice"))
	s.refused(program.ErrWrongAddress, s.finish(k, "payer"))
	s.refused(program.ErrNotSigner, unsigned(s.finish(k, "bob")))
	s.refused(program.ErrWrongStatus, s.settle(k))
	s.refused(program.ErrNotLoser, swap(s.appeal(k, "alice"), 2, s.prog.Agent(s.at("bob"))))
	s.refused(program.ErrWrongAddress, s.appeal(k, "alice"))
	s.fork(func() { s.ok(s.finish(k, "bob")) })
	s.pass(3_600)
	s.refused(program.ErrTooLate, s.appeal(k, "bob"))
	s.ok(s.finish(k, ""))
	s.refused(program.ErrWrongStatus, s.finish(k, ""))
}

// TestAttackNoDisjointPanel: a court with fewer than 14 judges has no other panel for seven seats.
// An appeal to the same judges, or to two of them, would be worth nothing. So the verdict is final
// at once. If others leave, and two seasons begin in the time to appeal, the time runs out.
func TestAttackNoDisjointPanel(t *testing.T) {
	s := alone(t)
	s.cast(13)
	k := s.seated(seven)
	s.round(k, all(s.panel(k), voting.Reject))
	same(t, "status", s.caseOf(k).Status, voting.Decided)
	s.refused(program.ErrWrongStatus, s.appeal(k, "bob"))

	s = alone(t)
	s.cast(14, func(p *program.Params) { p.SeasonSeconds = 900 })
	k, first := s.announced(voting.Reject)
	s.ok(s.exit(outside(14, first)[0]))
	s.pass(900)
	s.ok(s.season()) // that of the first panel is the one before
	s.fork(func() { s.ok(s.appeal(k, "bob")) })
	s.pass(900)
	s.ok(s.season()) // it is forgotten
	s.refused(program.ErrTooFewImpartial, s.appeal(k, "bob"))
	s.pass(900)
	s.pass(900)
	s.ok(s.finish(k, ""))
}

// outside returns the judges that are not in a panel.
func outside(judges int, panel []string) (rest []string) {
	for i := range judges {
		if name := judgeName(i); !slices.Contains(panel, name) {
			rest = append(rest, name)
		}
	}
	return rest
}

// TestAttackAppealStarvedByABusyJudge: in a court of 35 with a first panel of 28, half of which
// reject, the winner keeps one of the seven others busy, or all of them, until the time to draw is
// over. Then its verdict stood, for the price of a few cases with itself. An appeal passes over
// nobody that is busy.
func TestAttackAppealStarvedByABusyJudge(t *testing.T) {
	for _, busy := range []int{1, 7} {
		s := alone(t)
		s.cast(35)
		k := s.seated()
		first := s.panel(k)
		same(t, "the first panel", len(first), 28)
		v := all(first, voting.Reject)
		for _, name := range first[:14] {
			v[name] = voting.Accept
		}
		s.round(k, v)
		rest, r := outside(35, first), s.roster()
		for _, name := range rest[:busy] {
			e := &r.Entries[r.Find(voting.Key(s.at(name)))]
			e.Locked = e.Stake
		}
		s.set(s.prog.Roster(), r)
		s.ok(s.appeal(k, "bob"))
		s.draw(k)
		same(t, "the panel of the appeal", len(s.panel(k)), 7)
		s.round(k, all(s.panel(k), voting.Accept))
		same(t, "the verdict", s.caseOf(k).Verdict, voting.ForWorker)
	}
}

// TestAttackJudgesLeaveBeforeAnAppeal: judges that did not sit, and are with the winner, begin to
// leave, so that fewer than seven are left: before the verdict, before the appeal, or before its
// draw. Then the verdict was final. Their stakes stay for the cooldown, so they can be drawn.
func TestAttackJudgesLeaveBeforeAnAppeal(t *testing.T) {
	for moment := range 3 {
		s := alone(t)
		s.cast(14)
		k := s.seated(seven)
		first := s.panel(k)
		leave := func(when int) {
			for _, name := range outside(14, first) {
				if when == moment {
					s.ok(s.exit(name))
				}
			}
		}
		leave(0)
		s.round(k, all(first, voting.Reject))
		same(t, "status", s.caseOf(k).Status, voting.Appealable)
		leave(1)
		s.ok(s.appeal(k, "bob"))
		leave(2)
		s.draw(k)
		second := s.panel(k)
		same(t, "the panel of the appeal", len(second), 7)
		s.round(k, all(second, voting.Accept))
		same(t, "the verdict", s.caseOf(k).Verdict, voting.ForWorker)
		same(t, "the pay of one that leaves", s.earns(second[0], sol), pay)
	}
}

// TestAttackVoidRoundUsesUpTheCourt: seven judges of 14 make the first round void, and the other
// seven give the verdict. Each round took its judges out of the appeal, so that nobody was left for
// one. Only those who gave the verdict are.
func TestAttackVoidRoundUsesUpTheCourt(t *testing.T) {
	s := alone(t)
	s.cast(14)
	k := s.seated(seven)
	s.round(k, all(s.panel(k), voting.Abstain))
	same(t, "status", s.caseOf(k).Status, voting.AwaitingDraw)
	s.draw(k)
	gave := s.panel(k)
	s.round(k, all(gave, voting.Reject))
	same(t, "status", s.caseOf(k).Status, voting.Appealable)
	s.ok(s.appeal(k, "bob"))
	s.draw(k)
	second := s.panel(k)
	same(t, "the panel of the appeal", len(second), 7)
	for _, name := range second {
		if slices.Contains(gave, name) {
			t.Errorf("%s hears the appeal of its own verdict", name)
		}
	}
}

// TestAttackJudgeLeavesBetweenLevels: a bribed judge leaves after the verdict, before the appeal
// costs it 20 pays. Its seat stays live until the case is final.
func TestAttackJudgeLeavesBetweenLevels(t *testing.T) {
	s := alone(t)
	s.cast(28)
	k, first := s.announced(voting.Reject)
	s.ok(s.exit(first[0]))
	s.ok(s.appeal(k, "bob"))
	s.draw(k)
	s.commits(k, all(s.panel(k), voting.Accept))
	s.reveals(k, all(s.panel(k), voting.Accept))
	s.pass(172_800)
	s.refused(program.ErrStakeLocked, s.leave(first[0]))
	s.ok(s.settle(k))
	same(t, "it lost 20 pays", s.earns(first[0], sol), -reversal)
	s.released(first[0])
	s.until(s.entry(first[0]).ExitAt)
	s.ok(s.leave(first[0]))
}

// TestAttackRulesChangedBetweenLevels: the authority makes reversals cheap, and seats few, while a
// case waits for its appeal. The case has its own copy of the rules.
func TestAttackRulesChangedBetweenLevels(t *testing.T) {
	s := alone(t)
	s.cast(28)
	k, first := s.announced(voting.Reject)
	s.refused(program.ErrBadConfig, s.announce(func(p *program.Params) { p.AppealSeconds = 0 }))
	s.ok(s.announce(func(p *program.Params) { p.Reversal, p.FeeMin, p.AppealSeconds = 0, 0, 60 }))
	s.ok(s.appeal(k, "bob"))
	same(t, "bond", s.taskOf(k).WorkerBond, workerBond+appealBond)
	s.draw(k)
	s.round(k, all(s.panel(k), voting.Accept))
	same(t, "a reversed vote", s.earns(first[0], sol), -reversal)
}

// TestAttackRentOfAnAppeal: the payer of the first panel closes the case and takes the rent that
// the appellant paid, or the appellant takes all. Each gets what it paid, when the case is over.
func TestAttackRentOfAnAppeal(t *testing.T) {
	s := alone(t)
	s.cast(28)
	k, _ := s.announced(voting.Accept)
	bob, alice := s.at("bob"), s.at("alice")
	closing := func(payer, appellant onchain.Address) onchain.Instruction {
		return s.prog.CloseCase(k.at, payer, appellant)
	}
	s.refused(program.ErrWrongStatus, closing(bob, onchain.Address{}))
	s.ok(s.appeal(k, "alice"))
	s.refused(program.ErrWrongStatus, closing(bob, alice))
	s.draw(k)
	s.round(k, all(s.panel(k), voting.Accept))
	s.refused(program.ErrTooEarly, closing(bob, alice))
	s.pass(86_400)
	s.refused(program.ErrNotEnoughAccounts, closing(bob, onchain.Address{}))
	s.refused(program.ErrWrongAddress, closing(bob, s.at("carol")))
	s.refused(program.ErrWrongAddress, closing(alice, bob))
	a, b, rent := s.accounts[alice].Lamports, s.accounts[bob].Lamports, s.caseOf(k).AppealRent
	s.ok(closing(bob, alice))
	same(t, "the appellant", s.accounts[alice].Lamports-a, rent)
	same(t, "the worker", s.accounts[bob].Lamports-b, s.env.Rent.MinimumBalance(program.CaseSize(7)))
}

// TestAttackAppealStarved: the winner keeps the appeal from being drawn, so that its verdict stands
// and the loser loses another 0.028 SOL. Then nobody judged, and the bond comes back.
func TestAttackAppealStarved(t *testing.T) {
	s := alone(t)
	s.cast(14)
	k, _ := s.announced(voting.Reject)
	before := s.vault("bob")
	s.ok(s.appeal(k, "bob"))
	s.refused(program.ErrTooEarly, s.expireCase(k))
	s.pass(1_800)
	s.ok(s.expireCase(k))
	same(t, "the appellant", s.vault("bob"), before+sol/50)
	same(t, "verdict", s.caseOf(k).Verdict, voting.ForCreator)
}

// TestAttackVerdictPaidBeforeItIsFinal: somebody else's escrow pays by a verdict that is reversed
// later. Nothing is published before the case is over.
func TestAttackVerdictPaidBeforeItIsFinal(t *testing.T) {
	s := alone(t)
	s.cast(28)
	k, _ := s.announced(voting.Reject)
	s.refused(program.ErrWrongStatus, s.publish(k, "carol"))
	s.ok(s.appeal(k, "bob"))
	s.refused(program.ErrWrongStatus, s.publish(k, "carol"))
	s.draw(k)
	s.round(k, all(s.panel(k), voting.Accept))
	s.ok(s.publish(k, "carol"))
	got := read(s, s.prog.Verdict(k.at), program.DecodeVerdictAccount)
	same(t, "verdict", got.Verdict, voting.ForWorker)
	same(t, "level", got.Level, 2)
	same(t, "facts", got.Facts, s.prog.Facts(s.taskOf(k), s.caseOf(k)))
}
