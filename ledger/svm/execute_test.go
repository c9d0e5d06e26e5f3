package svm_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"reflect"
	"sync"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/sbpf"
)

const sol = 1_000_000_000

// state is a bank of accounts.
type state map[solana.PublicKey]accounts.Account

func (s state) Account(key solana.PublicKey) (accounts.Account, bool) {
	a, ok := s[key]
	return a, ok
}

// genesis returns a chain with a rich payer and the given program.
func genesis(t testing.TB, env *accounts.Environment, source string) (state, solana.PublicKey) {
	t.Helper()
	s, program := state{}, difftest.Address("program")
	all, err := accounts.ProgramPair(program, asm.MustELF(source, sbpf.V3), nil, env.Rent)
	if err != nil {
		t.Fatal(err)
	}
	all = append(append(all, accounts.Builtins()...), accounts.Sysvars(env)...)
	for _, a := range append(all, difftest.Wallet(difftest.Address("payer"), 10*sol)) {
		s[a.Key] = a.Account
	}
	return s, program
}

func newRuntime(t testing.TB) *svm.Runtime {
	t.Helper()
	r, err := svm.New(svm.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func decode(t testing.TB, tx difftest.Transaction) *solana.Transaction {
	t.Helper()
	out, err := svm.DecodeTransaction(tx.Raw)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func signed(t testing.TB, env *accounts.Environment, ixs ...solana.Instruction) *solana.Transaction {
	t.Helper()
	payer := difftest.Key("payer")
	tx, err := difftest.Build(env, payer.PublicKey(), ixs, payer)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, tx)
}

func transfer(from, to solana.PublicKey, lamports uint64) solana.Instruction {
	data := binary.LittleEndian.AppendUint64([]byte{2, 0, 0, 0}, lamports)
	return solana.NewInstruction(solana.SystemProgramID, solana.AccountMetaSlice{
		solana.Meta(from).WRITE().SIGNER(), solana.Meta(to).WRITE(),
	}, data)
}

const succeed, failWith7 = "mov64 r0, 0\nexit", "mov64 r0, 7\nexit"

func errorJSON(t *testing.T, err *failure.TransactionError) string {
	t.Helper()
	if err == nil {
		return "null"
	}
	b, e := json.Marshal(err)
	if e != nil {
		t.Fatal(e)
	}
	return string(b)
}

func TestStatus(t *testing.T) {
	env := accounts.DefaultEnvironment()
	payer, to := difftest.Address("payer"), difftest.Address("to")
	small := solana.NewInstruction(solana.ComputeBudget, nil, []byte{4, 100, 0, 0, 0})
	for name, c := range map[string]struct {
		source string
		ixs    []solana.Instruction
		status svm.Status
		err    string
		fee    uint64
		writes int
	}{
		"success":      {succeed, []solana.Instruction{transfer(payer, to, sol)}, svm.Executed, `null`, 5000, 2},
		"failure":      {failWith7, []solana.Instruction{transfer(payer, to, sol), run("program")}, svm.Executed, `{"InstructionError":[1,{"Custom":7}]}`, 5000, 1},
		"no program":   {succeed, []solana.Instruction{run("absent")}, svm.FeesOnly, `"ProgramAccountNotFound"`, 5000, 1},
		"emptied":      {succeed, []solana.Instruction{run("emptied")}, svm.FeesOnly, `"ProgramAccountNotFound"`, 5000, 1},
		"not program":  {succeed, []solana.Instruction{run("payer2")}, svm.FeesOnly, `"InvalidProgramForExecution"`, 5000, 1},
		"too large":    {succeed, []solana.Instruction{small, run("program")}, svm.FeesOnly, `"MaxLoadedAccountsDataSizeExceeded"`, 5000, 1},
		"bad limit":    {succeed, []solana.Instruction{solana.NewInstruction(solana.ComputeBudget, nil, []byte{4, 0, 0, 0, 0}), run("program")}, svm.Rejected, `"InvalidLoadedAccountsDataSizeLimit"`, 0, 0},
		"many signers": {succeed, []solana.Instruction{transfer(difftest.Address("x"), to, 1)}, svm.Rejected, `"SignatureFailure"`, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := genesis(t, env, c.source)
			s[difftest.Address("payer2")] = accounts.Account{Lamports: sol}
			s[difftest.Address("emptied")] = accounts.Account{Owner: solana.BPFLoaderUpgradeableProgramID}
			r := newRuntime(t).Execute(signed(t, env, c.ixs...), env, s)
			if got := errorJSON(t, r.Err); r.Status != c.status || got != c.err || r.Fee != c.fee || len(r.Writes) != c.writes {
				t.Fatalf("status %d error %s fee %d writes %d", r.Status, got, r.Fee, len(r.Writes))
			}
			if c.status == svm.Rejected {
				return
			}
			if after := r.Writes[0]; after.Key != payer || after.Account.Lamports != r.PostBalances[0] {
				t.Fatalf("payer is %+v", after)
			}
			if r.Err != nil && r.PostBalances[0] != 10*sol-5000 {
				t.Fatalf("a failed transaction costs %d", 10*sol-r.PostBalances[0])
			}
		})
	}
}

func run(program string) solana.Instruction {
	return solana.NewInstruction(difftest.Address(program), nil, nil)
}

// TestSourceIsUntouched: a transaction works on copies.
func TestSourceIsUntouched(t *testing.T) {
	env := accounts.DefaultEnvironment()
	s, program := genesis(t, env, "stdw [r1+96], 7\nmov64 r0, 0\nexit")
	own := difftest.Address("own")
	s[own] = accounts.Account{Lamports: sol, Owner: program, Data: make([]byte, 16)}
	tx := signed(t, env, solana.NewInstruction(program, solana.AccountMetaSlice{solana.Meta(own).WRITE()}, nil))
	r := newRuntime(t).Execute(tx, env, s)
	if r.Err != nil {
		t.Fatal(r.Err, r.Logs)
	}
	if s[own].Data[0] != 0 || r.Accounts[1].Account.Data[0] != 7 {
		t.Fatalf("before %v, after %v", s[own].Data, r.Accounts[1].Account.Data)
	}
}

// TestConcurrent: equal inputs give equal results, from many goroutines at once and with a cache
// that is too small.
func TestConcurrent(t *testing.T) {
	env := accounts.DefaultEnvironment()
	s, program := genesis(t, env, failWith7)
	other := difftest.Address("other")
	pair, err := accounts.ProgramPair(other, asm.MustELF(succeed, sbpf.V0), nil, env.Rent)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range pair {
		s[a.Key] = a.Account
	}
	config := svm.DefaultConfig()
	config.MaxPrograms = 1
	runtime, err := svm.New(config)
	if err != nil {
		t.Fatal(err)
	}
	txs := []*solana.Transaction{signed(t, env, run("other")), signed(t, env, run("other"), solana.NewInstruction(program, nil, nil))}
	want := []*svm.Result{runtime.Execute(txs[0], env, s), runtime.Execute(txs[1], env, s)}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 50 {
				if got := runtime.Execute(txs[i%2], env, s); !reflect.DeepEqual(got, want[i%2]) {
					t.Errorf("got %+v, want %+v", got, want[i%2])
					return
				}
			}
		})
	}
	group.Wait()
}

