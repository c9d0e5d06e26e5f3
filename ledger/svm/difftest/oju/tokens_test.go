package oju_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"ojud/ledger/devnet/spl"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/difftest"
	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/sbpf"
	"ojud/ledger/tokens"
)

// Codes of the token programs.
const (
	tooFewTokens = 1
	otherMint    = 3
	otherOwner   = 4
	frozen       = 17
)

// coin is a mint, whose authority and freezer is alice, with token accounts of people.
type coin struct {
	*tokens.Mint
	vault, wallet map[string]onchain.Address // of the agent, and of its key
}

// tokenPrograms brings the token programs to the chain.
func (s *scene) tokenPrograms() {
	s.t.Helper()
	if s.suite.tokens == nil {
		list, err := spl.Accounts()
		if err != nil {
			s.t.Fatal(err)
		}
		s.suite.tokens = list
	}
	for _, a := range s.suite.tokens {
		s.base[onchain.Address(a.Key)] = a.Account
	}
}

// done sends, and expects success. Nothing else looks at it.
func (s *scene) done(list ...onchain.Instruction) {
	s.t.Helper()
	if r := s.send(list...); r.Err != nil {
		s.t.Fatalf("%v: %q", r.Err, r.Logs)
	}
}

// coin makes a mint, perhaps with extensions, and gives vaults and wallets 1,000 units each. begin
// are the instructions that begin the extensions, whose mint has that many bytes.
func (s *scene) coin(name string, of onchain.Address, size int, begin [][]byte, people ...string) coin {
	s.t.Helper()
	s.tokenPrograms()
	alice, at := s.at("alice"), s.at(name)
	c := coin{&tokens.Mint{Program: of, Address: at, Decimals: 6}, map[string]onchain.Address{}, map[string]onchain.Address{}}
	create := binary.LittleEndian.AppendUint64(make([]byte, 4), sol)
	create = append(binary.LittleEndian.AppendUint64(create, uint64(size)), of[:]...)
	list := []onchain.Instruction{{Program: onchain.SystemProgram(), Data: create, Accounts: []onchain.AccountMeta{
		{Address: alice, Signer: true, Writable: true}, {Address: at, Signer: true, Writable: true},
	}}}
	mint := onchain.AccountMeta{Address: at, Writable: true}
	for _, b := range append(begin, slices.Concat([]byte{20, 6}, alice[:], []byte{1}, alice[:])) {
		list = append(list, onchain.Instruction{Program: of, Data: b, Accounts: []onchain.AccountMeta{mint}})
	}
	s.done(list...)
	for _, who := range people {
		for _, purse := range []struct {
			owner onchain.Address
			book  map[string]onchain.Address
		}{{s.at(who), c.wallet}, {s.prog.Agent(s.at(who)), c.vault}} {
			open, err := tokens.CreateAssociated(alice, purse.owner, c.Mint)
			if err != nil {
				s.t.Fatal(err)
			}
			purse.book[who] = open.Accounts[1].Address
			s.done(open, tokens.MintTo(c.Mint, purse.book[who], alice, 1_000))
		}
	}
	return c
}

// takes is an agent's withdrawal to its wallet.
func (s *scene) takes(c coin, who string, amount uint64) onchain.Instruction {
	t := program.TokenAccounts{Mint: c.Address, Source: c.vault[who], Destination: c.wallet[who], Program: c.Program}
	return t.Withdraw(s.prog, s.at(who), amount)
}

// has checks balances.
func (s *scene) has(at onchain.Address, want uint64) {
	s.t.Helper()
	a := s.accounts[at]
	if got, err := tokens.DecodeAccount(onchain.Address(a.Owner), a.Data); err != nil || got.Amount != want {
		s.t.Fatalf("%+v, not %d: %v", got, want, err)
	}
}

