package oju_test

import (
	"testing"

	"ojud/ledger/program"
	"ojud/voting"
)

// proven gives every judge on the Roster a record that lets it sit, past all rules.
func (s *scene) proven() {
	s.t.Helper()
	r := s.roster()
	for i := range r.Entries {
		e := &r.Entries[i]
		e.Right, e.Wrong, e.Seen, e.Owned = 13, 7, 20, e.Owned|program.OwnProven
	}
	s.set(s.prog.Roster(), r)
}

// apart is the rule that gives novices a room of their own.
func apart(p *program.Params) { p.Credential = program.CredentialApart }

// TestAttackEightFreshJudgesInAnOpenCourt: eight new judges of 10 SOL outweigh 28 old ones of one
// SOL and have garbage paid, though all 28 have a good record. If novices have a room of their own,
// the eight weigh a tenth together.
func TestAttackEightFreshJudgesInAnOpenCourt(t *testing.T) {
	for credential, want := range []int{10, 10, 0} {
		s := alone(t)
		s.cast(28, func(p *program.Params) { p.AppealSeconds, p.Credential = 0, uint8(credential) })
		s.proven()
		fresh := map[string]bool{}
		for i := range 8 {
			name := judgeName(100 + i)
			s.fund(name, 20*sol)
			s.ok(s.join(name, 10*sol)...)
			fresh[name] = true
		}
		s.weighed()
		weight := uint64(0)
		for name := range fresh {
			weight += s.entry(name).Weight
		}
		paid := 0
		for range 10 {
			k := s.seated()
			v := all(s.panel(k), voting.Reject)
			for name := range v {
				if fresh[name] {
					v[name] = voting.Accept
				}
			}
			s.round(k, v)
			if s.taskOf(k).Outcome == voting.Paid {
				paid++
			}
		}
		t.Logf("credential %d: the fresh judges weigh %d of %d lamports; %d of 10 wrong results paid", credential, weight, s.roster().Weight, paid)
		same(t, "wrong results paid", paid, want)
	}
}

// TestAttackBlindNovice: beside ten proven judges of 1 SOL, two novices share a room of 1.11 SOL
// and see 28 golden cases. The right one then weighs its whole stake, and the one that always
// rejects weighs nothing. To leave and join again makes it a novice. Judges with a bad record make
// no room for it.
func TestAttackBlindNovice(t *testing.T) {
	s := alone(t)
	s.proctored(10, apart)
	s.proven()
	for _, name := range []string{"right", "blind"} {
		s.fund(name, 20*sol)
		s.ok(s.join(name, sol)...)
	}
	s.weighed()
	same(t, "weight of the first novice", s.entry("right").Weight, 10*sol/9/2)
	same(t, "weight of the second", s.entry("blind").Weight, 10*sol/9/2)
	s.allow(28, 100*sol)
	s.novitiate(28, map[string]voting.Choice{"blind": voting.Reject})
	for _, name := range []string{"right", "blind"} {
		e := s.entry(name)
		t.Logf("%s: %d right, %d wrong of %d, stake %d, rewards %d", name, e.Right, e.Wrong, e.Seen, e.Stake, e.Rewards)
		same(t, "proven", e.Proven(), name == "right")
	}
	same(t, "weight of the right one", s.entry("right").Weight, sol)
	same(t, "weight of the blind one", s.entry("blind").Weight, 0)
	if blind := s.entry("blind"); blind.Holds() || blind.Stake >= sol {
		t.Errorf("always rejecting: holds %v, stake %d", blind.Holds(), blind.Stake)
	}

	s.ok(s.exit("blind"))
	s.pass(int64(s.law().CooldownSeconds))
	s.released("blind")
	s.ok(s.leave("blind"))
	s.ok(s.join("blind", 10*sol)...)
	r := s.roster()
	r.Entries[0].Right, r.Entries[0].Wrong, r.Entries[0].Seen = 12, 8, 20 // a proven judge that fell
	s.set(s.prog.Roster(), r)
	s.weighed()
	if e, room := s.entry("blind"), s.roster().Novices(s.law().Params).Room; e.Weight != room || 9*e.Weight > s.roster().Weight-e.Weight {
		t.Errorf("joined again with 10 SOL, it weighs %d, and the room is %d", e.Weight, room)
	}
}