// nonceChain has a durable nonce of the payer and accepts no blockhash.
func nonceChain(t *testing.T) (*accounts.Environment, state, solana.PublicKey, solana.Hash) {
	t.Helper()
	env := accounts.DefaultEnvironment()
	env.Blockhash = solana.Hash{9}
	env.BlockhashValid = func(solana.Hash) bool { return false }
	s, _ := genesis(t, env, failWith7)
	key, payer, nonce := difftest.Address("nonce"), difftest.Address("payer"), solana.Hash{1, 2, 3}
	data := append([]byte{1, 0, 0, 0, 1, 0, 0, 0}, payer[:]...)
	data = binary.LittleEndian.AppendUint64(append(data, nonce[:]...), 5000)
	s[key] = accounts.Account{Lamports: sol, Data: data}
	return env, s, key, nonce
}

// TestDurableNonce: an advanced nonce stays advanced if the transaction fails, so it cannot run
// twice.
func TestDurableNonce(t *testing.T) {
	env, s, key, nonce := nonceChain(t)
	payer := difftest.Key("payer")
	advance := solana.NewInstruction(solana.SystemProgramID, solana.AccountMetaSlice{
		solana.Meta(key).WRITE(), solana.Meta(solana.SysVarRecentBlockHashesPubkey), solana.Meta(payer.PublicKey()).SIGNER(),
	}, []byte{4, 0, 0, 0})
	build := func(hash solana.Hash, ixs ...solana.Instruction) *solana.Transaction {
		old := *env
		old.Blockhash = hash
		return signed(t, &old, ixs...)
	}
	runtime, bare := newRuntime(t), solana.NewInstruction(solana.SystemProgramID, nil, []byte{4, 0, 0, 0})
	authorize := solana.NewInstruction(solana.SystemProgramID, solana.AccountMetaSlice{
		solana.Meta(key).WRITE(), solana.Meta(payer.PublicKey()).SIGNER(),
	}, append([]byte{7, 0, 0, 0}, key[:]...))
	for name, tx := range map[string]*solana.Transaction{
		"no nonce":         build(nonce, run("program")),
		"not first":        build(nonce, run("program"), advance),
		"other hash":       build(solana.Hash{4}, advance, run("program")),
		"no accounts":      build(nonce, bare),
		"not advanced":     build(nonce, authorize),
		"no nonce account": build(nonce, transfer(payer.PublicKey(), key, 1)),
	} {
		if r := runtime.Execute(tx, env, s); r.Status != svm.Rejected || errorJSON(t, r.Err) != `"BlockhashNotFound"` {
			t.Errorf("%s: %d %v", name, r.Status, r.Err)
		}
	}
	r := runtime.Execute(build(nonce, advance, run("program")), env, s)
	if got := errorJSON(t, r.Err); r.Status != svm.Executed || got != `{"InstructionError":[1,{"Custom":7}]}` || len(r.Writes) != 2 {
		t.Fatalf("%d %s %+v", r.Status, got, r.Writes)
	}
	next := sha256.Sum256(append([]byte("DURABLE_NONCE"), env.Blockhash[:]...))
	if got := r.Writes[1]; got.Key != key || solana.Hash(got.Account.Data[40:72]) != next {
		t.Fatalf("nonce account is %+v", got)
	}
	s[key] = r.Writes[1].Account
	if r := runtime.Execute(build(nonce, advance, run("program")), env, s); r.Status != svm.Rejected {
		t.Fatal("a nonce was used twice")
	}
}

