package oju_test

import (
	"slices"
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// TestAttackLeaversFillTheAppeal: a party's judges, less than a third, begin to leave before its
// case is drawn. If a first panel passed over who leaves, and an appeal did not, all of them would
// hear the appeal: 14 of 21 seats. But a season seats who leaves in both, so that the first panel
// uses up its share of them.
func TestAttackLeaversFillTheAppeal(t *testing.T) {
	for _, c := range []struct{ honest, own, seats int }{{35, 14, 28}, {17, 7, 14}} {
		s := alone(t)
		s.cast(c.honest + c.own)
		var own []string
		for i := range c.own {
			own = append(own, judgeName(c.honest+i))
			s.ok(s.exit(own[i]))
		}
		s.pass(60)
		k := s.seated(func(i *program.CreateTask) { i.Seats = uint8(c.seats) })
		votes := func() (v votes, mine int) {
			v = all(s.panel(k), voting.Reject)
			for name := range v {
				if slices.Contains(own, name) {
					v[name], mine = voting.Accept, mine+1
				}
			}
			return v, mine
		}
		first, mine := votes()
		if s.round(k, first); mine == 0 {
			t.Errorf("%d and %d: nobody that leaves sits in the first panel", c.honest, c.own)
		}
		if s.caseOf(k).Status == voting.Appealable {
			s.ok(s.appeal(k, "bob"))
			s.draw(k)
			second, _ := votes()
			s.round(k, second)
		}
		if got := s.caseOf(k).Verdict; got == voting.ForWorker {
			t.Errorf("%d and %d: %v", c.honest, c.own, got)
		}
	}
}

// TestAttackPanelMakesTheCourtSmall: five bribed judges of a panel of seven begin to leave before
// they vote. If that made the court too small for a panel, two seasons could begin in seven
// minutes, the Roster would forget the panel's season, and nobody could appeal.
func TestAttackPanelMakesTheCourtSmall(t *testing.T) {
	s := alone(t)
	s.cast(14)
	for _, name := range []string{"j11", "j12", "j13"} { // honest judges that leave
		s.ok(s.exit(name))
	}
	s.pass(300)
	k := s.seated(seven)
	first := s.panel(k)
	v := all(first, voting.Reject)
	for _, name := range first[:5] {
		v[name] = voting.Accept
		if s.entry(name).State == program.EntryActive {
			s.ok(s.exit(name))
		}
	}
	s.advance(514)
	s.refused(program.ErrSeasonRuns, s.season())
	s.commits(k, v)
	s.reveals(k, v)
	s.ok(s.settle(k))
	s.ok(s.appeal(k, "alice"))
	s.draw(k)
	s.round(k, all(s.panel(k), voting.Reject))
	if got := s.caseOf(k).Verdict; got != voting.ForCreator {
		t.Errorf("%v", got)
	}
}

// TestAttackStakeGoneBeforeTheEvidence: a judge that leaves sits in an appeal and signs two votes.
// Its stake stays until the time for evidence is over, also if its cooldown is over before. In
// legal rules with long seasons it left 6.9 days early.
func TestAttackStakeGoneBeforeTheEvidence(t *testing.T) {
	for name, change := range map[string]func(p *program.Params){
		"default": func(*program.Params) {},
		"long": func(p *program.Params) {
			p.CooldownSeconds, p.SeasonSeconds, p.EvidenceSeconds = 14*86_400, 604_800, uint32(14*86_400-p.LongestCase())
		},
	} {
		s := alone(t)
		s.cast(14, change)
		length := int64(s.law().SeasonSeconds)
		s.pass(length)
		s.ok(s.season())
		s.pass(1)
		s.ok(s.exit("j0"))
		cooldown := s.entry("j0").ExitAt
		s.until(s.roster().SeasonAt + length - 3_000)
		k := s.seated(seven)
		s.round(k, all(s.panel(k), voting.Reject))
		s.until(s.roster().SeasonAt + length)
		s.ok(s.season())
		s.until(s.caseOf(k).AppealBy - 1)
		s.ok(s.appeal(k, "bob"))
		s.draw(k)
		if first := s.panel(k); !slices.Contains(first, "j0") && !s.caseOf(k).Sat(s.roster().Find(voting.Key(s.at("j0")))) {
			t.Fatalf("%s: j0 has no seat", name)
		}
		round := s.caseOf(k).Round
		s.round(k, all(s.panel(k), voting.Reject))
		end := s.caseOf(k).SettledAt + int64(s.law().EvidenceSeconds)
		s.until(s.roster().SeasonAt + length)
		s.ok(s.season())
		if s.now() < cooldown {
			s.until(cooldown)
		}
		if got := s.entry("j0").ExitAt; got < end || s.now() >= end {
			t.Errorf("%s: the stake leaves at %d, evidence ends at %d, and it is %d", name, got, end, s.now())
		}
		s.refused(program.ErrTooEarly, s.leave("j0"))
		if slices.Contains(s.panel(k), "j0") {
			before := s.entry("j0").Stake
			s.ok(late(s, k, round, "j0")...)
			if s.entry("j0").Stake >= before {
				t.Errorf("%s: evidence took nothing", name)
			}
		}
		s.until(s.entry("j0").ExitAt)
		s.ok(s.leave("j0"))
	}
}

// late is the evidence of two votes in an appeal of a first panel of seven.
func late(s *scene, k task, round uint8, judge string) []onchain.Instruction {
	list, err := s.prog.SlashEquivocation(7+s.seat(k, judge), hash(network), voting.Evidence{
		Task: voting.Key(k.at), Round: round, Judge: voting.Key(s.at(judge)), Peer: peer(judge),
		A: s.signed(k, round, judge, "one"), B: s.signed(k, round, judge, "two"),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

// TestAttackSeasonNumberComesBack: a case remembers the season of its first panel by a number of
// one byte. After 256 turns another season has it, and judges could join that season when the
// block of the appeal is known. The draw takes no season that began after its seed slot.
func TestAttackSeasonNumberComesBack(t *testing.T) {
	s := alone(t)
	s.cast(14, func(p *program.Params) {
		p.SeasonSeconds, p.AppealSeconds, p.CooldownSeconds = 600, 172_800, 5*86_400
	})
	s.pass(600)
	s.ok(s.season())
	k := s.seated(seven)
	s.round(k, all(s.panel(k), voting.Reject))
	number := s.caseOf(k).Season
	for s.roster().Season%256 != uint32(number+255)%256 {
		s.until(s.roster().SeasonAt + 600)
		s.ok(s.season())
	}
	s.until(s.roster().SeasonAt + 590)
	s.ok(s.appeal(k, "bob"))
	s.reach(k) // its block is known now
	s.until(max(s.now(), s.roster().SeasonAt+600))
	s.blocks(hashes(s.env.Clock.Slot-1, 500))
	before := s.drawnAfter(k)
	for i := range 21 {
		name := judgeName(14 + i)
		s.fund(name, 20*sol)
		s.ok(s.join(name, sol)...)
	}
	s.ok(s.season())
	if s.roster().Season%256 != uint32(number) {
		t.Fatalf("season %d, and the case has %d", s.roster().Season, number)
	}
	same(t, "the panel", s.drawnAfter(k), before)
}

// TestAttackCourtIsEmptied: ten of 14 judges leave together, and the next season seats nobody. It
// ends after the longest case and not after a day: by then no case needs the season before, and
// judges that have joined are seated. An appeal of that season is still heard.
func TestAttackCourtIsEmptied(t *testing.T) {
	s := alone(t)
	s.cast(14)
	law := s.law().Params
	turn := s.roster().SeasonAt + int64(law.SeasonSeconds)
	s.until(turn - 900)
	k := s.seated(seven)
	for i := range 10 {
		s.ok(s.exit(judgeName(i)))
	}
	s.round(k, all(s.panel(k), voting.Reject))
	s.until(turn)
	s.ok(s.season())
	for i := range 10 {
		name := judgeName(14 + i)
		s.fund(name, 20*sol)
		s.ok(s.join(name, sol)...)
	}
	s.until(max(s.caseOf(k).AppealBy-1, s.now()))
	s.ok(s.appeal(k, "bob"))
	s.draw(k)
	s.round(k, all(s.panel(k), voting.Accept))
	if got := s.caseOf(k).Verdict; got != voting.ForWorker {
		t.Errorf("the appeal: %v", got)
	}
	end := s.roster().SeasonAt + int64(law.LongestCase())
	s.until(end - 1)
	s.refused(program.ErrSeasonRuns, s.season())
	s.until(end)
	s.ok(s.season())
	next := s.seated(seven)
	s.round(next, all(s.panel(next), voting.Accept))
}
