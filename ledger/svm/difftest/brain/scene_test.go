package brain_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/programs/megabrain"
	"ojud/programs/oju"
)

const (
	sol     = 1_000_000_000
	start   = 1_800_000_000 // Unix seconds
	tracing = "testdata/agave.json"
)

var rewrite = flag.Bool("rewrite", false, "write the hashes of what LiteSVM agreed with; needs LiteSVM")

// trace has the hash of each report that Agave's runtime agreed with.
type trace struct {
	ELF   string            `json:"elf"`
	Court string            `json:"court"`
	Cases map[string]string `json:"cases"`
}

// suite judges the cases of all scenes.
type suite struct {
	judge   *difftest.Comparison
	runtime *svm.Runtime
	trace   trace
	agreed  int
	alone   bool // no judge: the test itself states the expected results, and nobody signs

	programs []difftest.Deployment // of MegaBrain and of the court
	fixed    []accounts.Keyed      // their accounts, and those of the chain itself
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func newSuite(t *testing.T, alone bool) *suite {
	t.Helper()
	s := &suite{alone: alone, fixed: accounts.Builtins(), programs: []difftest.Deployment{
		{ID: difftest.Address("megabrain"), ELF: megabrain.ELF()}, {ID: difftest.Address("oju"), ELF: oju.ELF()},
	}}
	s.trace = trace{digest(s.programs[0].ELF), digest(s.programs[1].ELF), map[string]string{}}
	for _, p := range s.programs {
		pair, err := accounts.ProgramPair(p.ID, p.ELF, nil, accounts.DefaultEnvironment().Rent)
		if err != nil {
			t.Fatal(err)
		}
		s.fixed = append(s.fixed, pair...)
	}
	if alone {
		r, err := svm.New(svm.DefaultConfig())
		if err != nil {
			t.Fatal(err)
		}
		s.runtime = r
		return s
	}
	s.judge = difftest.New(t, difftest.Options{Traces: "testdata", Record: *rewrite})
	s.runtime = s.judge.Runtime()
	if s.judge.Live() {
		return s
	}
	data, err := os.ReadFile(tracing)
	var old trace
	if err = errors.Join(err, json.Unmarshal(data, &old)); err != nil {
		t.Fatal(err)
	}
	if old.ELF != s.trace.ELF {
		t.Fatalf("%s is of another program: npm install in ledger/svm/difftest/harness, then go test ./ledger/svm/difftest/brain -rewrite", tracing)
	}
	s.trace = old
	return s
}

// check compares a case with Agave's runtime, or its report with the one that it agreed with.
func (s *suite) check(t *testing.T, c difftest.Case) {
	t.Helper()
	if s.alone {
		return
	}
	got, err := difftest.RunLocal(s.runtime, c)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if s.judge.Live() {
		want, err := s.judge.RunLite(c)
		if err != nil {
			t.Fatal(err)
		}
		if lines := difftest.Compare(c, want, got); len(lines) > 0 {
			t.Fatalf("%s: %d differences: %q", c.Name, len(lines), lines[:min(6, len(lines))])
		}
		s.trace.Cases[c.Name] = digest(raw)
	} else if s.trace.Cases[c.Name] != digest(raw) {
		t.Errorf("%s is not what Agave's runtime agreed with", c.Name)
	}
	s.agreed += len(c.Transactions)
}

// scene is a chain with the programs of MegaBrain and of the court.
type scene struct {
	t     *testing.T
	suite *suite
	name  string
	prog  brain.Megabrain
	court program.Program

	env      *accounts.Environment
	base     map[onchain.Address]accounts.Account
	accounts map[onchain.Address]accounts.Account
	keys     map[onchain.Address]solana.PrivateKey
	known    map[string]onchain.Address // because to derive a key is slow

	open   *difftest.Case
	cases  int
	events []any
	units  map[string]uint64
}

func newScene(t *testing.T, s *suite, name string) *scene {
	t.Helper()
	sc := &scene{
		t: t, suite: s, name: name, prog: brain.New(onchain.Address(difftest.Address("megabrain"))),
		court: program.New(onchain.Address(difftest.Address("oju"))), accounts: map[onchain.Address]accounts.Account{},
		keys: map[onchain.Address]solana.PrivateKey{}, known: map[string]onchain.Address{}, units: map[string]uint64{},
	}
	sc.fund("payer", 1_000*sol)
	env := accounts.DefaultEnvironment()
	env.Clock = accounts.Clock{Slot: 1_000, UnixTimestamp: start}
	sc.move(env)
	return sc
}

// move sets the clock and the sysvars.
func (s *scene) move(env *accounts.Environment) {
	s.t.Helper()
	s.flush()
	env.SlotHashes = nil
	for slot := env.Clock.Slot - 1; len(env.SlotHashes) < 16; slot-- {
		env.SlotHashes = append(env.SlotHashes, accounts.SlotHash{Slot: slot, Hash: solana.Hash(sha256.Sum256(fmt.Appendf(nil, "%s %d", s.name, slot)))})
	}
	s.env, s.base = env, map[onchain.Address]accounts.Account{}
	for _, list := range [][]accounts.Keyed{s.suite.fixed, accounts.Sysvars(env)} {
		for _, a := range list {
			s.base[onchain.Address(a.Key)] = a.Account
		}
	}
}

func (s *scene) now() int64 { return s.env.Clock.UnixTimestamp }

// pass lets time pass, with a block each 400 ms.
func (s *scene) pass(seconds int64) {
	s.t.Helper()
	env := *s.env
	env.Clock.UnixTimestamp += seconds
	env.Clock.Slot += uint64(seconds)*5/2 + 3
	s.move(&env)
}

// until lets time pass until then.
func (s *scene) until(unix int64) {
	s.t.Helper()
	if s.now() < unix {
		s.pass(unix - s.now())
	}
}

// Account makes a scene the source of the runtime.
func (s *scene) Account(address solana.PublicKey) (accounts.Account, bool) {
	if a, ok := s.accounts[onchain.Address(address)]; ok {
		return a, true
	}
	a, ok := s.base[onchain.Address(address)]
	return a, ok
}

// put sets an account directly.
func (s *scene) put(key onchain.Address, a accounts.Account) {
	s.t.Helper()
	s.flush()
	s.accounts[key] = a
}

// owned puts an account of a program.
func (s *scene) owned(key, owner onchain.Address, data []byte, more uint64) {
	s.t.Helper()
	s.put(key, accounts.Account{Lamports: s.env.Rent.MinimumBalance(len(data)) + more, Data: data, Owner: solana.PublicKey(owner)})
}

func (s *scene) flush() {
	s.t.Helper()
	if s.open != nil {
		c := *s.open
		s.open = nil
		s.suite.check(s.t, c)
	}
}

// send runs instructions in one transaction.
func (s *scene) send(list ...onchain.Instruction) *svm.Result {
	s.t.Helper()
	if s.open == nil {
		s.cases++
		s.open = &difftest.Case{
			Name: fmt.Sprintf("%s#%d", s.name, s.cases), Env: s.env, Verify: true, Programs: s.suite.programs,
		}
		for _, key := range slices.SortedFunc(maps.Keys(s.accounts), func(a, b onchain.Address) int { return slices.Compare(a[:], b[:]) }) {
			s.open.Accounts = append(s.open.Accounts, accounts.Keyed{Key: solana.PublicKey(key), Account: s.accounts[key]})
		}
	}
	payer, signers := solana.PublicKey(s.at("payer")), slices.Collect(maps.Values(s.keys))
	if s.suite.alone {
		signers = nil
	}
	made, err := difftest.Build(s.env, payer, program.Native(list...), signers...)
	if err != nil {
		s.t.Fatal(err)
	}
	code := solana.PublicKey(s.prog.ProgramData())
	made.Watch = slices.DeleteFunc(slices.Clone(made.Watch), func(k solana.PublicKey) bool { return k == code })
	tx, err := solana.TransactionFromBytes(made.Raw)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(made.Raw) > 1232 {
		s.t.Fatalf("a transaction of %d bytes", len(made.Raw))
	}
	r := s.suite.runtime.Simulate(tx, s.env, s, !s.suite.alone)
	if r.Status != svm.Rejected {
		for _, a := range r.Writes {
			if a.Account.Lamports == 0 {
				delete(s.accounts, onchain.Address(a.Key))
			} else {
				s.accounts[onchain.Address(a.Key)] = a.Account
			}
		}
	}
	s.open.Transactions = append(s.open.Transactions, made)
	return r
}

// ok sends, and expects success.
func (s *scene) ok(list ...onchain.Instruction) *svm.Result {
	s.t.Helper()
	r := s.send(list...)
	if r.Err != nil {
		s.t.Fatalf("%v: %q", r.Err, r.Logs)
	}
	events, err := s.prog.Events(r.Logs)
	if err != nil {
		s.t.Fatal(err)
	}
	s.events = append(s.events, events...)
	return r
}

// no sends, and expects a refusal by name.
func (s *scene) no(want string, list ...onchain.Instruction) {
	s.t.Helper()
	r := s.send(list...)
	if r.Err == nil {
		s.t.Fatalf("succeeded, not %s", want)
	}
	f, err := program.ParseFailure(r.Err)
	if err != nil {
		s.t.Fatal(err)
	}
	if got := brain.Denial(f.Custom).Name(); !f.HasCustom || got != want {
		s.t.Fatalf("%s (%v), not %s: %q", got, r.Err, want, r.Logs)
	}
}

// at returns the address of a name. Its key signs where a signature is needed.
func (s *scene) at(name string) onchain.Address {
	if at, ok := s.known[name]; ok {
		return at
	}
	key := difftest.Key(name)
	at := onchain.Address(key.PublicKey())
	s.keys[at], s.known[name] = key, at
	return at
}

// fund gives a wallet that much.
func (s *scene) fund(name string, lamports uint64) onchain.Address {
	key := s.at(name)
	s.put(key, difftest.Wallet(solana.PublicKey(key), lamports).Account)
	return key
}

func (s *scene) lamports(key onchain.Address) uint64 { return s.accounts[key].Lamports }

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s is %v, not %v", what, got, want)
	}
}

