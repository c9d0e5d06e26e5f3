package oju_test

import (
	"slices"
	"testing"

	goldens "ojud/golden"
	"ojud/ledger/program"
	"ojud/voting"
)

// turn ends the season now.
func (s *scene) turn() {
	s.t.Helper()
	r := s.roster()
	r.SeasonAt = s.now() - int64(s.law().SeasonSeconds)
	s.set(s.prog.Roster(), r)
	s.ok(s.season())
}

// released begins seasons until none has the weight of judges that leave.
func (s *scene) released(names ...string) {
	s.t.Helper()
	for _, name := range names {
		for seasons := 0; s.entry(name).Counted(); seasons++ {
			if seasons == 4 {
				s.t.Fatalf("%s leaves, and the fourth season since counts it", name)
			}
			s.pass(400)
			s.turn()
		}
	}
}

// TestAttackLeaverEndsTheAppeal: seven judges are left beside a bribed panel, one of them begins
// to leave, and the season turns before the appeal. With its weight gone six were left, and
// nobody could appeal any more. An appeal sees the season of its first panel (ADR 0171).
func TestAttackLeaverEndsTheAppeal(t *testing.T) {
	s := alone(t)
	s.cast(14)
	k := s.seated(seven)
	leaver := outside(14, s.panel(k))[0]
	s.ok(s.exit(leaver))
	s.bribed(k, 5)
	same(t, "status", s.caseOf(k).Status, voting.Appealable)
	s.pass(400)
	s.turn()
	same(t, "its weight", s.entry(leaver).Weight, uint64(0))
	s.ok(s.appeal(k, "alice"))
	s.draw(k)
	same(t, "seats of the appeal", len(s.panel(k)), 7)
	s.round(k, all(s.panel(k), voting.Reject))
	same(t, "verdict", s.caseOf(k).Verdict, voting.ForCreator)
}

// TestAttackLeaverBeforeTheVerdict: the judge leaves before the draw, and the season turns while
// the first panel votes, and not after it.
func TestAttackLeaverBeforeTheVerdict(t *testing.T) {
	s := alone(t)
	s.cast(14)
	leaver := "j13"
	s.ok(s.exit(leaver))
	k := s.seated(seven)
	s.pass(400)
	s.turn()
	s.pass(1)
	s.bribed(k, 5)
	same(t, "status", s.caseOf(k).Status, voting.Appealable)
	s.ok(s.appeal(k, "alice"))
	s.draw(k)
	if !slices.Contains(s.panel(k), leaver) || len(s.panel(k)) != 7 {
		t.Errorf("the appeal has %v", s.panel(k))
	}
	s.round(k, all(s.panel(k), voting.Reject))
	same(t, "verdict", s.caseOf(k).Verdict, voting.ForCreator)
}

// TestAttackLeaverTakesItsStake: the cooldown of the judge is over when the verdict falls, and it
// takes its stake before the appeal is drawn. The stake stays while a draw can see the weight.
func TestAttackLeaverTakesItsStake(t *testing.T) {
	for _, when := range []string{"before the appeal", "before the draw", "after a turn of the season"} {
		t.Run(when, func(t *testing.T) {
			s := alone(t)
			s.cast(14)
			leaver := "j13"
			s.ok(s.exit(leaver))
			s.pass(172_800) // nobody began the next season
			k := s.seated(seven)
			s.bribed(k, 5)
			if when == "before the draw" {
				s.ok(s.appeal(k, "alice"))
			}
			if when == "after a turn of the season" {
				s.pass(400)
				s.turn()
			}
			s.refused(program.ErrSeasonRuns, s.leave(leaver))
			if when != "before the draw" {
				s.ok(s.appeal(k, "alice"))
			}
			s.draw(k)
			s.round(k, all(s.panel(k), voting.Reject))
			same(t, "verdict", s.caseOf(k).Verdict, voting.ForCreator)
			s.released(leaver)
			s.until(s.entry(leaver).ExitAt)
			s.ok(s.leave(leaver))
		})
	}
}

// TestAttackFreshJudgesHearTheAppeal: the worker brings fourteen judges of its own while a first
// panel is there, the season turns before or after its verdict, and the worker appeals. They
// weighed nothing when the first panel was drawn.
func TestAttackFreshJudgesHearTheAppeal(t *testing.T) {
	for _, when := range []string{"before the verdict", "after the verdict"} {
		t.Run(when, func(t *testing.T) {
			s := alone(t)
			s.cast(14)
			k := s.seated(seven)
			var fresh []string
			for i := range 14 {
				name := judgeName(14 + i)
				s.fund(name, 20*sol)
				s.ok(s.join(name, 10*sol)...)
				fresh = append(fresh, name)
			}
			turn := func() {
				s.pass(400)
				s.turn()
				s.pass(1)
			}
			if when == "before the verdict" {
				turn()
			}
			s.round(k, all(s.panel(k), voting.Reject))
			same(t, "status", s.caseOf(k).Status, voting.Appealable)
			if when == "after the verdict" {
				turn()
			}
			s.ok(s.appeal(k, "bob"))
			s.draw(k)
			for _, name := range s.panel(k) {
				if slices.Contains(fresh, name) {
					t.Errorf("%s hears the appeal and joined after the draw", name)
				}
			}
		})
	}
}

