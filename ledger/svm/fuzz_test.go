package svm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/sbpf"
)

// bank is a Source for tests inside the package.
type bank map[solana.PublicKey]accounts.Account

func (b bank) Account(key solana.PublicKey) (accounts.Account, bool) {
	a, ok := b[key]
	return a, ok
}

func newBank(env *accounts.Environment) bank {
	b := bank{}
	for _, a := range append(accounts.Builtins(), accounts.Sysvars(env)...) {
		b[a.Key] = a.Account
	}
	return b
}

func mustRuntime(t testing.TB) *Runtime {
	t.Helper()
	r, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// FuzzDecodeTransaction: every transaction that decodes encodes to the same bytes, and its
// execution makes and loses no lamports besides the fee.
func FuzzDecodeTransaction(f *testing.F) {
	payer := solana.PublicKey{1, 2, 3}
	for _, ix := range []solana.Instruction{
		solana.NewInstruction(accounts.SystemID, solana.AccountMetaSlice{solana.Meta(payer).WRITE().SIGNER(), solana.Meta(solana.PublicKey{9}).WRITE()},
			append([]byte{2, 0, 0, 0}, binary.LittleEndian.AppendUint64(nil, 1_000_000)...)),
		solana.NewInstruction(accounts.ComputeBudgetID, nil, []byte{2, 1, 0, 0, 0}),
		solana.NewInstruction(accounts.Ed25519ID, nil, []byte{1, 0}),
	} {
		tx, err := solana.NewTransaction([]solana.Instruction{ix}, solana.Hash{}, solana.TransactionPayer(payer))
		if err != nil {
			f.Fatal(err)
		}
		tx.Signatures = make([]solana.Signature, 1)
		for _, version := range []solana.MessageVersion{solana.MessageVersionLegacy, solana.MessageVersionV0, solana.MessageVersionV1} {
			tx.Message.SetVersion(version)
			raw, err := tx.MarshalBinary()
			if err != nil {
				f.Fatal(err)
			}
			f.Add(raw)
		}
	}
	runtime, env := mustRuntime(f), accounts.DefaultEnvironment()
	f.Fuzz(func(t *testing.T, raw []byte) {
		tx, err := DecodeTransaction(raw)
		if err != nil {
			return
		}
		if again, err := tx.MarshalBinary(); err != nil || !bytes.Equal(again, raw) {
			t.Fatalf("%x encodes as %x, %v", raw, again, err)
		}
		b := newBank(env)
		for _, key := range tx.Message.AccountKeys {
			if _, ok := b[key]; !ok && key[0]&1 == 1 {
				b[key] = accounts.Account{Lamports: 1e9, RentEpoch: accounts.RentExempt}
			}
		}
		balanced(t, runtime.Simulate(tx, env, b, false))
	})
}

// balanced fails if a result makes or loses lamports.
func balanced(t *testing.T, r *Result) {
	t.Helper()
	if r.Status == Rejected {
		return
	}
	var before, after uint64
	for i := range r.PreBalances {
		before, after = before+r.PreBalances[i], after+r.PostBalances[i]
	}
	if before != after+r.Fee {
		t.Fatalf("%d lamports became %d and a fee of %d", before, after, r.Fee)
	}
}

// FuzzInstructionsSysvar: a naive reader finds the message's instructions in the sysvar.
func FuzzInstructionsSysvar(f *testing.F) {
	f.Add([]byte{3, 1, 0, 2, 4, 9, 9, 9, 9}, uint8(1), uint8(5))
	f.Fuzz(func(t *testing.T, raw []byte, signers, writable uint8) {
		m := messageOf(raw, signers, writable)
		data, ok := m.instructionsData()
		if !ok {
			return
		}
		le := binary.LittleEndian
		if got := int(le.Uint16(data)); got != len(m.instructions) {
			t.Fatalf("%d instructions, want %d", got, len(m.instructions))
		}
		for i, ix := range m.instructions {
			at := data[le.Uint16(data[2+2*i:]):]
			if int(le.Uint16(at)) != len(ix.accounts) {
				t.Fatalf("instruction %d has %d accounts", i, le.Uint16(at))
			}
			at = at[2:]
			for _, a := range ix.accounts {
				if at[0] != flag(a < m.signers)|flag(m.writable[a])<<1 || solana.PublicKey(at[1:33]) != m.keys[a] {
					t.Fatalf("instruction %d: account %x", i, at[:33])
				}
				at = at[33:]
			}
			if n := int(le.Uint16(at[32:])); solana.PublicKey(at[:32]) != m.keys[ix.program] || !bytes.Equal(at[34:34+n], ix.data) {
				t.Fatalf("instruction %d: %x", i, at)
			}
		}
	})
}

// messageOf makes a message of 8 accounts. Each instruction takes a program, a count of accounts
// and a count of data bytes.
func messageOf(raw []byte, signers, writable uint8) *message {
	m := &message{signers: int(signers%8) + 1, writable: make([]bool, 8)}
	for i := range m.writable {
		m.keys, m.writable[i] = append(m.keys, solana.PublicKey{byte(i), 77}), writable>>i&1 == 1
	}
	for len(raw) >= 3 && len(m.instructions) < maxInstructionTrace {
		ix := compiled{program: int(raw[0] % 8), accounts: make([]int, raw[1]), data: bytes.Repeat(raw[2:3], int(raw[2])*4)}
		for i := range ix.accounts {
			ix.accounts[i] = (i + int(raw[0])) % 8
		}
		m.instructions, raw = append(m.instructions, ix), raw[3:]
	}
	return m
}

// FuzzSerialize: reading back unchanged memory changes nothing. No memory makes lamports or touches
// accounts that the program must not change.
func FuzzSerialize(f *testing.F) {
	f.Add([]byte{0, 1, 2, 1}, []byte("data"), []byte{96, 7, 200, 1})
	f.Fuzz(func(t *testing.T, order, data, writes []byte) {
		x, before := serialized(order, data)
		in, err := x.serialize(x.current(), nil)
		if err != nil {
			if len(order) <= maxAccountsPerIx {
				t.Fatal(err)
			}
			return
		}
		if err := x.deserialize(x.current(), in); err != nil {
			t.Fatal(err)
		}
		for ; len(writes) >= 3; writes = writes[3:] {
			in.buffer[int(binary.LittleEndian.Uint16(writes))%len(in.buffer)] = writes[2]
		}
		if err := x.deserialize(x.current(), in); err != nil {
			if known := (failure.InstructionError{}); !errors.As(err, &known) {
				t.Fatal(err)
			}
			return
		}
		if a := x.accounts[2].state; !equalAccounts(a, before[2]) {
			t.Fatalf("a read-only account became %+v", a)
		}
		if a := x.accounts[1].state; a.Owner != before[1].Owner || !bytes.Equal(a.Data, before[1].Data) || a.Lamports < before[1].Lamports {
			t.Fatalf("a foreign account became %+v", a)
		}
	})
}

func equalAccounts(a, b accounts.Account) bool {
	return a.Lamports == b.Lamports && a.Owner == b.Owner && bytes.Equal(a.Data, b.Data) && a.Executable == b.Executable
}

// serialized returns a running instruction with accounts in any order: 0 is the program's own, 1
// foreign, both writable; 2 and 3 are read-only.
func serialized(order, data []byte) (*execution, []accounts.Account) {
	program := solana.PublicKey{42}
	before := []accounts.Account{
		{Lamports: 1000, Owner: program, Data: bytes.Clone(data)}, {Lamports: 1000, Owner: solana.PublicKey{1}, Data: bytes.Clone(data)},
		{Lamports: 1000, Owner: program, Data: bytes.Clone(data)}, {Lamports: 1, Owner: accounts.LoaderV3ID, Executable: true},
	}
	all := make([]txAccount, len(before))
	for i, a := range before {
		all[i] = txAccount{key: solana.PublicKey{byte(i), 1}, state: a, shared: true}
	}
	all[3].key = program
	env := accounts.DefaultEnvironment()
	x := &execution{txContext: newContext(all, env.Rent, 5, 1), env: env, meter: &sbpf.Meter{Remaining: 1000}, log: &logCollector{}}
	frame := x.trace[0]
	frame.program, frame.data, frame.first = 3, data, slices.Repeat([]uint16{noIndex}, len(all))
	for i, o := range order {
		index := int(o % 4)
		if frame.first[index] == noIndex {
			frame.first[index] = uint16(i)
		}
		frame.accounts = append(frame.accounts, ixAccount{index, false, index < 2})
	}
	x.stack = []int{0}
	return x, before
}

// FuzzNonce: the state of a nonce account is written as it was read.
func FuzzNonce(f *testing.F) {
	f.Add(make([]byte, nonceSize))
	f.Add(nonceState{initialized: true, authority: solana.PublicKey{1}, nonce: solana.Hash{2}, fee: 5000}.encode())
	f.Add(nonceState{legacy: true, initialized: true}.encode())
	f.Add([]byte{1, 0, 0, 0, 2, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		n, ok := decodeNonce(data)
		if isNonceAccount(data) && !ok {
			t.Fatalf("%x is a nonce account that cannot be read", data)
		}
		if !ok {
			return
		}
		if again := n.encode(); len(again) > len(data) || !bytes.Equal(again, data[:len(again)]) {
			t.Fatalf("%x became %x", data, again)
		}
	})
}
