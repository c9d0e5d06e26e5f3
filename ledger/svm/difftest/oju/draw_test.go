package oju_test

import (
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

func drawScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"seven of seven": func(s *scene) {
			s.cast(7)
			k := s.seated()
			s.no(program.ErrWrongStatus, s.prog.Draw(k.at))
		},
		"28 of 32": func(s *scene) {
			s.cast(32)
			if k := s.seated(); len(s.panel(k)) != 28 {
				s.t.Fatal(s.panel(k))
			}
		},
		"512 judges": func(s *scene) {
			s.begin()
			roster := s.roster()
			for i := range 512 {
				stake := uint64(sol + i*i*7_919%12*sol)
				roster.Entries = append(roster.Entries, program.RosterEntry{
					Authority: s.at(judgeName(i)), Peer: peer(judgeName(i)), Withdraw: s.at(judgeName(i)), Stake: stake, JoinedAt: s.now(), State: program.EntryActive,
				})
				roster.TotalStake += stake
			}
			roster.Active = 512
			s.set(s.prog.Roster(), roster)
			a := s.accounts[s.prog.Roster()]
			a.Lamports += roster.TotalStake
			s.put(s.prog.Roster(), a)
			s.ok(s.season())
			k := s.contested()
			s.reach(k)
			limit := onchain.Instruction{Program: onchain.Address(solana.ComputeBudget), Data: []byte{2, 0xc0, 0x5c, 0x15, 0}} // 1,400,000 units
			s.ok(limit, s.prog.Draw(k.at))
		},
		"too few": func(s *scene) {
			s.cast(7)
			other := s.seated()
			k := s.contested()
			s.ok(s.slash(other, 1, "j6")...)
			s.reach(k)
			s.no(program.ErrTooFewJudges, s.prog.Draw(k.at))
			s.fund("j7", 20*sol)
			s.ok(s.join("j7", sol)...)
			s.no(program.ErrTooFewJudges, s.prog.Draw(k.at)) // too late for this seed slot
			s.advance(600)
			s.no(program.ErrSeasonRuns, s.season()) // j6 has its weight until the season is over
		},
		"the parties do not sit": func(s *scene) {
			s.cast(7)
			s.ok(s.prog.UpdateAgent(s.at("alice"), onchain.Address{}, program.UpdateAgent{Operator: s.at("olga")}))
			for _, name := range []string{"k0", "olga"} {
				s.fund(name, 20*sol)
			}
			s.ok(s.join("alice", sol)...)
			s.ok(s.join("olga", sol)...)
			s.ok(s.joinAs("k0", "k0", sol, s.at("bob"))...)
			panel := s.panel(s.seated())
			slices.Sort(panel)
			if !slices.Equal(panel, []string{"j0", "j1", "j2", "j3", "j4", "j5", "j6"}) {
				s.t.Fatal(panel)
			}
		},
		"the first block from the seed slot": func(s *scene) {
			s.cast(7)
			k := s.contested()
			seed := s.caseOf(k).SeedSlot
			s.blocks(hashes(seed-1, 2))
			s.no(program.ErrTooEarly, s.prog.Draw(k.at))
			s.clock(s.now(), seed+5)
			s.blocks(append(hashes(seed+4, 2), hashes(seed-1, 1)...))
			s.ok(s.prog.Draw(k.at))
			if got := s.caseOf(k).DrawnSlot; got != seed+3 {
				s.t.Fatal(got, seed)
			}
		},
		"no blocks": func(s *scene) {
			s.cast(7)
			k := s.contested()
			s.blocks(nil)
			s.no(program.ErrTooEarly, s.prog.Draw(k.at))
		},
		"512 blocks": func(s *scene) {
			s.cast(7)
			k := s.contested()
			seed := s.caseOf(k).SeedSlot
			s.clock(s.now(), seed+400)
			s.blocks(hashes(seed+399, 512))
			s.ok(s.prog.Draw(k.at))
		},
		"forgotten": func(s *scene) {
			s.cast(7)
			k := s.contested()
			s.advance(600)
			s.ok(s.prog.Draw(k.at)) // moves the seed slot
			s.no(program.ErrTooEarly, s.prog.Draw(k.at))
			s.draw(k)
		},
		"the roster forgets": func(s *scene) {
			s.cast(7)
			for _, passed := range []uint64{512, 513} {
				k := s.contested()
				seed := s.caseOf(k).SeedSlot
				s.clock(s.now(), seed+passed)
				s.blocks(append(hashes(seed+passed-1, 3), hashes(seed, 2)...)) // the chain has the block, because slots were skipped
				s.ok(s.prog.Draw(k.at))
				if drawn := len(s.caseOf(k).Seats) > 0; drawn != (passed == 512) {
					s.t.Fatal(passed, drawn)
				}
			}
		},
		"draw by": func(s *scene) {
			s.cast(7)
			k := s.contested()
			s.reach(k)
			s.clock(s.caseOf(k).DrawBy-1, s.env.Clock.Slot)
			s.no(program.ErrTooEarly, s.expireCase(k))
			s.clock(s.caseOf(k).DrawBy, s.env.Clock.Slot)
			s.no(program.ErrTooLate, s.prog.Draw(k.at))
			s.ok(s.expireCase(k))
			s.no(program.ErrWrongStatus, s.prog.Draw(k.at))
			s.no(program.ErrWrongStatus, s.expireCase(k))
		},
	}
}