// fails sends, and expects a code of the token program.
func (s *scene) fails(want uint32, list ...onchain.Instruction) {
	s.t.Helper()
	r := s.send(list...)
	if r.Err == nil {
		s.t.Fatalf("succeeded, not %d", want)
	}
	if f, err := program.ParseFailure(r.Err); err != nil || !f.HasCustom || f.Custom != want {
		s.t.Fatalf("%v, not %d: %q", r.Err, want, r.Logs)
	}
}

func tokenScenes() map[string]func(*scene) {
	plain := func(of onchain.Address) func(*scene) {
		return func(s *scene) {
			s.begin()
			s.withdrawals(s.coin("usd", of, tokens.MintSize, nil, "alice", "bob"))
		}
	}
	return map[string]func(*scene){"SPL Token": plain(tokens.SPL()), "Token-2022": plain(tokens.Token2022()), "hook": hooked, "fee": taxed}
}

// withdrawals takes tokens out of a vault, rightly and wrongly.
func (s *scene) withdrawals(c coin) {
	s.t.Helper()
	take := func(n uint64) onchain.Instruction { return s.takes(c, "alice", n) }
	s.ok(take(400))
	s.has(c.vault["alice"], 600)
	s.has(c.wallet["alice"], 1_400)
	s.no(program.ErrZeroAmount, take(0))
	s.fails(tooFewTokens, take(601))
	s.no(program.ErrNotAuthority, swap(take(1), 0, s.at("bob")))
	s.no(program.ErrNotAuthority, swap(take(1), 1, s.prog.Agent(s.at("bob"))))
	s.no(program.ErrNotAuthority, swap(take(1), 4, c.wallet["bob"]))
	s.no(program.ErrNotAuthority, swap(take(1), 4, c.vault["bob"]))
	s.no(program.ErrDuplicateAccount, swap(take(1), 4, c.vault["alice"]))
	s.fails(otherOwner, swap(take(1), 3, c.vault["bob"]))
	s.fails(otherOwner, swap(take(1), 3, c.wallet["bob"]))
	s.no(program.ErrWrongOwner, swap(take(1), 5, s.prog.ID()))
	s.no(program.ErrWrongOwner, swap(take(1), 5, onchain.SystemProgram()))
	s.no(program.ErrWrongOwner, swap(take(1), 5, tokens.AssociatedProgram()))
	s.no(program.ErrWrongOwner, swap(take(1), 4, s.at("alice")))
	other := s.coin("eur", c.Program, tokens.MintSize, nil, "alice")
	s.fails(otherMint, swap(take(1), 2, other.Address))
	s.fails(otherMint, swap(take(1), 4, other.wallet["alice"]))
	s.no(program.ErrWrongAccount, crowded(take(1), 13))
	s.ok(crowded(take(1), 12))
	alice := onchain.AccountMeta{Address: s.at("alice"), Signer: true}
	freezes := []onchain.AccountMeta{{Address: c.vault["alice"], Writable: true}, {Address: c.Address}, alice}
	s.done(onchain.Instruction{Program: c.Program, Data: []byte{10}, Accounts: freezes})
	s.fails(frozen, take(1))
	s.done(onchain.Instruction{Program: c.Program, Data: []byte{11}, Accounts: freezes})
	s.ok(take(599))
	s.has(c.vault["alice"], 0)
}

// crowded adds accounts, which the token program gets, too.
func crowded(i onchain.Instruction, n int) onchain.Instruction {
	i.Accounts = slices.Clone(i.Accounts)
	for range n {
		i.Accounts = append(i.Accounts, onchain.AccountMeta{Address: i.Accounts[2].Address})
	}
	return i
}

