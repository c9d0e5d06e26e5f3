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
		e.Right, e.Wrong, e.Seen = 13, 7, 20
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

// TestAttackBlindNovice: beside ten proven judges of 1 SOL, two novices see 24 golden cases. The
// right one then weighs its whole stake, and the one that always rejects weighs nothing. To
// leave and join again makes it a novice. Judges with a bad record make no room for it.
func TestAttackBlindNovice(t *testing.T) {
	s := alone(t)
	s.proctored(10, apart)
	s.proven()
	for _, name := range []string{"right", "blind"} {
		s.fund(name, 20*sol)
		s.ok(s.join(name, sol)...)
	}
	// The first one leaves the second too little. So they enter one after another.
	s.weighed()
	same(t, "weight of the first novice", s.entry("right").Weight, sol)
	same(t, "weight of the second", s.entry("blind").Weight, 0)
	for _, name := range []string{"right", "blind"} {
		s.allow(24, 100*sol)
		s.novitiate(name, name == "right")
		e := s.entry(name)
		t.Logf("%s: %d right, %d wrong of %d, stake %d, rewards %d", name, e.Right, e.Wrong, e.Seen, e.Stake, e.Rewards)
		same(t, "seen", e.Tried(), true)
	}
	same(t, "weight of the right one", s.entry("right").Weight, sol)
	same(t, "weight of the blind one", s.entry("blind").Weight, 0)
	if blind := s.entry("blind"); blind.Holds() || blind.Stake >= sol {
		t.Errorf("always rejecting: holds %v, stake %d", blind.Holds(), blind.Stake)
	}

	s.ok(s.exit("blind"))
	s.pass(int64(s.law().CooldownSeconds))
	s.ok(s.leave("blind"))
	s.ok(s.join("blind", 10*sol)...)
	r := s.roster()
	r.Entries[0].Right, r.Entries[0].Wrong, r.Entries[0].Seen = 12, 8, 20
	s.set(s.prog.Roster(), r)
	s.weighed()
	if e, room := s.entry("blind"), s.roster().Novices(s.law().Params).Room; e.Weight != room || 9*e.Weight > s.roster().Weight-e.Weight {
		t.Errorf("joined again with 10 SOL, it weighs %d, and the room is %d", e.Weight, room)
	}
}

// novitiate brings 24 golden cases through the court. The novice is right, or always rejects, and
// the others are right.
func (s *scene) novitiate(novice string, right bool) {
	s.t.Helper()
	var answers []voting.Choice
	for i := range 24 {
		answers = append(answers, voting.Choice(1+i%2))
	}
	b := s.batched(answers...)
	for i, answer := range answers {
		s.judge(b, i, func(panel []string) votes {
			v := all(panel, answer)
			if _, sits := v[novice]; sits && !right {
				v[novice] = voting.Reject
			}
			return v
		})
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
		r.Entries[3+i].Seen = 19
	}
	s.set(s.prog.Roster(), r)
	s.weighed()
	same(t, "weight of all", s.roster().Weight, 10*sol)
	same(t, "weight of a novice", s.entry(judgeName(9)).Weight, sol)
}
