package oju_test

import (
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

func oneRound(p *program.Params) { p.MaxRounds = 1 }

// verdict checks the end of a case.
func (s *scene) verdict(k task, want voting.Verdict) {
	s.t.Helper()
	if got := s.caseOf(k).Verdict; got != want {
		s.t.Fatalf("verdict %v, not %v", got, want)
	}
}

func lifeScenes() map[string]func(*scene) {
	scenes := map[string]func(*scene){
		"accept, and everything is closed": func(s *scene) {
			s.cast(28)
			k := s.seated()
			names := s.panel(k)
			s.ok(s.commit(k, 1, names[19], voting.Accept)) // and never reveals
			s.vote(k, all(names[:19], voting.Accept))
			s.no(program.ErrNotYetSettleable, s.settle(k))
			s.until(s.caseOf(k).RevealEnds)
			s.no(program.ErrWrongStatus, s.prog.CloseCase(k.at, s.at("bob"), onchain.Address{}))
			s.no(program.ErrWrongStatus, s.publish(k, "carol"))
			s.ok(s.settle(k))
			s.verdict(k, voting.ForWorker)
			s.ok(s.publish(k, "carol"))
			s.no(program.ErrAlreadyExists, s.publish(k, "carol"))
			s.no(program.ErrWrongStatus, s.settle(k))
			s.pass(86_399)
			s.no(program.ErrTooEarly, s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
			s.no(program.ErrTooEarly, s.prog.CloseCase(k.at, s.at("bob"), onchain.Address{}))
			s.pass(1)
			s.ok(s.prog.CloseCase(k.at, s.at("bob"), onchain.Address{}))
			s.ok(s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
		},
		"reject": func(s *scene) {
			s.cast(9)
			k := s.seated()
			names := s.panel(k)
			v := all(names[:3], voting.Accept)
			for _, name := range names[3:] {
				v[name] = voting.Reject
			}
			s.round(k, v)
			s.verdict(k, voting.ForCreator)
		},
		"absent and abstaining": func(s *scene) {
			s.cast(9)
			k := s.seated()
			v := all([]string{"j0", "j1", "j2", "j3", "j4", "j5"}, voting.Accept)
			v["j6"] = voting.Abstain
			s.ok(s.commit(k, 1, "j7", voting.Accept)) // and never reveals
			s.vote(k, v)
			s.no(program.ErrNotYetSettleable, s.settle(k))
			s.until(s.caseOf(k).RevealEnds)
			s.ok(s.settle(k))
			s.verdict(k, voting.ForWorker)
		},
		"a void round, then a verdict": func(s *scene) {
			s.cast(9)
			for i := range 9 {
				s.ok(s.prog.TopUp(s.at(judgeName(i)), program.TopUp{Amount: sol}))
			}
			k := s.seated()
			s.no(program.ErrWrongStatus, s.expireCase(k))
			s.vote(k, votes{"j0": voting.Accept, "j1": voting.Accept, "j2": voting.Reject, "j3": voting.Abstain})
			s.until(s.caseOf(k).RevealEnds)
			s.ok(s.settle(k))
			s.draw(k)
			s.no(program.ErrWrongRound, s.commit(k, 1, "j0", voting.Accept))
			s.round(k, all(s.panel(k), voting.Reject))
			s.verdict(k, voting.ForCreator)
		},
		"expired after a void round": func(s *scene) {
			s.cast(9)
			k := s.seated()
			s.vote(k, votes{"j0": voting.Accept, "j1": voting.Reject})
			s.until(s.caseOf(k).RevealEnds)
			s.ok(s.settle(k))
			s.pass(1_800)
			s.ok(s.expireCase(k))
			s.verdict(k, voting.Undecided)
		},
		"nobody votes": func(s *scene) {
			s.cast(7, oneRound)
			k := s.seated()
			s.pass(419)
			s.no(program.ErrNotYetSettleable, s.settle(k))
			s.pass(1)
			s.ok(s.settle(k))
			for i := range 7 {
				s.ok(s.prog.TopUp(s.at(judgeName(i)), program.TopUp{Amount: sol / 200}))
			}
			next := s.seated()
			s.round(next, all(s.panel(next), voting.Accept))
		},
		"two cases": func(s *scene) {
			s.cast(8)
			one, two := s.contested(), s.contested()
			s.draw(one)
			s.draw(two)
			s.round(one, all(s.panel(one), voting.Accept))
			s.round(two, all(s.panel(two), voting.Reject))
		},
		"abstentions are a quorum, but not alone": func(s *scene) {
			s.cast(7)
			for sides, want := range []voting.Verdict{voting.NoVerdict, voting.NoVerdict, voting.NoVerdict, voting.NoVerdict, voting.ForWorker} {
				k := s.seated()
				v := all(s.panel(k), voting.Abstain)
				for _, name := range s.panel(k)[:sides] {
					v[name] = voting.Accept
				}
				s.round(k, v)
				s.verdict(k, want)
			}
		},
		"the seed's preset: a clear majority, then a narrow one": func(s *scene) {
			s.cast(9, func(p *program.Params) { p.Preset, p.Minority = 2, 7 })
			for _, rejects := range []int{1, 4} {
				k := s.seated()
				v := all(s.panel(k), voting.Accept)
				for _, name := range s.panel(k)[:rejects] {
					v[name] = voting.Reject
				}
				s.round(k, v)
			}
		},
	}
	for _, u := range []voting.OnUndecided{voting.RefundCreator, voting.PayWorker, voting.SplitEscrow} {
		scenes["undecided: "+program.OnUndecidedName(u)] = func(s *scene) {
			s.cast(7)
			for i := range 7 {
				s.ok(s.prog.TopUp(s.at(judgeName(i)), program.TopUp{Amount: sol}))
			}
			k := s.contested(func(c *program.CreateTask) { c.OnUndecided, c.RewardMin, c.RewardMax = u, sol+1, sol+1 })
			for range 2 {
				s.draw(k)
				names := s.panel(k)
				s.vote(k, votes{names[0]: voting.Accept, names[1]: voting.Reject, names[2]: voting.Abstain})
				s.until(s.caseOf(k).RevealEnds)
				s.ok(s.settle(k))
			}
			s.verdict(k, voting.Undecided)
		}
	}
	return scenes
}
