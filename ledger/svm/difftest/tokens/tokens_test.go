package tokens_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/spl"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/ledger/tokens"
)

const (
	sol     = 1_000_000_000
	tracing = "testdata/agave.json"
)

var (
	rewrite = flag.Bool("rewrite", false, "write the hashes of what LiteSVM agreed with; needs LiteSVM")
	steps   = flag.Int("steps", 100, "random instructions for each token program in TestAgave")
)

// scene is one case: a chain with the token programs of its engine.
type scene struct {
	t       *testing.T
	env     *accounts.Environment
	program onchain.Address
	own     []accounts.Keyed // of our engine: the programs
	keys    map[onchain.Address]solana.PrivateKey
	c       difftest.Case
	state   map[solana.PublicKey]accounts.Account
	runtime *svm.Runtime
	failed  int
}

func newScene(t *testing.T, name string, program onchain.Address) *scene {
	t.Helper()
	own, err := spl.Accounts()
	if err != nil {
		t.Fatal(err)
	}
	runtime, err := svm.New(svm.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	env := accounts.DefaultEnvironment()
	env.Clock.UnixTimestamp = 1_800_000_000
	s := &scene{
		t: t, env: env, program: program, own: own, runtime: runtime, keys: map[onchain.Address]solana.PrivateKey{},
		state: map[solana.PublicKey]accounts.Account{}, c: difftest.Case{Name: name, Env: env, Verify: true},
	}
	for _, list := range [][]accounts.Keyed{accounts.Builtins(), accounts.Sysvars(env), own} {
		for _, a := range list {
			s.state[a.Key] = a.Account
		}
	}
	for _, name := range []string{"alice", "bob", "carol"} {
		s.put(difftest.Wallet(solana.PublicKey(s.at(name)), 100*sol))
	}
	return s
}

func (s *scene) put(a accounts.Keyed) {
	s.c.Accounts = append(s.c.Accounts, a)
	s.state[a.Key] = a.Account
}

// Account makes a scene the source of the runtime.
func (s *scene) Account(at solana.PublicKey) (accounts.Account, bool) {
	a, ok := s.state[at]
	return a, ok
}

func (s *scene) at(name string) onchain.Address {
	at := onchain.Address(difftest.Address(name))
	s.keys[at] = difftest.Key(name)
	return at
}

// send runs instructions in one transaction of alice, and keeps it for the comparison.
func (s *scene) send(list ...onchain.Instruction) *svm.Result {
	s.t.Helper()
	made, err := difftest.Build(s.env, solana.PublicKey(s.at("alice")), program.Native(list...), slices.Collect(maps.Values(s.keys))...)
	if err != nil {
		s.t.Fatal(err)
	}
	made.Watch = slices.DeleteFunc(slices.Clone(made.Watch), func(k solana.PublicKey) bool {
		a, ok := s.state[k]
		return ok && a.Executable // TestPrograms compares them
	})
	tx, err := solana.TransactionFromBytes(made.Raw)
	if err != nil {
		s.t.Fatal(err)
	}
	r := s.runtime.Simulate(tx, s.env, s, true)
	if r.Status != svm.Rejected {
		for _, a := range r.Writes {
			s.state[a.Key] = a.Account
			if a.Account.Lamports == 0 {
				delete(s.state, a.Key)
			}
		}
	}
	if r.Err != nil {
		s.failed++
	}
	s.c.Transactions = append(s.c.Transactions, made)
	return r
}

func (s *scene) ok(list ...onchain.Instruction) *svm.Result {
	s.t.Helper()
	r := s.send(list...)
	if r.Err != nil {
		s.t.Fatalf("%s: %v: %q", s.c.Name, r.Err, r.Logs)
	}
	return r
}

// no sends, and expects that the program refuses with the code.
func (s *scene) no(code uint32, list ...onchain.Instruction) {
	s.t.Helper()
	r := s.send(list...)
	if r.Err == nil {
		s.t.Fatalf("%s: it succeeded", s.c.Name)
	}
	f, err := program.ParseFailure(r.Err)
	if err != nil || !f.HasCustom || f.Custom != code {
		s.t.Fatalf("%s: %v, not %d: %q", s.c.Name, r.Err, code, r.Logs)
	}
}

// call is an instruction of the scene's token program.
func (s *scene) call(data []byte, metas ...onchain.AccountMeta) onchain.Instruction {
	return onchain.Instruction{Program: s.program, Accounts: metas, Data: data}
}

func r(a onchain.Address) onchain.AccountMeta { return onchain.AccountMeta{Address: a} }
func w(a onchain.Address) onchain.AccountMeta { return onchain.AccountMeta{Address: a, Writable: true} }
func sig(a onchain.Address) onchain.AccountMeta {
	return onchain.AccountMeta{Address: a, Signer: true}
}

func u64(n uint64, head ...byte) []byte { return binary.LittleEndian.AppendUint64(head, n) }

// mint makes a mint of alice with decimals.
func (s *scene) mint(name string, decimals uint8) *tokens.Mint {
	s.t.Helper()
	m := &tokens.Mint{Program: s.program, Decimals: decimals}
	var err error
	if m.Address, err = tokens.MintAddress(s.at("alice"), name, s.program); err != nil {
		s.t.Fatal(err)
	}
	s.ok(tokens.CreateMint(s.at("alice"), name, m, s.env.Rent.MinimumBalance(tokens.MintSize))...)
	return m
}

// extended makes a mint with extensions, each with the instruction that begins it.
func (s *scene) extended(name string, length int, begin ...[]byte) *tokens.Mint {
	s.t.Helper()
	m := &tokens.Mint{Program: s.program, Address: s.at(name), Decimals: 6}
	create := u64(s.env.Rent.MinimumBalance(length+1_000), 0, 0, 0, 0)
	create = append(binary.LittleEndian.AppendUint64(create, uint64(length)), s.program[:]...)
	alice := s.at("alice")
	list := []onchain.Instruction{{
		Program: onchain.SystemProgram(), Data: create,
		Accounts: []onchain.AccountMeta{{Address: alice, Signer: true, Writable: true}, {Address: m.Address, Signer: true, Writable: true}},
	}}
	for _, b := range begin {
		list = append(list, s.call(b, w(m.Address)))
	}
	s.ok(append(list, s.call(slices.Concat([]byte{20, 6}, alice[:], []byte{1}, alice[:]), w(m.Address)))...)
	return m
}

// account makes an associated token account.
func (s *scene) account(owner string, m *tokens.Mint) onchain.Address {
	s.t.Helper()
	i, err := tokens.CreateAssociated(s.at("alice"), s.at(owner), m)
	if err != nil {
		s.t.Fatal(err)
	}
	s.ok(i)
	return i.Accounts[1].Address
}

// holds checks what an account has.
func (s *scene) holds(at onchain.Address, amount uint64) {
	s.t.Helper()
	a := s.state[solana.PublicKey(at)]
	got, err := tokens.DecodeAccount(onchain.Address(a.Owner), a.Data)
	if err != nil || got.Amount != amount {
		s.t.Fatalf("%s: it holds %+v, not %d: %v", s.c.Name, got, amount, err)
	}
}

// plain is what both programs have.
func plain(s *scene) {
	alice, bob, carol := s.at("alice"), s.at("bob"), s.at("carol")
	m := s.mint("usd", 6)
	a, b := s.account("alice", m), s.account("bob", m)
	s.account("bob", m) // again: nothing happens
	s.ok(tokens.MintTo(m, a, alice, 1_000))
	s.ok(tokens.Transfer(m, a, b, alice, 400))
	s.holds(a, 600)
	s.holds(b, 400)
	s.no(1, tokens.Transfer(m, a, b, alice, 601))
	s.no(4, tokens.Transfer(m, a, b, bob, 1))
	s.no(4, tokens.MintTo(m, a, bob, 1))
	wrong := *m
	wrong.Decimals = 7
	s.no(18, tokens.Transfer(&wrong, a, b, alice, 1))
	s.ok(tokens.Transfer(m, a, a, alice, 600)) // to itself
	s.no(14, tokens.MintTo(m, a, alice, math.MaxUint64))
	s.ok(s.call(u64(50, 4), w(a), r(carol), sig(alice)))                         // approve
	s.ok(s.call(append(u64(50, 12), 6), w(a), r(m.Address), w(b), sig(carol)))   // a delegate transfers
	s.no(4, s.call(append(u64(1, 12), 6), w(a), r(m.Address), w(b), sig(carol))) // no more
	s.send(s.call([]byte{5}, w(a), sig(alice)))                                  // revoke
	s.ok(s.call(append(u64(10, 15), 6), w(a), w(m.Address), sig(alice)))         // burn
	s.send(s.call([]byte{9}, w(a), w(alice), sig(alice)))                        // close with a balance
	give := s.call(append(append([]byte{6, 2}, 1), carol[:]...), w(b), sig(bob)) // another owner
	owner := carol
	if s.program == tokens.SPL() {
		s.ok(give)
		s.no(4, tokens.Transfer(m, b, a, bob, 1))
	} else {
		s.no(34, give) // the owner of an associated account is fixed
		owner = bob
	}
	s.ok(tokens.Transfer(m, b, a, owner, 450))
	s.ok(s.call([]byte{9}, w(b), w(owner), sig(owner))) // close
	s.ok(s.call([]byte{21}, r(m.Address)))              // GetAccountDataSize, as return data
	s.ok(s.call(u64(1_234_500, 23), r(m.Address)))      // AmountToUiAmount
	s.ok(s.call([]byte{24, '1', '.', '5'}, r(m.Address)))
	s.send(s.call([]byte{24, '1', 'x'}, r(m.Address)))
	s.send(s.call([]byte{16}, r(a), r(m.Address))) // InitializeAccount again
	s.send(s.call([]byte{99}, w(a)))
	s.send(s.call(nil, w(a)))
	s.send(tokens.Transfer(m, a, m.Address, alice, 1)) // to the mint
	s.frozen()
}

// frozen has a mint whose accounts can be frozen.
func (s *scene) frozen() {
	alice, bob := s.at("alice"), s.at("bob")
	m := &tokens.Mint{Program: s.program, Decimals: 0}
	var err error
	if m.Address, err = tokens.MintAddress(alice, "cold", s.program); err != nil {
		s.t.Fatal(err)
	}
	list := tokens.CreateMint(alice, "cold", m, s.env.Rent.MinimumBalance(tokens.MintSize))
	list[1].Data = append(append(list[1].Data[:len(list[1].Data)-1], 1), alice[:]...)
	s.ok(list...)
	a, b := s.account("alice", m), s.account("bob", m)
	s.ok(tokens.MintTo(m, a, alice, 5))
	s.ok(s.call([]byte{10}, w(a), r(m.Address), sig(alice)))
	s.no(17, tokens.Transfer(m, a, b, alice, 1))
	s.no(4, s.call([]byte{11}, w(a), r(m.Address), sig(bob)))
	s.ok(s.call([]byte{11}, w(a), r(m.Address), sig(alice)))
	s.ok(tokens.Transfer(m, a, b, alice, 1))
}

// extensions is what Token-2022 has alone.
func extensions(s *scene) {
	alice := s.at("alice")
	fee := append(append([]byte{26, 0, 1}, alice[:]...), 1)
	fee = binary.LittleEndian.AppendUint16(append(fee, alice[:]...), 250)
	fee = binary.LittleEndian.AppendUint64(fee, 1_000_000)
	taxed := s.extended("taxed", 165+1+4+108, fee)
	a, b := s.account("alice", taxed), s.account("bob", taxed)
	s.ok(tokens.MintTo(taxed, a, alice, 10_000))
	s.ok(tokens.Transfer(taxed, a, b, alice, 1_000))
	s.holds(b, 975)
	s.ok(s.call([]byte{26, 4}, w(taxed.Address), w(b)))             // harvest the fees
	s.ok(s.call([]byte{26, 2}, w(taxed.Address), w(a), sig(alice))) // withdraw them
	s.holds(a, 9_025)
	for _, c := range []struct {
		name   string
		length int
		begin  []byte
		kind   error
	}{
		{"hook", 68, append(append([]byte{36, 0}, alice[:]...), bytes.Repeat([]byte{9}, 32)...), tokens.ErrTransferHook},
		{"delegate", 36, append([]byte{35}, alice[:]...), tokens.ErrPermanentDelegate},
		{"state", 5, []byte{28, 0, 2}, tokens.ErrDefaultState},
		{"fixed", 4, []byte{32}, tokens.ErrNonTransferable},
		{"interest", 56, append(append([]byte{33, 0}, alice[:]...), 244, 1), tokens.ErrChangedAmount},
		{"close", 36, append([]byte{25, 1}, alice[:]...), tokens.ErrMintClose},
		{"pointer", 68, append(append([]byte{39, 0}, alice[:]...), bytes.Repeat([]byte{7}, 32)...), nil},
		{"pausable", 37, append([]byte{44, 0}, alice[:]...), tokens.ErrPausable},
		{"scaled", 60, append(append([]byte{43, 0}, alice[:]...), u64(math.Float64bits(1.5))...), tokens.ErrChangedAmount},
		{"secret", 69, append(append([]byte{27, 0}, alice[:]...), make([]byte, 33)...), tokens.ErrConfidential},
	} {
		s.extension(c.name, c.length, c.begin, c.kind)
	}
}

// extension makes a mint with one extension, and uses it.
func (s *scene) extension(name string, length int, begin []byte, kind error) {
	s.t.Helper()
	alice := s.at("alice")
	m := s.extended(name, 165+1+length, begin)
	got := s.state[solana.PublicKey(m.Address)]
	decoded, err := tokens.DecodeMint(m.Address, onchain.Address(got.Owner), got.Data)
	if err != nil || len(decoded.Extensions) != 1 || !errors.Is(decoded.Safe(), kind) || (kind == nil) != (decoded.Safe() == nil) {
		s.t.Fatalf("%s: %+v, %v, %v", name, decoded, decoded.Safe(), err)
	}
	a, b := s.account("alice", m), s.account("bob", m)
	s.send(tokens.MintTo(m, a, alice, 1_000))
	s.send(tokens.Transfer(m, a, b, alice, 10))
	s.send(s.call(u64(1_234_500, 23), r(m.Address)))
	s.send(s.call([]byte{44, 1}, w(m.Address), sig(alice)))
	s.send(tokens.Transfer(m, a, b, alice, 10))
}

// random sends any instruction with any accounts.
func random(s *scene) {
	g := rand.New(rand.NewPCG(176, uint64(s.program[0])<<8|uint64(s.program[5])))
	m, other := s.mint("usd", 6), s.mint("eur", 2)
	alice := s.at("alice")
	all := []onchain.Address{m.Address, other.Address, alice, s.at("bob"), s.at("carol"), onchain.SystemProgram(), s.program}
	for _, owner := range []string{"alice", "bob", "carol"} {
		all = append(all, s.account(owner, m), s.account(owner, other))
	}
	s.ok(tokens.MintTo(m, all[7], alice, 1_000))
	s.ok(tokens.MintTo(other, all[8], alice, 1_000))
	one := func() onchain.Address { return all[g.IntN(len(all))] }
	for range *steps {
		data := []byte{byte(g.IntN(46))}
		switch g.IntN(4) {
		case 0:
			data = append(u64(g.Uint64N(1_200), data...), []byte{6, 2}[g.IntN(2)])
		case 1:
			data = u64(g.Uint64N(1_200), data...)
		case 2:
			data = append(data, byte(g.IntN(4)), byte(g.IntN(2)))
			to := one()
			data = append(data, to[:]...)
		}
		var metas []onchain.AccountMeta
		for range 1 + g.IntN(5) {
			at := one()
			_, mine := s.keys[at]
			metas = append(metas, onchain.AccountMeta{Address: at, Writable: g.IntN(3) > 0, Signer: mine && g.IntN(3) > 0})
		}
		if g.IntN(3) == 0 { // one that can succeed
			pair := []*tokens.Mint{m, other}[g.IntN(2)]
			from, to := 7+2*g.IntN(3), 7+2*g.IntN(3)
			if pair == other {
				from, to = from+1, to+1
			}
			owner := s.at([]string{"alice", "bob", "carol"}[(from-7)/2])
			s.send(tokens.Transfer(pair, all[from], all[to], owner, g.Uint64N(300)))
			continue
		}
		s.send(s.call(data, metas...))
	}
	if done := len(s.c.Transactions) - s.failed; s.failed < *steps/10 || done < *steps/10 {
		s.t.Errorf("%d succeeded and %d failed", done, s.failed)
	}
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// TestAgave runs the scenes on both runtimes.
func TestAgave(t *testing.T) {
	judge := difftest.New(t, difftest.Options{Traces: "testdata", Record: *rewrite})
	want := map[string]string{}
	if !judge.Live() {
		raw, err := os.ReadFile(tracing)
		if err = errors.Join(err, json.Unmarshal(raw, &want)); err != nil {
			t.Fatal(err)
		}
	}
	got, agreed := map[string]string{}, 0
	for _, c := range []struct {
		name    string
		program onchain.Address
		play    func(*scene)
	}{
		{"SPL Token", tokens.SPL(), plain},
		{"Token-2022", tokens.Token2022(), plain},
		{"extensions", tokens.Token2022(), extensions},
		{"SPL Token at random", tokens.SPL(), random},
		{"Token-2022 at random", tokens.Token2022(), random},
	} {
		s := newScene(t, c.name, c.program)
		c.play(s)
		ours := s.c
		ours.Accounts = append(slices.Clone(s.own), s.c.Accounts...)
		report, err := difftest.RunLocal(judge.Runtime(), ours)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		got[c.name] = digest(raw)
		if judge.Live() {
			theirs, err := judge.RunLite(s.c)
			if err != nil {
				t.Fatal(err)
			}
			if lines := difftest.Compare(s.c, theirs, report); len(lines) > 0 {
				t.Errorf("%s: %d differences: %q", c.name, len(lines), lines[:min(6, len(lines))])
			}
		} else if want[c.name] != got[c.name] {
			t.Errorf("%s is not what Agave's runtime agreed with", c.name)
		}
		agreed += len(s.c.Transactions)
	}
	t.Logf("%d transactions agree in accounts, logs and compute units", agreed)
	if *rewrite && !t.Failed() {
		raw, err := json.MarshalIndent(got, "", "\t")
		if err == nil {
			err = errors.Join(os.MkdirAll("testdata", 0o750), os.WriteFile(tracing, append(raw, '\n'), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestPrograms: the programs that the embedded chain begins with are byte for byte those of
// LiteSVM, at the same addresses and under the same loaders.
func TestPrograms(t *testing.T) {
	judge := difftest.New(t, difftest.Options{})
	own, err := spl.Accounts()
	if err != nil {
		t.Fatal(err)
	}
	if len(own) != 8 {
		t.Errorf("%d accounts", len(own))
	}
	if !judge.Live() {
		return // package spl compares the hashes
	}
	s := newScene(t, "programs", tokens.SPL())
	list := onchain.Instruction{Program: onchain.SystemProgram(), Data: []byte{9}}
	for _, a := range own {
		list.Accounts = append(list.Accounts, r(onchain.Address(a.Key)))
	}
	made, err := difftest.Build(s.env, solana.PublicKey(s.at("alice")), program.Native(list), s.keys[s.at("alice")])
	if err != nil {
		t.Fatal(err)
	}
	made.Watch = nil
	for _, a := range own {
		made.Watch = append(made.Watch, a.Key)
	}
	s.c.Transactions = []difftest.Transaction{made}
	report, err := judge.RunLite(s.c)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range own {
		theirs := report.Outcomes[0].Accounts[i]
		if theirs == nil || !bytes.Equal(code(theirs.Data, a.Account), code(a.Account.Data, a.Account)) || !bytes.Equal(theirs.Owner, a.Account.Owner[:]) || theirs.Executable != a.Account.Executable {
			t.Errorf("%s is another account on LiteSVM", a.Key)
		}
	}
}

// code is the part of an account that is compared: all but when and by whom it was deployed.
func code(data []byte, a accounts.Account) []byte {
	const head = 45
	if a.Owner == accounts.LoaderV3ID && !a.Executable && len(data) > head {
		return data[head:]
	}
	return data
}
