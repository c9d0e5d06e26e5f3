package oju_test

import (
	"math"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/difftest"
)

func agentScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"registry": func(s *scene) {
			s.begin()
			key := s.fund("dora", 10*sol)
			enter := program.RegisterAgent{Operator: s.at("olga"), CardHash: hash("card")}
			wrong := enter
			wrong.Page = 1
			s.no(program.ErrWrongPage, s.prog.RegisterAgent(key, wrong))
			s.ok(s.prog.RegisterAgent(key, enter))
			s.no(program.ErrAlreadyExists, s.prog.RegisterAgent(key, enter))
			change := s.prog.UpdateAgent(key, onchain.Address{}, program.UpdateAgent{Operator: s.at("oscar"), CardHash: hash("new card")})
			s.no(program.ErrNotAuthority, swap(change, 1, s.prog.Agent(s.at("bob"))))
			s.no(program.ErrNotEnoughAccounts, cut(change, 2))
			s.no(program.ErrNotSigner, replace(change, 2, onchain.AccountMeta{Address: s.at("oscar")}))
			s.no(program.ErrWrongAddress, swap(change, 2, s.at("olga")))
			s.ok(change)
			s.ok(cut(change, 2))                                                // the present operator need not sign again
			s.ok(s.prog.UpdateAgent(key, s.at("oscar"), program.UpdateAgent{})) // nor agree that it is cleared
			s.no(program.ErrNotEnoughAccounts, cut(change, 2))                  // after which it is a new one
		},
		"a full page": func(s *scene) {
			s.begin()
			page := &program.RegistryPage{}
			*page = *read(s, s.prog.RegistryPage(0), program.DecodeRegistryPage)
			for len(page.Entries) < program.PageEntries-1 {
				page.Entries = append(page.Entries, program.RegistryEntry{Authority: s.at("nobody"), Agent: s.at("nobody")})
			}
			config := s.config()
			config.AgentCount = program.PageEntries - 1
			s.set(s.prog.RegistryPage(0), page)
			s.set(s.prog.Config(), config)
			s.agent("last", onchain.Address{})
			s.fund("first", 10*sol)
			s.no(program.ErrWrongPage, s.prog.RegisterAgent(s.at("first"), program.RegisterAgent{}))
			s.agent("first", onchain.Address{})
		},
		"prefunded": func(s *scene) {
			s.begin()
			key := s.fund("dora", 10*sol)
			s.put(s.prog.Agent(key), difftest.Wallet(solana.PublicKey(s.prog.Agent(key)), 12_345).Account)
			s.ok(s.prog.RegisterAgent(key, program.RegisterAgent{}))
		},
		"vault": func(s *scene) {
			s.begin()
			alice, dora := s.at("alice"), s.fund("dora", 5*sol)
			take := func(n uint64) onchain.Instruction { return s.prog.Withdraw(alice, program.Withdraw{Amount: n}) }
			give := func(n uint64) onchain.Instruction { return s.prog.Deposit(dora, alice, program.Deposit{Amount: n}) }
			s.ok(give(2 * sol))
			s.no(program.ErrZeroAmount, give(0))
			s.no(program.ErrOverflow, give(math.MaxUint64))
			s.no(program.ErrZeroAmount, take(0))
			s.no(program.ErrNotEnoughInVault, take(102*sol+1))
			s.no(program.ErrNotAuthority, swap(take(sol), 0, s.at("bob")))
			s.ok(take(102 * sol))
			if r := s.send(give(1_000 * sol)); r.Err == nil {
				s.t.Fatal("a wallet paid what it does not have")
			}
		},
	}
}

// set puts a record of the program on the chain, with its rent and its earlier lamports.
func (s *scene) set(at onchain.Address, record program.Account) {
	a := s.accounts[at]
	data := record.Encode()
	a.Lamports += s.env.Rent.MinimumBalance(len(data)) - s.env.Rent.MinimumBalance(len(a.Data))
	a.Data = data
	s.put(at, a)
}
