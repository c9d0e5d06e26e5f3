package oju_test

import (
	"math"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

func judgeScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"join": func(s *scene) {
			s.begin()
			s.fund("j0", 20*sol)
			s.fund("j1", 20*sol)
			s.ok(s.joinAs("j0", "j0", 3*sol, s.at("olga"))...)
			s.no(program.ErrAlreadyOnRoster, s.join("j0", sol)...)
			s.no(program.ErrPeerTaken, s.joinAs("j1", "j0", sol, onchain.Address{})...)
			s.no(program.ErrStakeTooSmall, s.join("j1", sol-1)...)
			s.ok(s.update(func(u *program.UpdateConfig) { u.Paused = 1 }))
			s.no(program.ErrPaused, s.join("j1", sol)...)
			s.ok(s.update(func(u *program.UpdateConfig) { u.Paused = 0 }))
			s.ok(s.join("j1", sol)...)
		},
		"proof": func(s *scene) {
			s.begin()
			s.fund("j0", 20*sol)
			good := s.join("j0", sol)
			key, d := voting.Key(s.at("j0")), s.domain()
			proof := says("j0", d.JoinProof(key))
			testnet, other := d, d
			testnet.Network, other.Program = hash("testnet"), key
			for _, before := range []onchain.Instruction{
				program.Ed25519(says("j1", d.JoinProof(key))), program.Ed25519(says("j0", d.JoinProof(voting.Key(s.at("j1"))))),
				program.Ed25519(says("j0", testnet.JoinProof(key))), program.Ed25519(says("j0", other.JoinProof(key))),
				program.Ed25519(says("j0", append(d.JoinProof(key), 0))), program.Ed25519(), program.Ed25519(proof, proof),
				s.update(func(*program.UpdateConfig) {}),
			} {
				s.no(program.ErrBadPeerProof, before, good[1])
			}
			s.no(program.ErrBadPeerProof, good[1])
			s.no(program.ErrBadPeerProof, good[0], s.update(func(*program.UpdateConfig) {}), good[1])
			forged := proof
			forged.Signature[5] ^= 1
			if r := s.send(program.Ed25519(forged), good[1]); r.Err == nil {
				s.t.Fatal("a forged signature was taken")
			}
			s.ok(good...)
		},
		"full": func(s *scene) {
			s.cast(7, func(p *program.Params) { p.MaxJudges = 7 })
			s.fund("late", 20*sol)
			s.no(program.ErrRosterFull, s.join("late", sol)...)
			for _, name := range []string{"j4", "j2"} {
				s.ok(s.prog.BeginExit(s.at(name)))
			}
			s.no(program.ErrRosterFull, s.join("late", sol)...)
			s.pass(172_800)
			for _, name := range []string{"j4", "j2"} {
				s.ok(s.prog.WithdrawStake(s.at(name)))
			}
			s.ok(s.join("late", sol)...)
			s.ok(s.join("j2", sol)...)
			s.no(program.ErrRosterFull, s.join("j4", sol)...)
		},
		"top up": func(s *scene) {
			s.cast(1)
			s.fund("olga", 5*sol)
			top := func(name string, amount uint64) onchain.Instruction {
				return s.prog.TopUp(s.at(name), program.TopUp{Amount: amount})
			}
			s.ok(top("j0", 2*sol))
			s.no(program.ErrZeroAmount, top("j0", 0))
			s.no(program.ErrNotOnRoster, top("olga", sol))
			s.no(program.ErrOverflow, top("j0", math.MaxUint64))
			s.advance(512)
			s.no(program.ErrStillFresh, top("j0", sol))
			s.advance(1)
			s.ok(top("j0", sol))
			s.ok(top("j0", sol))
		},
		"leave": func(s *scene) {
			s.cast(2)
			leave, take := s.prog.BeginExit(s.at("j0")), s.prog.WithdrawStake(s.at("j0"))
			s.no(program.ErrNotExiting, take)
			s.ok(leave)
			s.no(program.ErrAlreadyExiting, leave)
			s.no(program.ErrAlreadyOnRoster, s.join("j0", sol)...)
			s.pass(172_799)
			s.no(program.ErrTooEarly, take)
			s.pass(1)
			s.ok(take)
			s.no(program.ErrNotOnRoster, take)
			s.no(program.ErrNotOnRoster, leave)
		},
		"leave with rewards, after the round": func(s *scene) {
			s.cast(7, func(p *program.Params) { p.CooldownSeconds, p.DrawSeconds, p.EvidenceSeconds = 4_800, 1_000, 0 })
			k := s.seated()
			s.ok(s.prog.BeginExit(s.at("j0")))
			s.vote(k, all(s.panel(k), voting.Accept))
			s.pass(4_800)
			s.no(program.ErrStakeLocked, s.prog.WithdrawStake(s.at("j0")))
			s.ok(s.settle(k))
			s.ok(s.prog.WithdrawStake(s.at("j0")))
		},
		"rewards": func(s *scene) {
			s.cast(8)
			claim := s.prog.ClaimReward(program.ClaimReward{Judge: s.at("j0")})
			s.no(program.ErrNothingToClaim, claim)
			s.no(program.ErrNotOnRoster, s.prog.ClaimReward(program.ClaimReward{Judge: s.at("alice")}))
			k := s.seated()
			s.round(k, all(s.panel(k), voting.Accept))
			s.ok(claim)
			s.no(program.ErrNothingToClaim, claim)
		},
	}
}