// TestAgave runs the scenes on both runtimes.
func TestAgave(t *testing.T) {
	s := newSuite(t, false)
	all := maps.Clone(scenes)
	maps.Copy(all, disputes)
	maps.Copy(all, goldens)
	maps.Copy(all, further)
	maps.Copy(all, vouching)
	maps.Copy(all, nearness)
	maps.Copy(all, appeals)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			sc := newScene(t, s, name)
			all[name](sc)
			sc.flush()
			t.Log(sc.units)
		})
	}
	t.Logf("%d transactions agree", s.agreed)
	if *rewrite && !t.Failed() {
		raw, err := json.MarshalIndent(s.trace, "", "\t")
		if err = errors.Join(err, os.WriteFile(tracing, append(raw, '\n'), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

var settlements = flag.Int("settlements", 300, "random tasks that TestSettlements settles")

// stored puts a class of sixteen members and a task on the chain.
func (s *scene) stored(c *class, k *brain.TaskAccount, n byte) onchain.Address {
	s.t.Helper()
	maker, requester := s.at("maker"), s.at("requester")
	if s.lamports(s.prog.Treasury()) == 0 {
		treasury := brain.Treasury{Head: head("Treasury"), Authority: s.at("authority"), Court: s.court.ID()}
		treasury.Head.Bump = bump(s, []byte("treasury"))
		s.owned(s.prog.Treasury(), s.prog.ID(), encode(s, treasury), 0)
	}
	id := [32]byte{n + 1}
	c.at = s.prog.Class(maker, id)
	h := head("Class")
	h.Bump = bump(s, []byte("class"), maker[:], id[:])
	data := append(encode(s, h), 16, 0, 0, 0, 0, 0)
	data = append(append(append(data, maker[:]...), id[:]...), encode(s, c.params)...)
	var near [brain.MaxNear]onchain.Address
	copy(near[:], c.near)
	data = append(data, encode(s, near)...)
	var held uint64
	for i := range 16 {
		m := brain.Member{Agent: onchain.Address{byte(i + 1)}, Operator: onchain.Address{byte(i + 1)}, Reputation: 5_000, Role: brain.WorkerRole, State: 1}
		m.Stake, m.Locked = k.Money.WorkerStake, 0
		if i < int(k.Counts.Drawn) {
			m.Locked = k.Money.WorkerStake
			k.Work[i].Agent = m.Agent
		}
		if i >= 8 {
			m.Role, m.Stake = brain.EvaluatorRole, k.Money.EvaluatorStake
			if i-8 < int(k.Counts.Seated) {
				m.Locked = k.Money.EvaluatorStake
				k.Judges[i-8].Agent = m.Agent
			}
		}
		held += m.Stake
		data = append(data, encode(s, m)...)
	}
	s.accounts[c.at] = accounts.Account{Lamports: s.env.Rent.MinimumBalance(len(data)) + held, Data: data, Owner: solana.PublicKey(s.prog.ID())}
	k.ID, k.Parties = id, brain.Parties{Requester: requester, Operator: requester, Class: c.at}
	k.Head.Bump = bump(s, []byte("task"), requester[:], id[:])
	at := s.prog.Task(requester, id)
	data = encode(s, k)
	s.accounts[at] = accounts.Account{Lamports: s.env.Rent.MinimumBalance(len(data)) + k.Money.Budget, Data: data, Owner: solana.PublicKey(s.prog.ID())}
	return at
}
