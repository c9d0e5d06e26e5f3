package oju_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/ledger/tokens"
	"ojud/voting"
)

const (
	sol     = 1_000_000_000
	start   = 1_800_000_000 // Unix seconds
	network = "genesis"
)

// scene is a chain with the program, for one story. Transactions that share a clock are one case.
// The case is judged when the clock moves or an account is put on the chain directly.
type scene struct {
	t      *testing.T
	suite  *suite
	name   string
	prog   program.Program
	listed uint8                 // whether the court begins listed
	more   []difftest.Deployment // other programs

	env      *accounts.Environment
	base     map[onchain.Address]accounts.Account // programs and sysvars
	accounts map[onchain.Address]accounts.Account
	keys     map[onchain.Address]solana.PrivateKey
	names    map[onchain.Address]string
	known    map[string]onchain.Address // the reverse, because deriving a key is slow

	open  *difftest.Case
	cases int

	attacked map[string]bool                                 // nil unless every instruction is attacked first
	before   func(list []onchain.Instruction)                // sees instructions that will succeed; may be nil
	after    func(list []onchain.Instruction, r *svm.Result) // sees instructions that succeeded
}

// bare returns a chain with the deployed program and a fee payer.
func bare(t *testing.T, s *suite, name string) *scene {
	sc := &scene{
		t: t, suite: s, name: name, prog: program.New(onchain.Address(difftest.Address("oju"))),
		accounts: map[onchain.Address]accounts.Account{}, keys: map[onchain.Address]solana.PrivateKey{}, names: map[onchain.Address]string{},
		known: map[string]onchain.Address{},
	}
	env := accounts.DefaultEnvironment()
	env.Clock = accounts.Clock{Slot: 1_000, UnixTimestamp: start}
	env.SlotHashes = hashes(999, 8)
	sc.move(env)
	sc.fund("payer", 1_000_000*sol)
	return sc
}

// move sets clock and sysvars.
func (s *scene) move(env *accounts.Environment) {
	s.flush()
	s.env, s.base = env, map[onchain.Address]accounts.Account{}
	pair, err := accounts.ProgramPair(solana.PublicKey(s.prog.ID()), s.suite.elf, nil, env.Rent)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, p := range s.more {
		other, err := accounts.ProgramPair(p.ID, p.ELF, nil, env.Rent)
		if err != nil {
			s.t.Fatal(err)
		}
		pair = append(pair, other...)
	}
	for _, list := range [][]accounts.Keyed{accounts.Builtins(), accounts.Sysvars(env), pair, s.suite.tokens} {
		for _, a := range list {
			s.base[onchain.Address(a.Key)] = a.Account
		}
	}
}

// Account makes a scene the source of the runtime.
func (s *scene) Account(address solana.PublicKey) (accounts.Account, bool) {
	key := onchain.Address(address)
	if a, ok := s.accounts[key]; ok {
		return a, true
	}
	a, ok := s.base[key]
	return a, ok
}

// put sets an account directly. An account without lamports is removed.
func (s *scene) put(key onchain.Address, a accounts.Account) {
	s.flush()
	s.store(accounts.Keyed{Key: solana.PublicKey(key), Account: a})
}

func (s *scene) store(list ...accounts.Keyed) {
	for _, a := range list {
		if a.Account.Lamports == 0 {
			delete(s.accounts, onchain.Address(a.Key))
			continue
		}
		s.accounts[onchain.Address(a.Key)] = a.Account
	}
}

// flush judges the open case.
func (s *scene) flush() {
	s.t.Helper()
	if s.open == nil {
		return
	}
	c := *s.open
	s.open = nil
	s.suite.check(s.t, c)
}

// send runs instructions in one transaction and adds it to the open case.
func (s *scene) send(list ...onchain.Instruction) *svm.Result {
	s.t.Helper()
	if s.open == nil {
		s.cases++
		s.open = &difftest.Case{
			Name: fmt.Sprintf("%s#%d", s.name, s.cases), Env: s.env, Verify: true,
			Programs: append([]difftest.Deployment{{ID: solana.PublicKey(s.prog.ID()), ELF: s.suite.elf}}, s.more...),
		}
		for _, key := range slices.SortedFunc(maps.Keys(s.accounts), func(a, b onchain.Address) int { return slices.Compare(a[:], b[:]) }) {
			s.open.Accounts = append(s.open.Accounts, accounts.Keyed{Key: solana.PublicKey(key), Account: s.accounts[key]})
		}
	}
	made, err := difftest.Build(s.env, solana.PublicKey(s.at("payer")), program.Native(list...), slices.Collect(maps.Values(s.keys))...)
	if err != nil {
		s.t.Fatal(err)
	}
	data := s.prog.ProgramData()
	made.Watch = slices.DeleteFunc(slices.Clone(made.Watch), func(k solana.PublicKey) bool {
		at := onchain.Address(k)
		return at == data || tokens.IsProgram(at) || at == tokens.AssociatedProgram()
	})
	tx, err := solana.TransactionFromBytes(made.Raw)
	if err != nil {
		s.t.Fatal(err)
	}
	result := s.suite.runtime.Simulate(tx, s.env, s, true)
	if result.Status != svm.Rejected {
		s.store(result.Writes...)
	}
	s.open.Transactions = append(s.open.Transactions, made)
	return result
}

// ok sends, and expects success.
func (s *scene) ok(list ...onchain.Instruction) {
	s.t.Helper()
	if s.attacked != nil {
		s.attack(list)
	}
	if s.before != nil {
		s.before(list)
	}
	r := s.send(list...)
	if r.Err != nil {
		s.t.Fatalf("%v: %v", r.Err, r.Logs)
	}
	if s.after != nil {
		s.after(list, r)
	}
}

// no sends, and expects the code.
func (s *scene) no(want program.Code, list ...onchain.Instruction) {
	s.t.Helper()
	r := s.send(list...)
	if r.Err == nil {
		s.t.Fatalf("succeeded, not %s", want.Name())
	}
	failure, err := program.ParseFailure(r.Err)
	if err != nil {
		s.t.Fatal(err)
	}
	if got, ok := failure.Code(); !ok || got != want {
		s.t.Fatalf("%s, not %s: %q", failure.Error(), want.Name(), r.Logs)
	}
}

// at returns the address of a name. Its key signs where a signature is needed.
func (s *scene) at(name string) onchain.Address {
	if at, ok := s.known[name]; ok {
		return at
	}
	key := difftest.Key(name)
	at := key.PublicKey()
	s.keys[onchain.Address(at)], s.names[onchain.Address(at)], s.known[name] = key, name, onchain.Address(at)
	return onchain.Address(at)
}

// fund gives a wallet at least that much.
func (s *scene) fund(name string, lamports uint64) onchain.Address {
	key := s.at(name)
	if s.accounts[key].Lamports < lamports {
		s.put(key, difftest.Wallet(solana.PublicKey(key), lamports).Account)
	}
	return key
}

func hash(text string) voting.Hash { return sha256.Sum256([]byte(text)) }

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