// hooked takes out tokens whose mint calls a program at each transfer. The program sees no
// signature of the vault.
func hooked(s *scene) {
	s.begin()
	id := difftest.Address("hook")
	elf := asm.MustELF(s.hook(), sbpf.V3)
	s.more = append(s.more, difftest.Deployment{ID: id, ELF: elf})
	s.move(s.env)
	c := s.coin("hooked", tokens.Token2022(), 166+4+64, [][]byte{slices.Concat([]byte{36, 0}, make([]byte, 32), id[:])}, "alice")
	take := s.takes(c, "alice", 7)
	if r := s.send(take); r.Err == nil {
		s.t.Fatal("a transfer without its hook")
	}
	take.Accounts = append(slices.Clone(take.Accounts), onchain.AccountMeta{Address: onchain.Address(id)})
	s.ok(take)
	s.has(c.wallet["alice"], 1_007)
	s.fails(1, s.own(c, "alice", take.Accounts[6]))
	signed := append(slices.Clone(take.Accounts), onchain.AccountMeta{Address: s.at("bob"), Signer: true, Writable: true})
	s.ok(onchain.Instruction{Program: take.Program, Accounts: signed, Data: take.Data})
}

// hook returns the source of a transfer hook. It fails if the fourth account that it gets, which is
// the vault, is not one of the program, or signs, or is writable.
func (s *scene) hook() string {
	id := s.prog.ID()
	return fmt.Sprintf(`
	mov64 r6, r1
	add64 r6, 8
	mov64 r7, 3
next:
	ldxdw r2, [r6+80]
	add64 r2, 10335
	and64 r2, -8
	add64 r6, r2
	add64 r6, 8
	sub64 r7, 1
	jne r7, 0, next
	mov64 r0, 1
	ldxdw r3, [r6+40]
	lddw r4, 0x%x
	jne r3, r4, end
	ldxb r0, [r6+1]
	ldxb r1, [r6+2]
	add64 r0, r1
end:
	exit
`, binary.LittleEndian.Uint64(id[:]))
}

// own is a transfer of one unit from the wallet into the vault, with an account for the hook. The
// owner is no account of the court.
func (s *scene) own(c coin, who string, more onchain.AccountMeta) onchain.Instruction {
	i := tokens.Transfer(c.Mint, c.wallet[who], c.vault[who], s.at(who), 1)
	i.Accounts = append(i.Accounts, more)
	return i
}

// taxed takes out tokens of which each transfer keeps a part.
func taxed(s *scene) {
	s.begin()
	alice := s.at("alice")
	fee := slices.Concat([]byte{26, 0, 1}, alice[:], []byte{1}, alice[:], []byte{250, 0}, binary.LittleEndian.AppendUint64(nil, 1_000))
	c := s.coin("taxed", tokens.Token2022(), 166+4+108, [][]byte{fee}, "alice")
	s.ok(s.takes(c, "alice", 1_000))
	s.has(c.vault["alice"], 0)
	s.has(c.wallet["alice"], 1_975)
}

// TestAttackTokensOfOthers: nobody but the authority moves tokens of a vault, and only to an
// account of its own, with whatever program and accounts.
func TestAttackTokensOfOthers(t *testing.T) {
	s := alone(t)
	s.begin()
	fake := difftest.Address("fake token program")
	s.tokenPrograms()
	s.more = append(s.more, difftest.Deployment{ID: fake, ELF: asm.MustELF("\tmov64 r0, 0\n\texit\n", sbpf.V3)})
	s.move(s.env)
	c := s.coin("usd", tokens.SPL(), tokens.MintSize, nil, "alice", "bob")
	mallory := s.fund("mallory", sol)
	theft := s.takes(c, "alice", 5)
	s.refused(program.ErrNotAuthority, swap(theft, 0, mallory))
	s.refused(program.ErrNotAuthority, swap(swap(theft, 0, s.at("bob")), 4, c.wallet["bob"]))
	s.refused(program.ErrNotAuthority, swap(theft, 4, c.wallet["bob"]))
	s.refused(program.ErrNotAuthority, swap(theft, 4, c.vault["bob"]))
	s.refused(program.ErrWrongOwner, swap(theft, 5, onchain.Address(fake)))
	forged := s.accounts[c.wallet["alice"]]
	forged.Owner = fake
	s.put(onchain.Address(difftest.Address("forged")), forged)
	s.refused(program.ErrWrongOwner, swap(theft, 4, onchain.Address(difftest.Address("forged"))))
	// An account that alice gave away is not hers: the token program says whose it is.
	gone := s.accounts[c.wallet["alice"]]
	gone.Data = slices.Clone(gone.Data)
	copy(gone.Data[32:64], mallory[:])
	s.put(onchain.Address(difftest.Address("gone")), gone)
	s.refused(program.ErrNotAuthority, swap(theft, 4, onchain.Address(difftest.Address("gone"))))
	s.has(c.vault["alice"], 1_000)
	s.ok(theft)
	s.has(c.vault["alice"], 995)
}