// novitiate brings golden cases through the court. Some judges vote always the same, and the others
// are right.
func (s *scene) novitiate(leaves int, stubborn map[string]voting.Choice) {
	s.t.Helper()
	var answers []voting.Choice
	for i := range leaves {
		answers = append(answers, voting.Choice(1+i%2))
	}
	b := s.batched(answers...)
	for i, answer := range answers {
		s.judge(b, i, func(panel []string) votes {
			v := all(panel, answer)
			for name, c := range stubborn {
				if _, sits := v[name]; sits {
					v[name] = c
				}
			}
			return v
		}, cheap)
	}
	s.openAll(b)
	s.pass(14_400)
	for i := range b.leaves {
		s.ok(s.apply(b, i))
	}
	s.weighed()
}

// TestAttackFirstProvenJudges: the first three of ten judges that are proven do not have a young
// court to themselves. Until min_seats are proven, the novices weigh as much as they.
func TestAttackFirstProvenJudges(t *testing.T) {
	s := alone(t)
	s.proctored(10, apart)
	s.proven()
	r := s.roster()
	for i := range r.Entries[3:] {
		e := &r.Entries[3+i]
		e.Seen, e.Right, e.Wrong, e.Owned = 5, 5, 0, e.Owned&^program.OwnProven
	}
	s.set(s.prog.Roster(), r)
	s.weighed()
	same(t, "weight of all", s.roster().Weight, 10*sol)
	same(t, "weight of a novice", s.entry(judgeName(9)).Weight, sol)
}

// fresh lets judges join with a stake.
func (s *scene) fresh(stake uint64, names ...string) map[string]bool {
	s.t.Helper()
	joined := map[string]bool{}
	for _, name := range names {
		s.fund(name, 200*sol)
		s.ok(s.join(name, stake)...)
		joined[name] = true
	}
	return joined
}

// garbage hears ten cases about wrong results that some judges accept, and returns how many of them
// are paid.
func (s *scene) garbage(bad map[string]bool) (paid int) {
	s.t.Helper()
	for range 10 {
		k := s.seated()
		v := all(s.panel(k), voting.Reject)
		for name := range v {
			if bad[name] {
				v[name] = voting.Accept
			}
		}
		s.round(k, v)
		if s.taskOf(k).Outcome == voting.Paid {
			paid++
		}
	}
	return paid
}

func (s *scene) weightOf(names map[string]bool) (sum uint64) {
	for name := range names {
		sum += s.entry(name).Weight
	}
	return sum
}

// TestAttackProvenJudgesLeave: seven of 28 judges of 1 SOL are proven, and eight fresh ones of 10
// SOL wait. Two of the proven leave. Before, one of them was enough for the eight to weigh 80 of
// 107 SOL and to have 10 of 10 wrong results paid. Five proven ones and two novices are still a
// court.
func TestAttackProvenJudgesLeave(t *testing.T) {
	s := alone(t)
	s.cast(28, func(p *program.Params) { p.AppealSeconds, p.Credential = 0, 2 })
	s.proven()
	r := s.roster()
	for i := range r.Entries[7:] {
		e := &r.Entries[7+i]
		e.Seen, e.Right, e.Wrong, e.Owned = 5, 5, 0, e.Owned&^program.OwnProven
	}
	s.set(s.prog.Roster(), r)
	bad := s.fresh(10*sol, "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7")
	s.ok(s.exit("j0"))
	s.ok(s.exit("j1"))
	s.weighed()
	t.Logf("five proven: the fresh weigh %d of %d", s.weightOf(bad), s.roster().Weight)
	same(t, "the fresh weigh", s.weightOf(bad), 0) // the first novices have the room, which is for two
	same(t, "judges with a weight", s.roster().Weight, 5*sol+sol/2)
	same(t, "wrong results paid", s.garbage(bad), 0)
}

// TestAttackTopUpAfterTheRecord: six novices judge golden cases honestly with 1 SOL, and take 10
// SOL when they are proven. Before, they then weighed 60 of 88 SOL and had 10 of 10 wrong results
// paid. Their weights may double, and then after five golden cases more, in which they must be
// right, too.
func TestAttackTopUpAfterTheRecord(t *testing.T) {
	s := alone(t)
	s.proctored(28, apart, func(p *program.Params) { p.AppealSeconds = 0 })
	s.proven()
	names := []string{"n0", "n1", "n2", "n3", "n4", "n5"}
	bad := s.fresh(sol, names...)
	s.weighed()
	r := s.roster()
	for _, name := range names { // as after 20 golden cases
		e := &r.Entries[r.Find(voting.Key(s.at(name)))]
		e.Seen, e.Right, e.Since = 20, 20, 20
	}
	s.set(s.prog.Roster(), r)
	for _, name := range names {
		s.ok(s.topUp(name, 9*sol))
	}
	for season, want := range []uint64{2 * sol, 2 * sol, 2 * sol} {
		s.weighed()
		same(t, "weight", s.entry("n0").Weight, want)
		t.Logf("season %d: the six weigh %d of %d", season, s.weightOf(bad), s.roster().Weight)
	}
	same(t, "wrong results paid", s.garbage(bad), 0)
	s.since(4, names...)
	s.weighed()
	same(t, "since, after a season in which it did not grow", s.entry("n0").Since, 4)
	s.since(0, names...)
	s.allow(8, 100*sol)
	s.novitiate(8, nil)
	same(t, "weight after eight more", s.entry("n0").Weight, 4*sol)
	same(t, "since", s.entry("n0").Since, 0)
	s.weighed()
	same(t, "weight", s.entry("n0").Weight, 4*sol)
}

