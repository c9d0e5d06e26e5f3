package oju_test

import (
	"github.com/gagliardetto/solana-go"

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
		func(p *program.Params) { p.CooldownSeconds = 93_599 }, func(p *program.Params) { p.DrawSeconds = 0 },
		func(p *program.Params) { p.EvidenceSeconds = 165_601 }, func(p *program.Params) { p.BondBps = 10_001 },
		func(p *program.Params) { p.AbsentBps = 10_001 }, func(p *program.Params) { p.MinorityBps = 10_001 },
		func(p *program.Params) { p.EquivocationBps = 10_001 }, func(p *program.Params) { p.AbstainBps = 10_001 },
		func(p *program.Params) { p.MaxJudges = 6 }, func(p *program.Params) { p.MaxJudges = 513 },
		func(p *program.Params) { p.DrawDelaySlots = 0 }, func(p *program.Params) { p.DrawDelaySlots = 257 },
		func(p *program.Params) { p.TradeBps = 1_001 }, func(p *program.Params) { p.ClaimBps = 2_001 },
		func(p *program.Params) { p.MinWorkSeconds = 0 }, func(p *program.Params) { p.MinWorkSeconds = 86_401 },
		func(p *program.Params) { p.MaxRounds = 4 }, func(p *program.Params) { p.PanelSeats = 29 },
		func(p *program.Params) { p.MinSeats = 0 }, func(p *program.Params) { p.MinSeats = 29 },
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
		"update": func(s *scene) {
			s.begin()
			for _, f := range bad() {
				s.no(program.ErrBadConfig, s.update(func(u *program.UpdateConfig) { f(&u.Params) }))
			}
			s.no(program.ErrBadConfig, s.update(func(u *program.UpdateConfig) { u.Paused = 2 }))
			s.no(program.ErrBadConfig, s.update(func(u *program.UpdateConfig) { u.Params.Network = hash("another") }))
			s.ok(s.update(func(u *program.UpdateConfig) { u.Authority, u.Paused = s.fund("next", sol), 1 }))
			i := s.update(func(u *program.UpdateConfig) { u.Paused = 0 })
			s.no(program.ErrNotAuthority, swap(i, 0, s.at("authority")))
			s.ok(i)
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
