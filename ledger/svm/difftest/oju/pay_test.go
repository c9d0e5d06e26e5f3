package oju_test

import (
	"crypto/ed25519"
	"math"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/difftest"
	"ojud/voting"
)

const forever = math.MaxInt64

// voucher returns payer's promise to payee.
func (s *scene) voucher(payer, payee string, cumulative uint64, expires int64) program.Voucher {
	return program.Voucher{Domain: s.domain(), Payer: s.at(payer), Payee: s.at(payee), Cumulative: cumulative, Expires: expires}
}

// pull returns the voucher and the payee's pull of its amount.
func (s *scene) pull(payer, payee string, cumulative uint64, expires int64) []onchain.Instruction {
	return s.pullBy(payee, s.voucher(payer, payee, cumulative, expires))
}

// pullBy also makes pulls that program.PullPayment refuses to make. Its accounts come from the
// voucher.
func (s *scene) pullBy(signer string, v program.Voucher) []onchain.Instruction {
	pull := onchain.Instruction{Program: s.prog.ID(), Accounts: []onchain.AccountMeta{
		{Address: s.at(signer), Signer: true, Writable: true}, {Address: s.prog.Config()}, {Address: s.prog.Agent(v.Payer), Writable: true},
		{Address: s.prog.Agent(v.Payee), Writable: true}, {Address: s.prog.Channel(v.Payer, v.Payee), Writable: true},
		{Address: onchain.InstructionsAccount()}, {Address: onchain.SystemProgram()},
	}, Data: program.EncodeInstruction(&program.PullPayment{})}
	return []onchain.Instruction{program.Ed25519(pays(s.names[v.Payer], v.Statement())), pull}
}

// pays returns a message signed by an agent's Solana key.
func pays(name string, message []byte) program.SelfContained {
	key := ed25519.PrivateKey(difftest.Key(name))
	return program.SelfContained{Peer: voting.Key(key.Public().(ed25519.PublicKey)), Signature: voting.Signature(ed25519.Sign(key, message)), Message: message}
}

// paid checks the amount that was pulled so far, and the rest of the payer's vault.
func (s *scene) paid(payer, payee string, want, vault uint64) {
	s.t.Helper()
	if c := read(s, s.prog.Channel(s.at(payer), s.at(payee)), program.DecodeChannel); c.Paid != want || s.agentOf(payer).Vault != vault {
		s.t.Fatalf("paid %d and %d left, not %d and %d", c.Paid, s.agentOf(payer).Vault, want, vault)
	}
}

func payScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"raised, replayed and lowered": func(s *scene) {
			s.begin()
			soon := s.now() + 60
			built, err := s.prog.PullPayment(s.at("bob"), s.voucher("alice", "bob", 10, soon), pays("alice", s.voucher("alice", "bob", 10, soon).Statement()).Signature)
			if err != nil {
				s.t.Fatal(err)
			}
			s.ok(built...)
			for _, cumulative := range []uint64{10, 9, 0} {
				s.no(program.ErrVoucherSpent, s.pull("alice", "bob", cumulative, soon)...)
			}
			s.ok(s.pullBy("carol", s.voucher("alice", "bob", 25, soon))...)
			s.ok(s.pullBy("alice", s.voucher("alice", "bob", 26, soon))...)
			s.no(program.ErrVoucherSpent, built...)
			s.paid("alice", "bob", 26, 100*sol-26)
			s.ok(s.pull("bob", "alice", 26, soon)...)
			s.ok(s.pull("alice", "carol", 1, soon)...)
			s.paid("alice", "bob", 26, 100*sol-1)
		},
		"expired": func(s *scene) {
			s.begin()
			end := s.now() + 60
			s.pass(59)
			s.ok(s.pull("alice", "bob", 10, end)...)
			s.pass(1)
			s.no(program.ErrVoucherExpired, s.pull("alice", "bob", 20, end)...)
			for _, never := range []int64{0, -1, math.MinInt64} {
				s.no(program.ErrVoucherExpired, s.pull("alice", "bob", 20, never)...)
			}
			s.ok(s.pull("alice", "bob", 20, end+1)...)
		},
		"an emptied vault": func(s *scene) {
			s.begin()
			s.ok(s.prog.Withdraw(s.at("alice"), program.Withdraw{Amount: 100*sol - 7}))
			s.ok(s.pull("alice", "bob", 10, forever)...)
			s.paid("alice", "bob", 7, 0)
			s.no(program.ErrVaultEmpty, s.pull("alice", "bob", 10, forever)...)
			s.no(program.ErrVaultEmpty, s.pull("alice", "carol", 10, forever)...)
			s.ok(s.prog.Deposit(s.at("alice"), s.at("alice"), program.Deposit{Amount: 5}))
			s.ok(s.pull("alice", "bob", math.MaxUint64, forever)...)
			s.paid("alice", "bob", 12, 0)
		},
		"prefunded channels": func(s *scene) {
			s.begin()
			toBob, toCarol := s.prog.Channel(s.at("alice"), s.at("bob")), s.prog.Channel(s.at("alice"), s.at("carol"))
			s.put(toBob, difftest.Wallet(solana.PublicKey(toBob), 1).Account)
			s.put(toCarol, difftest.Wallet(solana.PublicKey(toCarol), sol).Account)
			s.ok(s.pull("alice", "bob", 10, forever)...)
			s.ok(s.pull("alice", "carol", 10, forever)...)
		},
		"to oneself": func(s *scene) {
			s.begin()
			s.no(program.ErrDuplicateAccount, s.pull("alice", "alice", 10, forever)...)
			s.ok(s.pull("alice", "bob", 10, forever)...)
			s.no(program.ErrDuplicateAccount, s.pull("alice", "alice", 10, forever)...)
		},
		"vouchers that prove nothing": badVouchers,
		"places":                      pullPlaces,
		"accounts of others":          strangeChannels,
	}
}