// holding is the token account of the pledge of a task.
func (s *scene) holding(c coin, k task) onchain.Address {
	s.t.Helper()
	open, err := tokens.CreateAssociated(s.at("payer"), program.PledgeAt(s.prog, k.at), c.Mint)
	if err != nil {
		s.t.Fatal(err)
	}
	at := open.Accounts[1].Address
	if _, there := s.accounts[at]; !there {
		s.done(open)
	}
	return at
}

// pledges puts tokens of the creator beside a task.
func (s *scene) pledges(c coin, k task, amount uint64) onchain.Instruction {
	s.t.Helper()
	t := program.TokenAccounts{Mint: c.Address, Source: c.vault[k.creator], Destination: s.holding(c, k), Program: c.Program}
	return t.Pledge(s.prog, s.at(k.creator), k.at, amount)
}

// pays pays a party its part of a pledge.
func (s *scene) pays(c coin, k task, party string) onchain.Instruction {
	s.t.Helper()
	t := program.TokenAccounts{Mint: c.Address, Source: s.holding(c, k), Destination: c.vault[party], Program: c.Program}
	return t.PayPledge(s.prog, k.at, s.at(k.creator), s.at(party))
}

// thaws thaws a token account, or freezes it.
func (s *scene) thaws(c coin, at onchain.Address, thaw byte) {
	s.t.Helper()
	s.done(onchain.Instruction{Program: c.Program, Data: []byte{10 + thaw}, Accounts: []onchain.AccountMeta{
		{Address: at, Writable: true}, {Address: c.Address}, {Address: s.at("alice"), Signer: true},
	}})
}

func pledgeScenes() map[string]func(*scene) {
	plain := func(of onchain.Address) func(*scene) {
		return func(s *scene) {
			s.cast(7)
			s.pledged(s.coin("usd", of, tokens.MintSize, nil, "alice", "bob", "carol"))
		}
	}
	return map[string]func(*scene){
		"SPL Token": plain(tokens.SPL()), "Token-2022": plain(tokens.Token2022()), "split": splitPledge, "refunded": refundedPledge, "mints": badMints,
	}
}

