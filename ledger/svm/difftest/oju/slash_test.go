package oju_test

import (
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

func slashScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"in the round": func(s *scene) {
			s.cast(8)
			k := s.seated()
			s.commits(k, votes{"j0": voting.Accept, "j1": voting.Accept})
			s.ok(s.slash(k, 1, "j2")...)
			s.no(program.ErrEquivocated, s.slash(k, 1, "j2")...)
			s.no(program.ErrEquivocated, s.commit(k, 1, "j2", voting.Accept))
			s.until(s.caseOf(k).CommitEnds)
			s.reveals(k, votes{"j0": voting.Accept})
			s.ok(s.slash(k, 1, "j0")...)
			s.ok(s.slash(k, 1, "j1")...)
			s.no(program.ErrEquivocated, s.reveal(k, 1, "j1", voting.Accept))
			s.ok(s.settle(k))
		},
		"begins the reveal": func(s *scene) {
			s.cast(7)
			k := s.seated()
			v := all([]string{"j0", "j1", "j2", "j3", "j4", "j5"}, voting.Accept)
			s.commits(k, v)
			s.ok(s.slash(k, 1, "j6")...)
			s.reveals(k, v)
			s.ok(s.settle(k))
		},
		"after the verdict": func(s *scene) {
			s.cast(7)
			k := s.seated()
			v := all([]string{"j0", "j1", "j2", "j3", "j4", "j5"}, voting.Accept)
			v["j6"] = voting.Reject
			s.round(k, v)
			for i := range 7 {
				s.ok(s.slash(k, 1, judgeName(i))...)
			}
		},
		"after a void round and after the end": func(s *scene) {
			s.cast(7)
			k := s.seated()
			s.vote(k, votes{"j0": voting.Accept, "j1": voting.Reject})
			s.until(s.caseOf(k).RevealEnds)
			s.ok(s.settle(k))
			s.no(program.ErrBadEvidence, s.slash(k, 2, "j0")...)
			s.ok(s.slash(k, 1, "j0")...)
			s.pass(1_800)
			s.ok(s.expireCase(k))
			s.no(program.ErrBadEvidence, s.slash(k, 2, "j2")...)
			s.ok(s.slash(k, 1, "j2")...)
		},
		"after an undecided end": func(s *scene) {
			s.cast(7, oneRound)
			k := s.seated()
			s.vote(k, votes{"j0": voting.Accept, "j1": voting.Reject, "j2": voting.Reject})
			s.until(s.caseOf(k).RevealEnds)
			s.ok(s.settle(k))
			s.ok(s.slash(k, 1, "j0")...)
		},
		"who has left": func(s *scene) {
			s.cast(7)
			k := s.seated()
			s.round(k, all(s.panel(k), voting.Accept))
			s.ok(s.exit("j1"))
			s.pass(172_800)
			s.released("j1")
			s.ok(s.leave("j1"))
			s.ok(s.slash(k, 1, "j0")...)
			s.no(program.ErrNotOnRoster, s.slash(k, 1, "j1")...)
		},
		"evidence": func(s *scene) {
			s.cast(7)
			k := s.contested()
			s.no(program.ErrNotSeated, s.slash(k, 1, "j0")...)
			s.draw(k)
			good := s.slash(k, 1, "j0")
			one, two := s.said(k, 1, "j0", "one"), s.said(k, 1, "j0", "two")
			longer := says("j0", append(append([]byte(nil), one.Message...), 0))
			for _, evidence := range []onchain.Instruction{
				{}, program.Ed25519(one), program.Ed25519(one, one), program.Ed25519(one, two, s.said(k, 1, "j0", "three")),
				program.Ed25519(says("j1", one.Message), says("j1", two.Message)), program.Ed25519(one, says("j1", two.Message)),
				program.Ed25519(s.said(k, 2, "j0", "one"), two), program.Ed25519(one, longer),
				program.Ed25519(one, says("j0", s.domain().Statement(peer("x"), 1, voting.Key(s.at("j0")), hash("two")))),
				s.idle(),
			} {
				s.no(program.ErrBadEvidence, slashWith(good, evidence)...)
			}
			s.no(program.ErrNotSeated, good[0], with(good[1], program.EncodeInstruction(&program.SlashEquivocation{Seat: 7})))
			s.no(program.ErrNotSeated, good[0], with(good[1], program.EncodeInstruction(&program.SlashEquivocation{Seat: 255})))
			s.ok(good...)
		},
	}
}