func badVouchers(s *scene) {
	s.begin()
	v := s.voucher("alice", "bob", 10, forever)
	good := s.pullBy("bob", v)
	one := pays("alice", v.Statement())
	change := func(f func(*program.Voucher)) program.SelfContained {
		other := v
		f(&other)
		return pays("alice", other.Statement())
	}
	for _, proof := range []onchain.Instruction{
		program.Ed25519(), program.Ed25519(one, one), program.Ed25519(pays("bob", one.Message)), program.Ed25519(pays("carol", one.Message)),
		program.Ed25519(says("alice", one.Message)), // with the node key
		program.Ed25519(change(func(v *program.Voucher) { v.Domain.Network = hash("testnet") })),
		program.Ed25519(change(func(v *program.Voucher) { v.Domain.Program = voting.Key(s.at("x")) })),
		program.Ed25519(change(func(v *program.Voucher) { v.Payer = s.at("carol") })),
		program.Ed25519(change(func(v *program.Voucher) { v.Payee = s.at("carol") })),
		s.pull("carol", "bob", 10, forever)[0], s.pull("bob", "alice", 10, forever)[0],
		program.Ed25519(pays("alice", append(v.Statement(), 0))), program.Ed25519(pays("alice", v.Statement()[:153])),
		program.Ed25519(pays("alice", append([]byte("oju:pay:v2"), v.Statement()[10:]...))), s.idle(),
	} {
		s.no(program.ErrBadVoucher, proof, good[1])
	}
	for _, field := range []int{1, 3, 6} { // the checked bytes are in this instruction, but it is named by number
		data := slices.Clone(good[0].Data)
		data[2+2*field], data[3+2*field] = 0, 0
		s.no(program.ErrBadVoucher, with(good[0], data), good[1])
	}
	forged := one
	forged.Signature[5] ^= 1
	if r := s.send(program.Ed25519(forged), good[1]); r.Err == nil {
		s.t.Fatal("a forged signature was taken")
	}
	s.ok(good...)
}

func pullPlaces(s *scene) {
	s.begin()
	list := s.pull("alice", "bob", 10, forever)
	proof, pull := list[0], list[1]
	other := s.prog.Deposit(s.at("carol"), s.at("carol"), program.Deposit{Amount: 1})
	for _, order := range [][]onchain.Instruction{{pull}, {pull, proof}, {proof, other, pull}, {proof, pull, pull}} {
		s.no(program.ErrBadVoucher, order...)
	}
	s.no(program.ErrVoucherSpent, proof, pull, proof, pull)
	s.ok(append([]onchain.Instruction{other, proof, pull}, s.pull("carol", "bob", 20, forever)...)...)
	s.paid("alice", "bob", 10, 100*sol-10)
}

func strangeChannels(s *scene) {
	s.begin()
	for _, pair := range [][2]string{{"alice", "carol"}, {"bob", "alice"}, {"carol", "bob"}} {
		s.ok(s.pull(pair[0], pair[1], 10, forever)...)
	}
	list := s.pull("alice", "bob", 10, forever)
	proof, pull := list[0], list[1]
	for _, pair := range [][2]string{{"alice", "carol"}, {"bob", "alice"}, {"carol", "bob"}} {
		s.no(program.ErrWrongAddress, proof, swap(pull, 4, s.prog.Channel(s.at(pair[0]), s.at(pair[1]))))
	}
	carol := s.prog.Agent(s.at("carol"))
	s.no(program.ErrWrongAddress, proof, swap(pull, 2, carol))
	s.no(program.ErrWrongAddress, proof, swap(pull, 3, carol))
	fromCarol := swap(swap(pull, 2, carol), 4, s.prog.Channel(s.at("carol"), s.at("bob")))
	s.no(program.ErrBadVoucher, proof, fromCarol)
	toCarol := swap(swap(pull, 3, carol), 4, s.prog.Channel(s.at("alice"), s.at("carol")))
	s.no(program.ErrBadVoucher, proof, toCarol)
	s.no(program.ErrWrongOwner, s.pull("alice", "dora", 10, forever)...)
	if r := s.send(s.pullBy("poor", s.voucher("alice", "bob", 10, forever))...); r.Err == nil {
		s.t.Fatal("a wallet paid a rent that it does not have")
	}
	s.ok(list...)
}
