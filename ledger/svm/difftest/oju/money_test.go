package oju_test

import (
	"fmt"
	"testing"

	"ojud/ledger/program"
	"ojud/voting"
)

// These tests make the attacks on the pay of judges that version 1 allowed. Each names who gained,
// how much under version 1, and how much now.

// earns is what a judge has more than its stake, or less.
func (s *scene) earns(name string, stake uint64) int64 {
	s.t.Helper()
	e := s.entry(name)
	return int64(e.Stake+e.Rewards) - int64(stake)
}

// TestAttackUndecidableCasesDrainTheCourt: creator, worker and one judge are one person. Nobody can
// decide their tasks, so 27 honest judges abstain. Under version 1 the judge gained 33.75 SOL in 12
// cases, each honest judge lost 1.25 SOL, and the parties nothing. Now no honest judge loses a
// lamport but fees, the judge gets one pay a case, 0.0005 SOL, and the parties lose a bond of 0.2
// SOL a case; the golden pot gets the rest of it.
func TestAttackUndecidableCasesDrainTheCourt(t *testing.T) {
	const cases, stake = 12, 10 * sol
	s := alone(t)
	s.begin()
	for i := range voting.MaxSeats {
		s.fund(judgeName(i), 20*sol)
		s.ok(s.join(judgeName(i), stake)...)
	}
	s.weighed()
	parties := s.vault("alice") + s.vault("bob")
	for range cases {
		k := s.contested(func(c *program.CreateTask) { c.OnUndecided = voting.RefundCreator })
		for range s.caseOf(k).Rules.MaxRounds {
			s.draw(k)
			v := all(s.panel(k), voting.Abstain)
			v["j0"] = voting.Reject
			s.round(k, v)
		}
		same(t, "verdict", s.caseOf(k).Verdict, voting.Undecided)
	}
	for i := 1; i < voting.MaxSeats; i++ {
		same(t, "an honest judge", s.earns(judgeName(i), stake), 0)
	}
	same(t, "the judge of the attacker", s.earns("j0", stake), cases*pay)
	same(t, "its parties", int64(parties)-int64(s.vault("alice")+s.vault("bob")), cases*creatorBond)
	same(t, "the golden pot", s.pot().Golden, cases*(creatorBond-pay))
}

// TestAttackOnlyVoterTakesThePanel: 27 of 28 judges are absent, by a flood or an outage. Under
// version 1 the one that voted got 4.04 SOL. Now it gets one pay, and what the others lose goes to
// the golden pot.
func TestAttackOnlyVoterTakesThePanel(t *testing.T) {
	s := alone(t)
	s.cast(voting.MaxSeats)
	k := s.seated()
	for round := uint8(1); ; round++ {
		s.ok(s.commit(k, round, "j0", voting.Accept))
		s.until(s.caseOf(k).CommitEnds)
		s.ok(s.reveal(k, round, "j0", voting.Accept))
		s.ok(s.settle(k))
		if round == s.caseOf(k).Rules.MaxRounds {
			break
		}
		s.draw(k)
	}
	same(t, "verdict", s.caseOf(k).Verdict, voting.Undecided)
	same(t, "the only voter", s.earns("j0", sol), pay)
	same(t, "an absent judge loses two pays a round", s.earns("j1", sol), -2*2*pay)
}

// TestAttackLosersWithhold: judges that see the others' votes and would lose do not reveal. Under
// version 1 this cost 0.5 % of the weight instead of 1 %, and the round was void. Now it costs 40
// pays, and revealing on the losing side costs nothing.
func TestAttackLosersWithhold(t *testing.T) {
	for _, preset := range []uint8{1, 2} {
		end := func(withhold bool) int64 {
			s := alone(t)
			s.cast(voting.MaxSeats, func(p *program.Params) { p.Preset, p.Minority = preset, 7*(uint16(preset)-1) })
			k := s.seated()
			v := all(s.panel(k), voting.Reject)
			for _, name := range s.panel(k)[:8] {
				v[name] = voting.Accept
			}
			s.commits(k, v)
			loser := s.panel(k)[0]
			if withhold {
				delete(v, loser)
			}
			s.reveals(k, v)
			s.until(s.caseOf(k).RevealEnds)
			s.ok(s.settle(k))
			same(t, "verdict", s.caseOf(k).Verdict, voting.ForCreator)
			return s.earns(loser, sol)
		}
		revealed, withholds := end(false), end(true)
		same(t, fmt.Sprint("withheld, preset ", preset), withholds, -withheld)
		same(t, fmt.Sprint("revealed, preset ", preset), revealed, map[uint8]int64{1: pay, 2: -7 * pay}[preset])
	}
}

