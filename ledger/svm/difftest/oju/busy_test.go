package oju_test

import (
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/test/longtest"
	"ojud/voting"
)

// TestAttackFreeTimeUsedUp: the creator's second agent uses up the time in which a task can be
// given back. A worker that claims then cannot leave, and misses the deadline. Before, its bond was
// the creator's, 0.04 SOL a victim. Now it is the golden pot's, so the creator gains nothing.
func TestAttackFreeTimeUsedUp(t *testing.T) {
	s := alone(t)
	s.cast(7)
	k := s.created(rising)
	sybil, creator, victim, golden := s.vault("carol"), s.vault("alice"), s.vault("bob"), s.pot().Golden
	k.worker = "carol"
	s.ok(s.claim(k, "carol", 0))
	s.pass(99)
	s.ok(s.release(k))
	k.worker = "bob"
	s.ok(s.claim(k, "bob", 0))
	s.pass(1)
	s.refused(program.ErrTooLate, s.release(k))
	s.pass(999)
	s.ok(s.expire(k))
	same(t, "the second agent", s.vault("carol"), sybil)
	same(t, "the victim's loss", victim-s.vault("bob"), claimBond)
	same(t, "the creator", s.vault("alice"), creator)
	same(t, "the golden pot's gain", s.pot().Golden-golden, claimBond)
}

// small opens a case of the attacker with itself, about the least reward.
func (s *scene) small() task {
	s.t.Helper()
	k := s.next("carol")
	s.ok(s.create("carol", func(c *program.CreateTask) { c.RewardMin, c.RewardMax = 1_000_000, 1_000_000 }))
	k.worker = "dave"
	s.ok(s.claim(k, "dave", 0))
	s.ok(s.start(k))
	s.ok(s.submit(k))
	s.ok(s.object(k))
	s.ok(s.counter(k))
	return k
}

// TestAttackCourtKeptBusy: cases with oneself reserve half of each judge's stake, so that no panel
// for the victim's case can be drawn in its time, and the creator of that case is refunded. Without
// a cover of rewards it paid: 50 SOL for 17.5, of which 10 are the creator's own bond. With the
// cover it costs more than five times the highest reward that the judges cover.
func TestAttackCourtKeptBusy(t *testing.T) {
	longtest.Only(t)
	s := alone(t)
	s.cast(28)
	s.agent("dave", onchain.Address{})
	s.pass(300)
	s.ok(s.prog.TopUp(s.at("j0"), program.TopUp{Amount: 2 * sol})) // it must sit in all of them
	s.pass(300)
	own := func() uint64 {
		return s.vault("alice") + s.vault("carol") + s.vault("dave") + s.entry("j0").Stake + s.entry("j0").Rewards
	}
	before, worker := own(), s.vault("bob")
	saturate := func() (list []task) {
		for range 80 {
			k := s.small()
			s.reach(k)
			if r := s.send(s.prog.Draw(k.at)); r.Err != nil {
				return append(list, k) // the last one waits
			}
			list = append(list, k)
		}
		return list
	}
	live := saturate()
	live = live[:len(live)-1]
	perWave := len(live)
	victim := s.disputed(func(c *program.CreateTask) {
		c.RewardMin, c.RewardMax, c.OnUndecided = 3*sol/2, 3*sol/2, voting.RefundCreator
	})
	s.ok(s.counter(victim))
	blocked := func() {
		s.t.Helper()
		if s.env.Clock.Slot > s.caseOf(victim).SeedSlot+512 {
			s.ok(s.prog.Draw(victim.at)) // another block
		}
		s.reach(victim)
		s.refused(program.ErrTooFewJudges, s.prog.Draw(victim.at))
	}
	blocked()
	all := 0
	for s.now() < s.caseOf(victim).DrawBy {
		for _, k := range live { // the honest 27 vote at once; j0 is the attacker's and does not
			for _, j := range s.others(k, "j0") {
				s.ok(s.commit(k, 1, j, voting.Accept))
			}
		}
		var next []task
		for _, k := range live {
			s.until(s.caseOf(k).CommitEnds)
			for _, j := range s.others(k, "j0") {
				s.ok(s.reveal(k, 1, j, voting.Accept))
			}
			if s.now() >= s.caseOf(victim).DrawBy {
				s.ok(s.settle(k))
				continue
			}
			n := s.small()
			s.reach(n)
			s.ok(s.settle(k), s.prog.Draw(n.at)) // in one transaction
			next = append(next, n)
		}
		all += len(live)
		live = next
		if s.now()+5 < s.caseOf(victim).DrawBy {
			blocked()
		}
	}
	s.until(s.caseOf(victim).DrawBy)
	s.ok(s.expireCase(victim))
	same(t, "the worker of the victim's case", s.vault("bob"), worker)
	spent := before - own() // what is still open counts as lost
	if cover := 30 * sol * 500 / 10_000; spent < 5*uint64(cover) {
		t.Errorf("%d cases at once, %d in all cost %d lamports; rewards of %d are covered", perWave, all, spent, cover)
	}
	t.Logf("%d cases at once, %d in all, %d lamports", perWave, all, spent)
}

// TestAttackPanelOfTheFree: a thief has a fifth of the weight, 7 of 35 judges, and adds to their
// stake after the season began. Cases with itself then reserve the stakes of all others, and when
// it answers four objections to garbage, only its judges are free. Before, a draw passed over the
// busy ones and seated just these seven: the thief gained 5.13 SOL of 7 that the four creators
// lost. Now such a draw waits. Whenever one is possible, the thief's seats are less than half.
func TestAttackPanelOfTheFree(t *testing.T) {
	s := alone(t)
	s.cast(35, func(p *program.Params) { p.CoverBps = 500 })
	s.agent("dave", onchain.Address{})
	thief := map[string]bool{}
	for i := 28; i < 35; i++ {
		thief[judgeName(i)] = true
		s.ok(s.topUp(judgeName(i), 2*sol))
	}
	victim := s.disputed(of(s.roster().Weight * 500 / 10_000))
	drawn, waits := 0, 0
	for flood := 0; ; flood++ {
		s.fork(func() {
			s.ok(s.counter(victim))
			s.reach(victim)
			if r := s.send(s.prog.Draw(victim.at)); r.Err != nil {
				waits++
				return
			}
			drawn++
			var own, all uint64
			for _, seat := range s.caseOf(victim).Seats {
				if all += seat.Weight; thief[s.names[seat.Judge]] {
					own += seat.Weight
				}
			}
			if 2*own >= all {
				t.Errorf("after %d cases with itself the thief has %d of %d lamports of the panel", flood, own, all)
			}
		})
		k := s.small()
		s.reach(k)
		if r := s.send(s.prog.Draw(k.at)); r.Err != nil {
			break
		}
	}
	s.ok(s.counter(victim))
	s.reach(victim)
	s.refused(program.ErrTooFewJudges, s.prog.Draw(victim.at))
	if drawn < 20 || waits == 0 {
		t.Errorf("%d draws, %d refused", drawn, waits)
	}
	t.Logf("%d draws, %d refused", drawn, waits)
}
