package oju_test

import (
	"ojud/ledger/program"
	"ojud/voting"
)

func voteScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"commit": func(s *scene) {
			s.cast(7)
			k := s.contested()
			s.no(program.ErrNotSeated, s.commit(k, 1, "j0", voting.Accept))
			s.draw(k)
			s.no(program.ErrNotSeated, s.commit(k, 1, "alice", voting.Accept))
			s.no(program.ErrWrongRound, s.commit(k, 2, "j0", voting.Accept))
			s.no(program.ErrMissingHash, s.commitment(k, "j0", program.Commit{Round: 1}))
			for _, n := range []int{1, 92, 94} {
				s.no(program.ErrBadSealed, s.commitment(k, "j0", program.Commit{Round: 1, Commitment: hash("x"), Sealed: make([]byte, n)}))
			}
			s.ok(s.commit(k, 1, "j0", voting.Accept))
			s.no(program.ErrAlreadyCommitted, s.commit(k, 1, "j0", voting.Reject))
			s.ok(s.commitment(k, "j1", program.Commit{Round: 1, Commitment: hash("x")}))
			s.pass(420)
			s.no(program.ErrTooLate, s.commit(k, 1, "j2", voting.Accept))
		},
		"the last commit begins the reveal": func(s *scene) {
			s.cast(7)
			k := s.seated()
			names := s.panel(k)
			s.pass(100)
			s.commits(k, all(names[:6], voting.Accept))
			s.no(program.ErrTooEarly, s.reveal(k, 1, names[0], voting.Accept))
			s.commits(k, all(names[6:], voting.Reject))
			s.no(program.ErrWrongStatus, s.commit(k, 1, names[0], voting.Accept))
			s.ok(s.reveal(k, 1, names[0], voting.Accept))
		},
		"reveal in time": func(s *scene) {
			s.cast(7)
			k := s.contested()
			s.no(program.ErrWrongStatus, s.reveal(k, 1, "j0", voting.Accept))
			s.draw(k)
			s.commits(k, votes{"j0": voting.Accept, "j1": voting.Reject, "j2": voting.Abstain})
			s.pass(419)
			s.no(program.ErrTooEarly, s.reveal(k, 1, "j0", voting.Accept))
			s.pass(1)
			s.ok(s.reveal(k, 1, "j0", voting.Accept))
			s.ok(s.reveal(k, 1, "j2", voting.Abstain))
			s.no(program.ErrWrongStatus, s.commit(k, 1, "j3", voting.Accept))
			s.pass(180)
			s.no(program.ErrTooLate, s.reveal(k, 1, "j1", voting.Reject))
		},
		"opening": func(s *scene) {
			s.cast(7)
			k := s.seated()
			s.commits(k, votes{"j0": voting.Accept, "j1": voting.Reject})
			s.until(s.caseOf(k).CommitEnds)
			for _, change := range []func(*voting.Opening){
				func(o *voting.Opening) { o.Opinion[0] ^= 1 }, func(o *voting.Opening) { o.Receipts[0] ^= 1 },
				func(o *voting.Opening) { o.Salt[0] ^= 1 }, func(o *voting.Opening) { o.Choice = voting.Reject },
			} {
				o := s.opening(k, 1, "j0", voting.Accept)
				change(&o)
				s.no(program.ErrWrongOpening, s.prog.Reveal(k.at, s.at("j0"), 1, o))
			}
			s.no(program.ErrWrongOpening, s.prog.Reveal(k.at, s.at("j1"), 1, s.opening(k, 1, "j0", voting.Accept)))
			for _, choice := range []voting.Choice{0, 4, 255} {
				s.no(program.ErrBadChoice, s.reveal(k, 1, "j0", choice))
			}
			s.no(program.ErrWrongRound, s.reveal(k, 2, "j0", voting.Accept))
			s.no(program.ErrNotSeated, s.reveal(k, 1, "alice", voting.Accept))
			s.no(program.ErrNotCommitted, s.reveal(k, 1, "j2", voting.Accept))
			s.ok(s.reveal(k, 1, "j0", voting.Accept))
			s.no(program.ErrAlreadyRevealed, s.reveal(k, 1, "j0", voting.Accept))
		},
		"a choice that does not exist": func(s *scene) {
			s.cast(7)
			k := s.seated()
			s.ok(s.commit(k, 1, "j0", 4))
			s.until(s.caseOf(k).CommitEnds)
			s.no(program.ErrBadChoice, s.reveal(k, 1, "j0", 4))
		},
	}
}
