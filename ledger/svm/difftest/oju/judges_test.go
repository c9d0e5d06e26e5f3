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
			s.no(program.ErrNoWithdrawKey, s.joinWith("j1", "j1", program.JoinRoster{Stake: sol})...)
			s.ok(s.pause(1))
			s.no(program.ErrPaused, s.join("j1", sol)...)
			s.ok(s.pause(0))
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
				s.idle(),
			} {
				s.no(program.ErrBadPeerProof, before, good[1])
			}
			s.no(program.ErrBadPeerProof, good[1])
			s.no(program.ErrBadPeerProof, good[0], s.idle(), good[1])
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
				s.ok(s.exit(name))
			}
			s.no(program.ErrRosterFull, s.join("late", sol)...)
			s.pass(172_800)
			for _, name := range []string{"j4", "j2"} {
				s.released(name)
				s.ok(s.leave(name))
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
			s.ok(top("j0", sol))
		},
		"seasons": func(s *scene) {
			s.begin()
			s.ok(s.season())
			s.no(program.ErrSeasonRuns, s.season()) // nobody can be drawn, but a draw must not forget its seed
			s.advance(513)
			for i := range 8 {
				s.fund(judgeName(i), 4*sol)
				s.ok(s.join(judgeName(i), sol)...)
			}
			s.ok(s.season())
			s.no(program.ErrSeasonRuns, s.season())
			s.ok(s.exit("j1"))
			s.pass(86_399)
			s.no(program.ErrSeasonRuns, s.season())
			s.pass(1)
			s.ok(s.season())
			same(s.t, "weight", s.roster().Weight, 7*sol)
			s.until(s.entry("j1").ExitAt)
			s.released("j1")
			s.ok(s.leave("j1"))
			s.fund("heir", 4*sol)
			s.ok(s.join("heir", 2*sol)...)
			s.clock(s.now()+86_400, s.roster().SeasonSlot+512)
			s.no(program.ErrSeasonRuns, s.season())
			s.advance(1)
			s.ok(s.season())
			same(s.t, "weight", s.roster().Weight, 9*sol)
		},
		"leave": func(s *scene) {
			s.cast(2)
			leave, take := s.exit("j0"), s.leave("j0")
			s.no(program.ErrNotExiting, take)
			s.ok(leave)
			s.no(program.ErrAlreadyExiting, leave)
			s.no(program.ErrAlreadyOnRoster, s.join("j0", sol)...)
			s.pass(172_799)
			s.no(program.ErrTooEarly, take)
			s.pass(1)
			for range 2 { // it weighs in its season, and then in the one before
				s.no(program.ErrSeasonRuns, take)
				s.pass(86_400)
				s.ok(s.season())
			}
			s.ok(take)
			s.no(program.ErrNotOnRoster, take)
			s.no(program.ErrNotOnRoster, leave)
		},
		"leave with rewards, after the round": func(s *scene) {
			s.cast(7, func(p *program.Params) {
				p.CooldownSeconds, p.SeasonSeconds, p.DrawSeconds, p.EvidenceSeconds, p.AppealSeconds = 4_800, 2_400, 1_000, 0, 0
			})
			k := s.seated()
			s.ok(s.exit("j0"))
			s.vote(k, all(s.panel(k), voting.Accept))
			s.pass(4_800)
			s.no(program.ErrStakeLocked, s.leave("j0"))
			s.ok(s.settle(k))
			s.released("j0")
			s.ok(s.leave("j0"))
		},
		"withdraw key": func(s *scene) {
			s.cast(7)
			s.fund("hot", 20*sol)
			s.fund("safe", sol) // one pay is less than the rent of a new wallet
			cold, judge := s.at("cold"), s.at("hot")
			s.ok(s.joinWith("hot", "hot", program.JoinRoster{Withdraw: cold, Stake: sol})...)
			s.weighed()
			k := s.seated()
			s.round(k, all(s.panel(k), voting.Accept))
			claim := s.prog.ClaimReward(cold, s.at("safe"), program.ClaimReward{Judge: judge})
			s.no(program.ErrNotEnoughAccounts, s.reward("hot"))
			s.no(program.ErrWrongAddress, swap(claim, 2, judge))
			s.no(program.ErrWrongOwner, swap(claim, 1, s.prog.Config()))
			s.ok(claim)
			begin := s.prog.BeginExit(cold, s.law().Number, program.BeginExit{Judge: judge})
			s.no(program.ErrNotAuthority, s.exit("hot"))
			s.ok(begin)
			change := s.prog.ChangeWithdraw(cold, program.ChangeWithdraw{Judge: judge, Withdraw: s.at("colder")})
			s.no(program.ErrNotAuthority, swap(change, 0, judge))
			s.no(program.ErrNoWithdrawKey, s.prog.ChangeWithdraw(cold, program.ChangeWithdraw{Judge: judge}))
			s.no(program.ErrNotOnRoster, s.prog.ChangeWithdraw(cold, program.ChangeWithdraw{Judge: cold, Withdraw: cold}))
			s.ok(change)
			s.no(program.ErrNotAuthority, change)
			s.pass(172_800)
			s.released("hot")
			take := s.prog.WithdrawStake(s.at("colder"), s.at("safe"), program.WithdrawStake{Judge: judge})
			s.no(program.ErrNotAuthority, swap(take, 0, cold))
			s.no(program.ErrWrongOwner, swap(take, 2, s.prog.Config()))
			s.ok(take)
		},
		"rewards": func(s *scene) {
			s.cast(8)
			claim := s.reward("j0")
			s.no(program.ErrNothingToClaim, claim)
			s.no(program.ErrNotOnRoster, s.reward("alice"))
			k := s.seated()
			s.round(k, all(s.panel(k), voting.Accept))
			s.ok(claim)
			s.no(program.ErrNothingToClaim, claim)
		},
	}
}