// TestAttackPlainMajorityIsSlashed: 18 of 28 judges find for the worker, which is less than 66 %.
// Under version 1 each of them lost 1 % of its weight for saying what most said. Now nobody loses,
// in either preset, and every vote earns the same.
func TestAttackPlainMajorityIsSlashed(t *testing.T) {
	for _, preset := range []uint8{1, 2} {
		s := alone(t)
		s.cast(voting.MaxSeats, func(p *program.Params) { p.Preset, p.Minority = preset, 7*(uint16(preset)-1) })
		k := s.seated()
		v := all(s.panel(k), voting.Reject)
		for _, name := range s.panel(k)[:18] {
			v[name] = voting.Accept
		}
		s.round(k, v)
		same(t, "verdict", s.caseOf(k).Verdict, voting.ForCreator)
		for _, name := range s.panel(k) {
			same(t, "a judge", s.earns(name, sol), pay)
		}
		same(t, "the record says majority", s.entry(s.panel(k)[0]).Majority, 1)
	}
}

// TestAttackVotesWithoutStakeAtRisk: one judge of 1 SOL sits in many live cases. Under version 1 it
// sat in five with a weight of 1 SOL each, and voted on with nothing after it had lost all in one.
// Now each seat reserves what it can lose, here a tenth of its weight, and a judge whose stake is
// reserved sits in no more.
func TestAttackVotesWithoutStakeAtRisk(t *testing.T) {
	s := alone(t)
	s.cast(7, func(p *program.Params) { p.FeeMin, p.MinSeats = sol/100, 1 }) // a seat can lose a tenth of its weight
	var live []task
	for n := range 12 {
		k := s.contested()
		live = append(live, k)
		s.reach(k)
		r := s.send(s.prog.Draw(k.at))
		if r.Err != nil {
			same(t, "cases with a seat at the same time", n, 10)
			return
		}
		if e := s.entry("j0"); e.Locked > e.Stake {
			t.Fatalf("case %d: %d of %d can be lost", n, e.Locked, e.Stake)
		}
	}
	t.Fatalf("the judge sits in %d live cases", len(live))
}

// TestAttackSlashedJudgeVotesOn: a judge that lost everything in one case sits in no later one.
func TestAttackSlashedJudgeVotesOn(t *testing.T) {
	s := alone(t)
	s.cast(8)
	k := s.seated()
	s.ok(s.slash(k, 1, "j0")...)
	same(t, "stake", s.entry("j0").Stake, 0)
	next := s.contested()
	s.draw(next)
	s.refused(program.ErrNotSeated, s.commit(next, 1, "j0", voting.Accept))
}

// TestAttackGroundlessObjection: a creator objects to a right result and hopes. Under version 1 a
// lost dispute cost 5 % of the reward. Now it costs 20 %, and the worker, whose result stands, pays
// nothing for it.
func TestAttackGroundlessObjection(t *testing.T) {
	s := alone(t)
	s.cast(voting.MaxSeats)
	alice, bob := s.vault("alice"), s.vault("bob")
	k := s.seated()
	s.round(k, all(s.panel(k), voting.Accept))
	same(t, "the creator", s.vault("alice"), alice-sol-creatorBond)
	same(t, "the worker", s.vault("bob"), bob+earned)
	same(t, "the judges", s.roster().TotalRewards, voting.MaxSeats*pay)
	same(t, "the golden pot", s.pot().Golden, creatorBond-voting.MaxSeats*pay+sol/200)
}

// TestAttackSaturatedRosterStopsDraws: an attacker lets nearly half of the judges reach the limit
// of what they can lose, so that a draw passes over them one by one. The draw takes 128 numbers at
// most. This one stays within 400,000 compute units; TestCurve has a dearer one.
func TestAttackSaturatedRosterStopsDraws(t *testing.T) {
	s := alone(t)
	s.begin()
	s.crowd(program.MaxJudges - 1)
	roster := s.roster()
	for i := range roster.Entries {
		if i/8%8 < 3 {
			roster.Entries[i].Locked = roster.Entries[i].Stake
		}
	}
	s.set(s.prog.Roster(), roster)
	k := s.contested()
	s.reach(k)
	r := s.send(limited(s.prog.Draw(k.at))...)
	if r.Err != nil {
		t.Fatalf("%v\n%v", r.Err, r.Logs)
	}
	same(t, "seats", len(s.caseOf(k).Seats), voting.MaxSeats)
	if r.Units > 400_000 {
		t.Errorf("the draw took %d compute units", r.Units)
	}
	t.Logf("%d compute units", r.Units)
}