func TestSimulateWithoutSignatures(t *testing.T) {
	env := accounts.DefaultEnvironment()
	s, _ := genesis(t, env, succeed)
	tx := signed(t, env, transfer(difftest.Address("payer"), difftest.Address("to"), sol))
	tx.Signatures[0] = solana.Signature{}
	if r := newRuntime(t).Simulate(tx, env, s, false); r.Err != nil || len(r.Accounts) != 3 || r.Accounts[1].Account.Lamports != sol {
		t.Fatalf("%v %+v", r.Err, r.Accounts)
	}
	if r := newRuntime(t).Simulate(tx, env, s, true); r.Err == nil || r.Err.Code != failure.ErrSignatureFailure {
		t.Fatal("a transaction without signature passed")
	}
}

func TestConfig(t *testing.T) {
	if _, err := svm.New(svm.Config{}); err == nil {
		t.Fatal("no programs in the cache were accepted")
	}
}

// BenchmarkTransfer measures a whole transfer: decoding, signature, loading, execution.
func BenchmarkTransfer(b *testing.B) {
	env := accounts.DefaultEnvironment()
	s, _ := genesis(b, env, succeed)
	payer := difftest.Key("payer")
	made, err := difftest.Build(env, payer.PublicKey(), []solana.Instruction{transfer(payer.PublicKey(), difftest.Address("to"), sol)}, payer)
	if err != nil {
		b.Fatal(err)
	}
	runtime := newRuntime(b)
	for _, verify := range []bool{true, false} {
		b.Run(map[bool]string{true: "verified", false: "unverified"}[verify], func(b *testing.B) {
			for b.Loop() {
				if r := runtime.Simulate(decode(b, made), env, s, verify); r.Err != nil {
					b.Fatal(r.Err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tx/s")
		})
	}
}
