package oju_test

import (
	"testing"

	"ojud/ledger/program"
	"ojud/test/longtest"
	"ojud/voting"
)

// These attacks are by judges of small stakes. The first panel is drawn by weight and uses up the
// heavy judges, so an appeal goes to the light ones (ADR 0087). The figures "before" are those of a
// program in which any seven judges could reverse any panel.

// light is a court of proven judges of a stake, and fresh ones of one SOL. It returns the latter.
func (s *scene) light(proven int, stake uint64, fresh int, credential uint8) map[string]bool {
	s.t.Helper()
	s.begin(func(p *program.Params) { p.Credential = credential })
	for i := range proven {
		s.fund(judgeName(i), 200*sol)
		s.ok(s.join(judgeName(i), stake)...)
	}
	s.proven()
	bad := map[string]bool{}
	for i := range fresh {
		name := judgeName(100 + i)
		s.fund(name, 200*sol)
		s.ok(s.join(name, sol)...)
		bad[name] = true
	}
	s.weighed()
	return bad
}

// against lets a panel vote for a side, but for the judges that vote for the other.
func (s *scene) against(k task, c voting.Choice, bad map[string]bool) {
	s.t.Helper()
	v := all(s.panel(k), c)
	for name := range v {
		if bad[name] {
			v[name] = 3 - c
		}
	}
	s.round(k, v)
}

// twice hears a case, and its appeal if the attacker's side can appeal.
func (s *scene) twice(k task, c voting.Choice, bad map[string]bool) {
	s.t.Helper()
	s.against(k, c, bad)
	if s.caseOf(k).Status != voting.Appealable {
		return
	}
	loser, wanted := "alice", voting.ForCreator
	if c == voting.Reject {
		loser, wanted = "bob", voting.ForWorker
	}
	if s.caseOf(k).Verdict == wanted { // the honest side could appeal, and is silent
		s.pass(3_600)
		s.ok(s.finish(k, ""))
		return
	}
	s.ok(s.appeal(k, loser))
	s.draw(k)
	s.against(k, c, bad)
}

// TestAttackLightJudgesOwnTheAppeal: a worker delivers garbage, and judges of one SOL that weigh a
// tenth of the court are with it. Before, 10 of 10 were paid, with credential 0 and 2.
func TestAttackLightJudgesOwnTheAppeal(t *testing.T) {
	for _, credential := range []uint8{0, 2} {
		s := alone(t)
		bad := s.light(20, 10*sol, 22, credential)
		paid, worker, judges := 0, int64(s.vault("bob")), s.wealth(sorted(bad)...)
		for range 10 {
			k := s.seated()
			s.twice(k, voting.Reject, bad)
			if s.taskOf(k).Outcome == voting.Paid {
				paid++
			}
		}
		t.Logf("credential %d: %d of 10 garbage results paid; worker %+d, its judges %+d", credential, paid, int64(s.vault("bob"))-worker, s.wealth(sorted(bad)...)-judges)
		same(t, "garbage results paid", paid, 0)
	}
}

// TestAttackHeavyJudgesUsedUp: a creator chooses a first panel that uses up the heavy judges of a
// court, objects to good work, loses, and appeals to the light ones, which are its own. Before, it
// had the work for nothing as often as the table says.
func TestAttackHeavyJudgesUsedUp(t *testing.T) {
	longtest.Only(t)
	for _, c := range []struct {
		heavy, light int
		stake        uint64
		seats        uint8
		before       string
	}{
		{7, 7, 10 * sol, 7, "14 of 20"}, {10, 11, 10 * sol, 14, "19 of 20"}, {12, 13, 10 * sol, 14, "14 of 20"}, {16, 17, 10 * sol, 14, "8 of 20"},
		{20, 22, 10 * sol, 28, "10 of 10"}, {24, 13, 5 * sol, 28, "7 of 10"}, {28, 31, 10 * sol, 28, "3 of 10"},
	} {
		s := alone(t)
		bad := s.light(c.heavy, c.stake, c.light, 2)
		free := 0
		for range 20 {
			k := s.seated(func(i *program.CreateTask) { i.Seats, i.RewardMin, i.RewardMax = c.seats, sol/2, sol/2 })
			s.twice(k, voting.Accept, bad)
			if s.taskOf(k).Outcome == voting.Refunded {
				free++
			}
		}
		t.Logf("%d heavy, %d light, %d seats: %d of 20 good results for nothing, %s before", c.heavy, c.light, c.seats, free, c.before)
		same(t, "good results for nothing", free, 0)
	}
}