// since sets how many golden cases judges have had since they grew.
func (s *scene) since(cases uint8, names ...string) {
	r := s.roster()
	for _, name := range names {
		r.Entries[r.Find(voting.Key(s.at(name)))].Since = cases
	}
	s.set(s.prog.Roster(), r)
}

// TestAttackRecordsLost: a proctor of lies spoils the records of seven of ten judges, to have the
// other three as the court. Too few are fit then, so those of the season before stay, but not one
// that leaves.
func TestAttackRecordsLost(t *testing.T) {
	s := alone(t)
	s.cast(10, func(p *program.Params) { p.Credential = 1 })
	s.proven()
	s.weighed()
	r := s.roster()
	for i := range r.Entries[3:] {
		e := &r.Entries[3+i]
		e.Seen, e.Right, e.Wrong = 20, 0, 20
	}
	s.set(s.prog.Roster(), r)
	s.ok(s.exit(judgeName(9)))
	s.weighed()
	same(t, "weight of all", s.roster().Weight, 9*sol)
	same(t, "weight of one that leaves", s.entry(judgeName(9)).Weight, 0)
}

// TestAttackBadRecordWeighs: a judge that is always wrong has no weight, neither if the court asks
// for records, nor if it keeps novices apart and has too few proven judges for that.
func TestAttackBadRecordWeighs(t *testing.T) {
	for credential, novices := range []int{1: 0, 2: 6} {
		if credential == 0 {
			continue
		}
		s := alone(t)
		s.cast(10, func(p *program.Params) { p.Credential = uint8(credential) })
		s.proven()
		s.weighed()
		r := s.roster()
		for i := range r.Entries[:novices] {
			e := &r.Entries[i]
			e.Seen, e.Right, e.Wrong, e.Owned = 5, 5, 0, e.Owned&^program.OwnProven
		}
		bad := &r.Entries[9]
		bad.Seen, bad.Right, bad.Wrong = 20, 0, 20
		s.set(s.prog.Roster(), r)
		s.weighed()
		same(t, "weight of the bad one", s.entry(judgeName(9)).Weight, 0)
		same(t, "weight of all", s.roster().Weight, 9*sol)
	}
}

// TestAttackRoomHeld: a novice of 3 SOL that joined first only abstains. Before, it had the whole
// room, and five others weighed nothing. Now each has a sixth.
func TestAttackRoomHeld(t *testing.T) {
	s := alone(t)
	s.cast(27, apart)
	s.proven()
	s.fresh(3*sol, "hog")
	others := s.fresh(sol, "n0", "n1", "n2", "n3", "n4")
	s.weighed()
	same(t, "the first", s.entry("hog").Weight, 3*sol/6)
	same(t, "the others", s.weightOf(others), 5*(3*sol/6))
}

// TestAttackPauseForEver: five judges are wrong in golden cases, and the authority, which is with
// them, pauses for a second whenever the time to challenge is nearly over. Before, each pause began
// that time again, until the batch had to be closed and nobody lost anything. Now it adds a second.
func TestAttackPauseForEver(t *testing.T) {
	s := alone(t)
	s.proctored(28)
	s.allow(64, 10*sol)
	b := s.batched(voting.Accept, voting.Reject)
	for i, l := range b.leaves {
		s.judge(b, i, func(panel []string) votes {
			v := all(panel, l.Answer)
			v[panel[0]] = 3 - l.Answer
			return v
		}, cheap)
	}
	s.openAll(b)
	complete := s.batchOf(b).CompleteAt
	s.until(complete + 14_000)
	s.refused(program.ErrTooEarly, s.apply(b, 0))
	s.ok(s.pause(1))
	s.pass(1)
	s.ok(s.pause(0))
	s.until(complete + 14_400)
	s.refused(program.ErrTooEarly, s.apply(b, 0))
	s.pass(1)
	s.ok(s.apply(b, 0))
	s.ok(s.apply(b, 1))
	s.ok(s.closeBatch(b))
}
