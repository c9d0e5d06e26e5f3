package oju_test

import (
	"testing"

	"ojud/ledger/program"
	"ojud/voting"
)

// TestAttackPanelDrawnAgain: a court of six judges with panels of three raises its least panel to
// seven. For the new rules it is too small, so a season could begin at any time, and the cases
// under the old ones were open to anybody: two seasons and a draw in one transaction, after the
// seed's block was known, made the Roster forget and the case wait for another block, until two of
// six judges sat in a panel of three: 0.995 SOL for garbage. Now two seasons are as far apart as a
// draw can wait.
func TestAttackPanelDrawnAgain(t *testing.T) {
	s := alone(t)
	s.cast(6, func(p *program.Params) { p.PanelSeats, p.MinSeats = 3, 3 })
	k := s.next("alice")
	s.ok(s.create("alice"))
	s.enact(func(p *program.Params) { p.PanelSeats, p.MinSeats = 7, 7 })
	s.weighed()
	s.ok(s.claim(k, "bob", 0))
	k.worker = "bob"
	s.ok(s.start(k))
	s.ok(s.submit(k))
	s.ok(s.object(k))
	s.ok(s.counter(k))
	s.reach(k)
	seed := s.caseOf(k).SeedSlot
	s.refused(program.ErrSeasonRuns, s.season(), s.season(), s.prog.Draw(k.at))
	s.advance(512)
	s.ok(s.season()) // a court that is too small need not wait for a day
	s.refused(program.ErrSeasonRuns, s.season())
	if got := s.caseOf(k).SeedSlot; got != seed {
		t.Errorf("the seed slot was moved from %d to %d", seed, got)
	}
}

// TestAttackCourtStoppedByAFigure: one announcement of the authority makes each draw come too late
// (0.895 SOL for garbage that on_undecided pays), an objection cost 63 million SOL (0.995 SOL), no
// task covered, or one judge outweigh the others.
func TestAttackCourtStoppedByAFigure(t *testing.T) {
	s := alone(t)
	s.cast(28, func(p *program.Params) { p.CoverBps = 500 })
	for _, change := range []func(*program.Params){
		func(p *program.Params) { p.DrawSeconds, p.DrawDelaySlots = 60, 256 },
		func(p *program.Params) { p.FeeMin = 1 << 50 },
		func(p *program.Params) { p.CoverBps, p.MinReward = 1, 10_000_000 },
		func(p *program.Params) { p.MaxSeatWeight = p.MinStake },
		func(p *program.Params) { p.MaxSeatWeight = 1 << 50 },
	} {
		s.refused(program.ErrBadConfig, s.announce(change))
	}
	s.ok(s.announce(func(p *program.Params) {
		p.DrawSeconds, p.DrawDelaySlots, p.FeeMin, p.CoverBps, p.MaxSeatWeight = 60, 75, 10_000_000, 100, p.MaxSeatWeight/2
	}))
}

// TestAttackFeeToASecondKey: the creator names an honest committee, and its own second agent as
// payee of a fee of 4.6 billion SOL. The committee decides for the worker, and both bonds went to
// the creator: at a reward of 0.01 SOL the worker that was right lost 0.046 SOL. Now the fee is a
// tenth of the reward at most, and who loses pays it.
func TestAttackFeeToASecondKey(t *testing.T) {
	s := alone(t)
	s.castEngine()
	for _, fee := range []uint64{1 << 62, sol/10 + 1} {
		s.refused(program.ErrWrongEngine, s.create("alice", s.byEngine, func(c *program.CreateTask) { c.EngineFee = fee }))
	}
	dear := func(c *program.CreateTask) { c.EngineFee = sol / 10 }
	for said, loses := range map[voting.Verdict]string{voting.ForWorker: "alice", voting.ForCreator: "bob", voting.Undecided: ""} {
		s.fork(func() {
			k := s.contestedWith(func(c *program.CreateTask) { s.byEngine(c); dear(c); c.OnUndecided = voting.SplitEscrow })
			task, payee := s.taskOf(k), s.vault("engineer")
			s.says(k, said)
			before := map[string]uint64{"alice": s.vault("alice"), "bob": s.vault("bob")}
			s.ok(s.settleByEngine(k))
			same(t, "the payee", s.vault("engineer")-payee, sol/10)
			back := map[string]uint64{"alice": task.CreatorBond, "bob": task.WorkerBond + task.ClaimBond}
			won := map[string]uint64{"alice": 0, "bob": 0}
			switch said {
			case voting.ForWorker:
				won["bob"] = sol - sol/200
			case voting.ForCreator:
				won["alice"] = sol
			default:
				won["alice"], won["bob"] = sol/2, sol/2-sol/400
			}
			for who := range back {
				fee := uint64(0)
				switch loses {
				case who:
					fee = sol / 10
				case "":
					fee = sol / 20
				}
				same(t, said.String()+": "+who, s.vault(who)-before[who], back[who]+won[who]-fee)
			}
		})
	}
}

