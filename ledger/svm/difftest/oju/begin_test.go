package oju_test

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/difftest"
)

// bad returns parameters just out of their ranges (protocol section 4).
func bad() []func(*program.Params) {
	return []func(*program.Params){
		func(p *program.Params) { p.MinStake = 0 }, func(p *program.Params) { p.MinStake = p.MaxSeatWeight + 1 },
		func(p *program.Params) { p.MaxSeatWeight = 1<<50 + 1 }, func(p *program.Params) { p.MinReward = 0 },
		func(p *program.Params) { p.CommitSeconds = 0 }, func(p *program.Params) { p.RevealSeconds = 86_401 },
		func(p *program.Params) { p.VerifySeconds = 0 }, func(p *program.Params) { p.AnswerSeconds = 2_592_001 },
		func(p *program.Params) { p.CooldownSeconds = 91_199 }, func(p *program.Params) { p.CooldownSeconds = 2_592_001 },
		func(p *program.Params) { p.DrawSeconds = 0 },
		func(p *program.Params) { p.EvidenceSeconds = 168_001 }, func(p *program.Params) { p.FeeBps = 10_001 },
		func(p *program.Params) { p.CreatorBps = 10_001 }, func(p *program.Params) { p.WorkerBps = 10_001 },
		func(p *program.Params) { p.RiskBps = 10_001 }, func(p *program.Params) { p.FeeMin = 1<<50 + 1 },
		func(p *program.Params) { p.GoldenGain = 0 }, func(p *program.Params) { p.GoldenLoss = 0 },
		func(p *program.Params) { p.Absence = 41 }, func(p *program.Params) { p.Minority = 40 },
		func(p *program.Params) { p.Preset = 0 }, func(p *program.Params) { p.Preset = 3 },
		func(p *program.Params) { p.MaxJudges = 6 }, func(p *program.Params) { p.MaxJudges = program.MaxJudges + 1 },
		func(p *program.Params) { p.DrawDelaySlots = 0 }, func(p *program.Params) { p.DrawDelaySlots = 257 },
		func(p *program.Params) { p.TradeBps = 1_001 }, func(p *program.Params) { p.ClaimBps = 2_001 }, func(p *program.Params) { p.CoverBps = 10_001 },
		func(p *program.Params) { p.MinWorkSeconds = 0 }, func(p *program.Params) { p.MinWorkSeconds = 86_401 },
		func(p *program.Params) { p.MaxRounds = 4 }, func(p *program.Params) { p.PanelSeats = 29 },
		func(p *program.Params) { p.MinSeats = 0 }, func(p *program.Params) { p.MinSeats = 29 },
	}
}

// harsh returns parameters that are in their ranges, and that no version may have after the
// default.
func harsh() []func(*program.Params) {
	return []func(*program.Params){
		func(p *program.Params) { p.CommitSeconds = 59 }, func(p *program.Params) { p.RevealSeconds = 59 },
		func(p *program.Params) { p.VerifySeconds = 59 }, func(p *program.Params) { p.AnswerSeconds = 59 },
		func(p *program.Params) { p.DrawSeconds = 59 }, func(p *program.Params) { p.EvidenceSeconds = 59 },
		func(p *program.Params) { p.CooldownSeconds = 172_799 }, func(p *program.Params) { p.RiskBps = 1_001 },
	}
}

func beginScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"init is the upgrade authority's, once": func(s *scene) {
			s.fund("authority", 1_000*sol)
			s.fund("mallory", sol)
			s.deployed("mallory")
			s.no(program.ErrNotAuthority, s.init())
			s.deployed("")
			s.no(program.ErrNotAuthority, s.init())
			s.deployed("authority")
			for _, f := range bad() {
				s.no(program.ErrBadConfig, s.init(f))
			}
			s.ok(s.init())
			s.no(program.ErrAlreadyExists, s.init())
		},
		"init at prefunded addresses": func(s *scene) {
			s.fund("authority", 1_000*sol)
			s.put(s.prog.Config(), difftest.Wallet(solana.PublicKey(s.prog.Config()), 1).Account)
			s.put(s.prog.Roster(), difftest.Wallet(solana.PublicKey(s.prog.Roster()), 50*sol).Account)
			s.deployed("authority")
			s.ok(s.init())
		},
		"rules": func(s *scene) {
			s.begin()
			for _, f := range append(bad(), harsh()...) {
				s.no(program.ErrBadConfig, s.announce(f))
			}
			i := s.announce(func(p *program.Params) { p.MaxReworks = 9 })
			s.no(program.ErrNotAuthority, swap(i, 0, s.at("alice")))
			s.ok(i)
			s.no(program.ErrWrongRules, i)
			s.no(program.ErrRulesAnnounced, s.announce())
			s.no(program.ErrWrongRules, swap(s.create("alice"), 2, s.prog.Rules(2)))
			s.until(s.version(2).From - 1)
			s.no(program.ErrRulesAnnounced, s.announce())
			s.ok(s.create("alice"))
			s.pass(1)
			old := swap(s.create("alice"), 2, s.prog.Rules(1))
			s.no(program.ErrWrongRules, old)
			s.ok(s.create("alice"))
			s.no(program.ErrWrongRules, s.prog.ProposeRules(s.at("authority"), 1, program.ProposeRules{Params: params()}))
			s.ok(s.announce())
			i = s.takeBack()
			s.no(program.ErrNotAuthority, swap(i, 0, s.at("alice")))
			s.no(program.ErrWrongRules, swap(i, 2, s.prog.Rules(1)))
			s.no(program.ErrWrongRules, s.prog.WithdrawRules(s.at("authority"), 2))
			s.ok(i, s.prog.ProposeRules(s.at("authority"), 2, program.ProposeRules{Params: s.version(2).Params}))
			s.until(s.version(3).From)
			s.no(program.ErrTooLate, s.takeBack())
		},
		"authority": func(s *scene) {
			s.begin()
			next := s.fund("next", sol)
			p := s.prog
			name := func(by string, key onchain.Address) onchain.Instruction {
				return p.ProposeAuthority(s.at(by), program.ProposeAuthority{Authority: key})
			}
			s.no(program.ErrNotAuthority, p.AcceptAuthority(next))
			s.no(program.ErrNotAuthority, name("alice", s.at("alice")))
			s.ok(name("authority", next))
			s.ok(name("authority", onchain.Address{})) // withdrawn
			s.no(program.ErrNotAuthority, p.AcceptAuthority(next))
			s.ok(name("authority", s.at("alice")), name("authority", next)) // replaced
			s.no(program.ErrNotAuthority, p.AcceptAuthority(s.at("alice")))
			s.no(program.ErrNotAuthority, p.Pause(next, program.Pause{Paused: 1}))
			s.ok(p.AcceptAuthority(next))
			s.no(program.ErrNotAuthority, p.AcceptAuthority(next))
			s.no(program.ErrNotAuthority, p.Pause(s.at("authority"), program.Pause{Paused: 1}))
			s.no(program.ErrBadConfig, p.Pause(next, program.Pause{Paused: 2}))
			s.ok(p.Pause(next, program.Pause{Paused: 1}))
			s.no(program.ErrPaused, p.GiveUp(next))
			s.no(program.ErrNotAuthority, p.GiveUp(s.at("authority")))
			s.ok(p.Pause(next, program.Pause{}))
			s.ok(name("next", s.at("alice")))
			s.ok(p.GiveUp(next))
			s.no(program.ErrNotAuthority, p.AcceptAuthority(s.at("alice")))
			s.no(program.ErrNotAuthority, p.Pause(next, program.Pause{Paused: 1}))
			s.no(program.ErrNotAuthority, swap(s.announce(), 0, next))
		},
		"malformed": func(s *scene) {
			s.begin()
			i := s.prog.Deposit(s.at("alice"), s.at("alice"), program.Deposit{Amount: 1})
			data := program.EncodeInstruction(&program.Deposit{Amount: 1})
			for _, b := range [][]byte{nil, {0}, data[:7], data[:8], data[:15], append(append([]byte(nil), data...), 0)} {
				s.no(program.ErrBadInstruction, with(i, b))
			}
			s.no(program.ErrNotEnoughAccounts, cut(i, 2))
			s.no(program.ErrWrongOwner, swap(i, 2, s.prog.ID()))
		},
	}
}