// TestAttackHonestJudgesBurnt: creator, worker and the light judges are one person, which raises
// the fee, so that each reversal costs 20 honest judges 20 pays each. Before, 15 of 15 verdicts
// were reversed, and the honest judges lost 45.2 of 200 SOL. Now they lose nothing.
func TestAttackHonestJudgesBurnt(t *testing.T) {
	s := alone(t)
	bad := s.light(20, 10*sol, 15, 2)
	honest := []string{}
	for i := range 20 {
		honest = append(honest, judgeName(i))
	}
	before, turned := s.wealth(honest...), 0
	for range 15 {
		k := s.seated(func(c *program.CreateTask) { c.RewardMin, c.RewardMax, c.FeeMin = 28*sol/10, 28*sol/10, sol/20 })
		s.twice(k, voting.Reject, bad)
		if s.taskOf(k).Outcome == voting.Paid {
			turned++
		}
	}
	t.Logf("%d of 15 verdicts reversed, honest judges %+d", turned, s.wealth(honest...)-before)
	same(t, "verdicts reversed", turned, 0)
	if s.wealth(honest...) < before {
		t.Error("honest judges lost")
	}
}

// TestAttackAppealOfABoughtMajority: a creator buys just the ten of 28 votes that reject, or half
// of them, in a court in which only seven judges are left. Half of the weight of these votes is
// enough to appeal, so the seven can pay the worker, and the bought judges lose 20 pays.
func TestAttackAppealOfABoughtMajority(t *testing.T) {
	for _, bought := range []int{10, 14, 15} {
		s := alone(t)
		s.cast(35)
		k := s.seated()
		first := s.panel(k)
		v := all(first, voting.Accept)
		for _, name := range first[:bought] {
			v[name] = voting.Reject
		}
		s.round(k, v)
		same(t, "the first verdict", s.caseOf(k).Verdict, voting.ForCreator)
		if bought == 15 { // seven others weigh less than half of the 15
			same(t, "status", s.caseOf(k).Status, voting.Decided)
			s.refused(program.ErrWrongStatus, s.appeal(k, "bob"))
			continue
		}
		s.ok(s.appeal(k, "bob"))
		s.draw(k)
		s.round(k, all(s.panel(k), voting.Accept))
		same(t, "the verdict", s.caseOf(k).Verdict, voting.ForWorker)
		clearly := bought == 10 // seven are more than two thirds of ten, and less than those of 14
		if lost := s.earns(first[0], sol) == -reversal; lost != clearly {
			t.Errorf("%d bought: %+d", bought, s.earns(first[0], sol))
		}
	}
}

// TestAttackAppealTooLightAtItsDraw: between the appeal and its draw a season begins in which the
// judges that are left weigh half. Seven halves can still reverse the verdict of seven. If they
// weigh a lamport less than that, they do not sit; the first verdict stands, and the bond of the
// appeal comes back.
func TestAttackAppealTooLightAtItsDraw(t *testing.T) {
	s := alone(t)
	s.cast(14)
	k, first := s.announced(voting.Reject)
	before := s.vault("bob")
	s.ok(s.appeal(k, "bob"))
	r, lost := s.roster(), uint64(0)
	for _, name := range outside(14, first) {
		e := &r.Entries[r.Find(voting.Key(s.at(name)))]
		lost += e.Weight - sol/2
		e.Weight, e.WeightBefore = sol/2, sol/2
	}
	r.Weight, r.Pages[0], r.PagesBefore[0] = r.Weight-lost, r.Pages[0]-lost, r.PagesBefore[0]-min(lost, r.PagesBefore[0])
	s.set(s.prog.Roster(), r)
	s.reach(k)
	s.fork(func() { s.ok(s.prog.Draw(k.at)) })
	c := s.caseOf(k)
	c.FirstRejectWeight++ // past all rules: no judge that could still sit is so light
	s.set(s.prog.Case(k.at), c)
	s.refused(program.ErrTooFewJudges, s.prog.Draw(k.at))
	s.pass(1_800)
	s.ok(s.expireCase(k))
	same(t, "the verdict", s.caseOf(k).Verdict, voting.ForCreator)
	same(t, "the appellant", s.vault("bob"), before+sol/50)
}