// TestAttackEngineWithoutTime: the creator names an honest committee of people and gives it a
// minute; its silence refunds. Each engine has at least as long as the court's judges.
func TestAttackEngineWithoutTime(t *testing.T) {
	s := alone(t)
	s.castEngine()
	rules := s.law()
	for seconds, fine := range map[uint32]bool{60: false, rules.CommitSeconds + rules.RevealSeconds - 1: false, rules.CommitSeconds + rules.RevealSeconds: true} {
		create := s.create("alice", s.byEngine, func(c *program.CreateTask) { c.EngineSeconds = seconds })
		if fine {
			s.ok(create)
		} else {
			s.refused(program.ErrBadDuration, create)
		}
	}
}

// TestAttackRulesSwapped: the authority announces rules that nobody minds. A second before they are
// in force it takes them back and announces harsh ones under the same number, so that judges and
// creators have one second instead of a cooldown. The harsh ones wait for a whole cooldown. What is
// in force is never taken back, because tasks name it.
func TestAttackRulesSwapped(t *testing.T) {
	s := alone(t)
	s.cast(7)
	cooldown := int64(s.law().CooldownSeconds)
	s.ok(s.announce(func(p *program.Params) { p.MaxReworks = 9 }))
	s.until(s.version(2).From - 1)
	harsh := s.prog.ProposeRules(s.at("authority"), 1, program.ProposeRules{Params: s.version(1).Params})
	s.refused(program.ErrNotAuthority, swap(s.takeBack(), 0, s.at("alice")))
	s.refused(program.ErrWrongRules, harsh)
	s.ok(s.takeBack())
	s.ok(s.announce(func(p *program.Params) { p.MinReward = 10_000_000 }))
	same(t, "the new one is in force in", s.version(2).From-s.now(), cooldown)
	same(t, "the old one until", s.version(1).Until, s.version(2).From)
	s.pass(1)
	s.refused(program.ErrWrongRules, swap(s.create("alice"), 2, s.prog.Rules(2)))
	s.pass(cooldown - 1)
	k := s.next("alice")
	s.ok(s.create("alice"))
	same(t, "a task under the new rules", s.taskOf(k).Rules, 2)
	s.refused(program.ErrTooLate, s.takeBack())
	s.ok(s.announce())
	s.refused(program.ErrWrongRules, s.prog.WithdrawRules(s.at("authority"), 2))
}

// TestAttackRulesWithdrawnTwice: a version that is taken back comes again in the same transaction,
// or is taken back twice for its rent.
func TestAttackRulesWithdrawnTwice(t *testing.T) {
	s := alone(t)
	s.cast(7)
	s.ok(s.announce())
	rent, back := s.accounts[s.prog.Rules(2)].Lamports, s.takeBack()
	again := s.prog.ProposeRules(s.at("authority"), 1, program.ProposeRules{Params: s.version(1).Params})
	s.refused(program.ErrWrongOwner, back, back)
	before := s.wallet("authority")
	s.ok(back)
	same(t, "the rent", s.wallet("authority")-before, rent)
	s.refused(program.ErrWrongOwner, back)
	s.ok(again)
	s.ok(back, again)
	same(t, "the latest version", s.config().Rules, 2)
	same(t, "in force from", s.version(2).From, s.now()+int64(s.version(1).CooldownSeconds))
}