// pledged pays a worker tokens, and refuses what is wrong on the way.
func (s *scene) pledged(c coin) {
	s.t.Helper()
	k := s.created()
	give := s.pledges(c, k, 400)
	s.no(program.ErrZeroAmount, s.pledges(c, k, 0))
	s.fails(tooFewTokens, s.pledges(c, k, 1_001))
	s.no(program.ErrNotCreator, swap(swap(give, 0, s.at("bob")), 1, s.prog.Agent(s.at("bob"))))
	s.no(program.ErrNotAuthority, swap(give, 1, s.prog.Agent(s.at("bob"))))
	s.no(program.ErrWrongAddress, swap(give, 6, c.vault["bob"]))
	s.no(program.ErrWrongOwner, swap(give, 7, s.prog.ID()))
	s.fails(otherOwner, swap(give, 5, c.vault["bob"]))
	s.ok(give)
	s.has(c.vault["alice"], 600)
	s.no(program.ErrAlreadyExists, s.pledges(c, k, 1))
	s.ok(s.claim(k, "bob", 0))
	k.worker = "bob"
	s.no(program.ErrWrongStatus, s.pays(c, k, "bob"))
	s.ok(s.start(k))
	s.ok(s.submit(k))
	s.no(program.ErrWrongStatus, s.pays(c, k, "alice"))
	s.ok(s.accept(k))
	s.no(program.ErrAlreadyExists, s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
	pay := s.pays(c, k, "bob")
	s.no(program.ErrNothingToClaim, s.pays(c, k, "alice"))
	s.no(program.ErrWrongAddress, s.pays(c, k, "carol"))
	s.no(program.ErrWrongAddress, swap(pay, 5, c.vault["alice"]))
	s.no(program.ErrWrongAddress, swap(pay, 5, c.wallet["bob"]))
	s.no(program.ErrWrongAddress, swap(pay, 4, c.vault["alice"]))
	s.no(program.ErrWrongAddress, swap(pay, 7, s.at("bob")))
	s.done(tokens.Transfer(c.Mint, c.wallet["carol"], s.holding(c, k), s.at("carol"), 3)) // a gift stops nothing
	alice := s.accounts[s.at("alice")].Lamports
	s.ok(pay)
	s.has(c.vault["bob"], 1_403)
	rents := s.env.Rent.MinimumBalance(program.PledgeSize) + s.env.Rent.MinimumBalance(tokens.AccountSize)
	if got := s.accounts[s.at("alice")].Lamports - alice; got < rents {
		s.t.Fatalf("the creator got %d lamports back, not %d", got, rents)
	}
	if _, there := s.accounts[program.PledgeAt(s.prog, k.at)]; there {
		s.t.Fatal("the pledge is still there")
	}
	s.no(program.ErrWrongOwner, s.pays(c, k, "bob"))
	s.ok(s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
	late := s.claimed()
	s.no(program.ErrWrongStatus, s.pledges(c, late, 1))
}

// splitPledge divides an odd amount, while the worker's account is frozen.
func splitPledge(s *scene) {
	s.cast(7)
	c := s.coin("usd", tokens.SPL(), tokens.MintSize, nil, "alice", "bob")
	k := s.created()
	s.ok(s.pledges(c, k, 501))
	s.ok(s.claim(k, "bob", 0))
	k.worker = "bob"
	for _, i := range []onchain.Instruction{s.start(k), s.submit(k), s.object(k), s.counter(k)} {
		s.ok(i)
	}
	s.pass(1_800)
	s.ok(s.expireCase(k))
	s.thaws(c, c.vault["bob"], 0)
	s.fails(frozen, s.pays(c, k, "bob"))
	s.ok(s.pays(c, k, "alice"))
	s.has(c.vault["alice"], 750)
	s.no(program.ErrNothingToClaim, s.pays(c, k, "alice"))
	s.pass(86_400)
	s.no(program.ErrAlreadyExists, s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
	s.thaws(c, c.vault["bob"], 1)
	s.ok(s.pays(c, k, "bob"))
	s.has(c.vault["bob"], 1_250)
	s.ok(s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
}

// refundedPledge returns a pledge of a task that nobody took.
func refundedPledge(s *scene) {
	s.cast(7)
	c := s.coin("usd", tokens.Token2022(), tokens.MintSize, nil, "alice")
	k := s.created()
	s.ok(s.pledges(c, k, 1_000))
	s.ok(s.prog.CancelTask(s.at("alice"), k.at))
	s.no(program.ErrAlreadyExists, s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
	s.ok(s.pays(c, k, "alice"))
	s.has(c.vault["alice"], 1_000)
	s.ok(s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
}

// badMints refuses mints by which somebody could take or stop what a worker is to get. One with a
// pointer to metadata is taken.
func badMints(s *scene) {
	s.cast(7)
	alice := s.at("alice")
	key := alice[:]
	k := s.created()
	for _, x := range []struct {
		name  string
		size  int
		begin []byte
	}{
		{"fee", 108, slices.Concat([]byte{26, 0, 1}, key, []byte{1}, key, []byte{250, 0}, binary.LittleEndian.AppendUint64(nil, 1_000))},
		{"close", 32, slices.Concat([]byte{25, 1}, key)},
		{"delegate", 32, slices.Concat([]byte{35}, key)},
		{"hook", 64, slices.Concat([]byte{36, 0}, key, key)},
		{"pausable", 33, slices.Concat([]byte{44, 0}, key)},
	} {
		c := s.coin(x.name, tokens.Token2022(), 166+4+x.size, [][]byte{x.begin}, "alice")
		s.no(program.ErrBadMint, s.pledges(c, k, 1))
	}
	s.ok(s.pledges(s.coin("named", tokens.Token2022(), 166+4+64, [][]byte{slices.Concat([]byte{39, 0}, key, key)}, "alice"), k, 1))
}

// siegeOfTokens withdraws tokens, and pledges them.
func (s *scene) siegeOfTokens() {
	c := s.coin("usd", tokens.SPL(), tokens.MintSize, nil, "alice", "bob")
	s.ok(s.takes(c, "alice", 1))
	k := s.created()
	s.ok(s.pledges(c, k, 5))
	s.ok(s.claim(k, "bob", 0))
	k.worker = "bob"
	for _, i := range []onchain.Instruction{s.start(k), s.submit(k), s.accept(k), s.pays(c, k, "bob")} {
		s.ok(i)
	}
}

// TestAttackPledge: only the parties get a pledge, each once and after the end. A gift, an account
// that somebody made before, or a frozen party does not stop it.
func TestAttackPledge(t *testing.T) {
	s := alone(t)
	s.cast(7)
	c := s.coin("usd", tokens.SPL(), tokens.MintSize, nil, "alice", "bob", "carol")
	k := s.created()
	holding := s.holding(c, k) // somebody made it before, and gives something
	s.done(tokens.Transfer(c.Mint, c.wallet["carol"], holding, s.at("carol"), 1))
	give := s.pledges(c, k, 501)
	s.refused(program.ErrNotCreator, swap(swap(give, 0, s.at("carol")), 1, s.prog.Agent(s.at("carol"))))
	s.refused(program.ErrWrongAddress, swap(give, 6, c.wallet["alice"])) // the creator could take it back
	s.ok(give)
	s.refused(program.ErrAlreadyExists, give)
	s.refused(program.ErrWrongStatus, s.pays(c, k, "alice"))
	s.ok(s.claim(k, "bob", 0))
	k.worker = "bob"
	for _, i := range []onchain.Instruction{s.start(k), s.submit(k), s.object(k), s.counter(k)} {
		s.ok(i)
	}
	s.refused(program.ErrWrongStatus, s.pays(c, k, "bob"))
	s.pass(1_800)
	s.ok(s.expireCase(k))
	s.pass(86_400)
	s.refused(program.ErrAlreadyExists, s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
	pay := s.pays(c, k, "bob")
	s.refused(program.ErrWrongAddress, swap(pay, 2, s.prog.Agent(s.at("carol"))))
	s.refused(program.ErrWrongAddress, s.pays(c, k, "carol"))
	s.refused(program.ErrWrongAddress, swap(pay, 5, c.vault["carol"]))
	s.refused(program.ErrWrongAddress, swap(pay, 7, s.at("bob")))
	other := s.created()
	s.refused(program.ErrWrongAddress, swap(pay, 0, other.at))
	s.thaws(c, c.vault["alice"], 0)
	s.ok(pay)
	s.refused(program.ErrNothingToClaim, pay)
	s.thaws(c, c.vault["alice"], 1)
	s.ok(s.pays(c, k, "alice"))
	s.has(c.vault["bob"], 1_250)
	s.has(c.vault["alice"], 751)
	s.ok(s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
}