// TestAttackRulesKeepALeaver: the authority announces seasons of a week, so that a judge that
// leaves at once waits for weeks. A season takes at most half of the cooldown before.
func TestAttackRulesKeepALeaver(t *testing.T) {
	s := alone(t)
	s.cast(28)
	s.refused(program.ErrBadConfig, s.announce(func(p *program.Params) { p.SeasonSeconds = 604_800 }))
	s.refused(program.ErrBadConfig, s.announce(func(p *program.Params) { p.SeasonSeconds, p.CooldownSeconds = 302_400, 604_800 }))
	s.ok(s.announce(func(p *program.Params) { p.SeasonSeconds = 86_400 }))
	s.ok(s.exit("j0"))
	left := s.now()
	for range 2 {
		s.pass(86_400 + 30) // nodes are that late
		s.ok(s.season())
	}
	s.ok(s.leave("j0"))
	same(t, "seconds until it has its stake", s.now()-left, 172_860)
}

// TestAttackLeaverEndsTheChallengersAppeal: the same in a challenge of an honest golden batch.
// Ten of fourteen are bribed, and the proctor has to appeal.
func TestAttackLeaverEndsTheChallengersAppeal(t *testing.T) {
	s := alone(t)
	b := s.honest(21, 8)
	k := s.asking(b, 0, goldens.Denial(), half)
	s.ok(s.exit(outside(21, s.panel(k))[0]))
	s.bribed(k, 10)
	same(t, "status", s.caseOf(k).Status, voting.Appealable)
	s.pass(400)
	s.turn()
	s.ok(s.contest(b, 0, k))
	s.draw(k)
	s.round(k, all(s.panel(k), voting.Reject))
	s.refused(program.ErrNotFalse, s.uphold(b, 0, k))
}

// TestAttackSmallLossEndsTheAppeal: 14 of 21 equal judges find the lie of a proctor, and the
// other seven weigh just half. One of them loses a little in a case of its own. The appeal was
// too light then, and without one the verdict of 14 seats did not count.
func TestAttackSmallLossEndsTheAppeal(t *testing.T) {
	for _, when := range []string{"before the settlement", "before the draw", "in a void round"} {
		t.Run(when, func(t *testing.T) {
			s := alone(t)
			s.proctored(21)
			b := s.lied(8)
			k := s.asking(b, 0, goldens.Denial(), dear)
			loses := func() {
				r := s.roster()
				n := r.Find(voting.Key(s.at(outside(21, s.panel(k))[0])))
				r.Entries[n].Stake -= sol / 50
				r.TotalStake -= sol / 50
				s.set(s.prog.Roster(), r)
			}
			s.vote(k, all(s.panel(k), voting.Accept))
			if when == "before the settlement" {
				loses()
			}
			s.ok(s.settle(k))
			same(t, "status", s.caseOf(k).Status, voting.Appealable)
			s.ok(s.contest(b, 0, k))
			if when == "before the draw" {
				loses()
			}
			s.draw(k)
			if when == "in a void round" {
				v := all(s.panel(k), voting.Accept)
				for _, name := range s.panel(k)[:3] {
					delete(v, name)
				}
				s.round(k, v)
				same(t, "void", s.caseOf(k).Status, voting.AwaitingDraw)
				s.draw(k)
			}
			s.round(k, all(s.panel(k), voting.Accept))
			s.ok(s.uphold(b, 0, k))
		})
	}
}

// TestAttackRuinedJudgesAppeal: seven judges have lost all of their stakes, and put half of the
// least stake in again. Their appeal weighs twice what they have, and not what the season gave
// them.
func TestAttackRuinedJudgesAppeal(t *testing.T) {
	s := alone(t)
	s.begin()
	for i := range 14 {
		s.fund(judgeName(i), 200*sol)
		s.ok(s.join(judgeName(i), 10*sol)...)
	}
	s.ok(s.season())
	k := s.seated(seven)
	r := s.roster()
	for _, name := range outside(14, s.panel(k)) {
		e := &r.Entries[r.Find(voting.Key(s.at(name)))]
		r.TotalStake -= e.Stake
		e.Stake, e.Equivocated = 0, 1
	}
	s.set(s.prog.Roster(), r)
	for _, name := range outside(14, s.panel(k)) {
		s.ok(s.topUp(name, sol/2))
	}
	s.round(k, all(s.panel(k), voting.Reject))
	same(t, "status", s.caseOf(k).Status, voting.Decided) // seven weigh 7 SOL, and the votes 70
}

// TestAttackAppealAndSeason: the challenger appeals its own success and begins the season, all in
// one transaction, so that the proctor cannot appeal and no panel can be drawn.
func TestAttackAppealAndSeason(t *testing.T) {
	s := alone(t)
	b := s.honest(21, 8)
	k := s.asking(b, 0, goldens.Denial(), half)
	s.ok(s.exit(outside(21, s.panel(k))[0]))
	v := all(s.panel(k), voting.Reject)
	for _, name := range s.panel(k)[:10] {
		v[name] = voting.Accept
	}
	s.vote(k, v)
	s.pass(400)
	r := s.roster()
	r.SeasonAt = s.now() - int64(s.law().SeasonSeconds)
	s.set(s.prog.Roster(), r)
	s.ok(s.settle(k), s.appeal(k, "carol"), s.season())
	s.draw(k)
	s.round(k, all(s.panel(k), voting.Reject))
	s.refused(program.ErrNotFalse, s.uphold(b, 0, k))
}
