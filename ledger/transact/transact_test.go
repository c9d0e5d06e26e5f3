package transact

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// TestCompile: accounts that are named twice with different marks, and instructions that are used
// again.
func TestCompile(t *testing.T) {
	payer, a, c := keypair(1), keypair(2), keypair(3)
	meta := func(k *Keypair, signer, writable bool) onchain.AccountMeta {
		return onchain.AccountMeta{Address: k.Address(), Signer: signer, Writable: writable}
	}
	wanted := []onchain.Instruction{
		{Program: onchain.Address{5}, Accounts: []onchain.AccountMeta{meta(c, true, false), meta(a, true, false)}, Data: []byte{1}},
		{Program: onchain.Address{5}, Accounts: []onchain.AccountMeta{meta(a, false, true), meta(payer, false, false)}, Data: []byte{2}},
		program.Ed25519(program.SelfContained{}, program.SelfContained{}),
	}
	before := fmt.Sprintf("%+v %+v", wanted[0].Accounts[0], wanted[1].Accounts[0])
	b := Budget{Units: 1_000_000, Priced: true, Price: 3}
	u, err := Compile(payer.Address(), onchain.Hash{1}, b, wanted)
	if err != nil {
		t.Fatal(err)
	}
	keys := u.tx.Message.AccountKeys
	if onchain.Address(keys[0]) != payer.Address() || onchain.Address(keys[1]) != a.Address() || onchain.Address(keys[2]) != c.Address() || u.signers() != 3 || u.tx.Message.Header.NumReadonlySignedAccounts != 1 {
		t.Errorf("keys %v, header %+v", keys, u.tx.Message.Header)
	}
	if after := fmt.Sprintf("%+v %+v", wanted[0].Accounts[0], wanted[1].Accounts[0]); after != before {
		t.Errorf("the caller's instructions were changed from %s to %s", before, after)
	}
	raw, sig, err := u.Sign(map[onchain.Address]*Keypair{payer.Address(): payer, a.Address(): a, c.Address(): c})
	if err != nil || len(raw) != u.Size() {
		t.Fatal(err)
	}
	tx, err := solana.TransactionFromBytes(raw)
	if err != nil || tx.VerifySignatures() != nil || onchain.Signature(tx.Signatures[0]) != sig {
		t.Errorf("%v, %v", err, tx.VerifySignatures())
	}
	if fee := u.Fee(b); fee != 5*5_000+3 {
		t.Errorf("fee %d", fee)
	}
	if _, _, err := u.Sign(map[onchain.Address]*Keypair{payer.Address(): payer}); err == nil {
		t.Error("signed without a key")
	}
}

// TestCompileVersion1: the form that states what it may load has its signatures at the end, and
// holds more: 4,096 bytes and 64 accounts.
func TestCompileVersion1(t *testing.T) {
	payer := keypair(1)
	pay := func(n, accounts int) (all []onchain.Instruction) {
		for i := range n {
			all = append(all, onchain.Transfer(payer.Address(), onchain.Address{9, byte(i % accounts)}, 1))
		}
		return all
	}
	b := Budget{Units: 10_000, Priced: true, Price: 1_000_000, Loaded: 1 << 20}
	for name, c := range map[string]struct {
		instructions []onchain.Instruction
		fits         bool
	}{
		"62 accounts": {pay(62, 62), true}, "65 accounts": {pay(63, 63), false}, "65 instructions": {pay(65, 5), false},
		"3,900 bytes": {[]onchain.Instruction{{Program: onchain.Address{5}, Data: make([]byte, 3_800)}}, true},
		"4,100 bytes": {[]onchain.Instruction{{Program: onchain.Address{5}, Data: make([]byte, 4_000)}}, false},
	} {
		u, err := Compile(payer.Address(), onchain.Hash{1}, b, c.instructions)
		if !c.fits {
			if !errors.Is(err, ErrTooLarge) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(name, err)
		}
		raw, sig, err := u.Sign(map[onchain.Address]*Keypair{payer.Address(): payer})
		if err != nil || len(raw) != u.Size() || SignatureOf(raw) != sig || u.Fee(b) != 5_000+10_000 {
			t.Errorf("%s: %d bytes, %v, fee %d", name, len(raw), err, u.Fee(b))
		}
		tx, err := solana.TransactionFromBytes(raw)
		if err != nil || tx.VerifySignatures() != nil || onchain.Signature(tx.Signatures[0]) != sig || len(tx.Message.Instructions) != len(c.instructions) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func sampleEntry() Entry {
	raw := make([]byte, 200)
	raw[0], raw[1] = 1, 9
	return Entry{
		Purpose: PurposeOf(voting.OpCommit, onchain.Address{8}, 1, 27), Genesis: onchain.Hash{1}, Signature: onchain.Signature(raw[1:65]),
		Raw: raw, LastValid: 1 << 60, Before: 5, At: 6, Once: true,
	}
}

// TestEntry: an entry survives being written and read, and each fault of one is found.
func TestEntry(t *testing.T) {
	e := sampleEntry()
	data, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeEntry(data)
	if err != nil || !reflect.DeepEqual(got, e) {
		t.Errorf("%+v, %v", got, err)
	}
	newest := sampleEntry()
	newest.Raw = append(append([]byte{version1, 2}, make([]byte, solana.MaxTransactionSizeV1-2-128)...), slices.Concat(e.Signature[:], make([]byte, 64))...)
	if data, err := newest.Encode(); err != nil || len(data) > maxEntry {
		t.Errorf("the longest entry of version 1 has %d bytes, %v", len(data), err)
	}
	if newest.Raw = slices.Insert(newest.Raw, 50, 0); newest.Validate() == nil {
		t.Error("a longer one of version 1")
	}
	longest := sampleEntry()
	longest.Purpose, longest.Raw = Purpose(strings.Repeat("\x01", MaxPurpose)), append(longest.Raw, make([]byte, MaxTransaction-200)...)
	if data, err := longest.Encode(); err != nil || len(data) > maxEntry {
		t.Errorf("the longest entry has %d bytes, %v", len(data), err)
	}
	for name, spoil := range map[string]func(*Entry){
		"purpose": func(e *Entry) { e.Purpose = "" }, "genesis": func(e *Entry) { e.Genesis = onchain.Hash{} },
		"raw": func(e *Entry) { e.Raw = append(e.Raw, make([]byte, MaxTransaction)...) }, "signature": func(e *Entry) { e.Signature[0]++ },
		"short": func(e *Entry) { e.Raw = e.Raw[:64] },
	} {
		e := sampleEntry()
		spoil(&e)
		if _, err := e.Encode(); err == nil {
			t.Errorf("%s: encoded", name)
		}
	}
	for _, text := range []string{"", "{}", string(data) + "x", `{"unknown":1}`, strings.Repeat(" ", maxEntry+1)} {
		if _, err := DecodeEntry([]byte(text)); err == nil {
			t.Errorf("%.20q was taken", text)
		}
	}
}

// FuzzDecodeEntry: it does not panic, and what it takes it writes again.
func FuzzDecodeEntry(f *testing.F) {
	data, err := sampleEntry().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := DecodeEntry(data)
		if err != nil {
			return
		}
		again, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := DecodeEntry(again); err != nil || !reflect.DeepEqual(got, e) {
			t.Fatal(err)
		}
	})
}

// message is one to sign, with two instructions. It is of version 1 if it says what it may load.
func message(t testing.TB, loaded uint32) (b []byte, wanted []onchain.Instruction) {
	t.Helper()
	p, me := program.New(onchain.Address{7}), keypair(1).Address()
	wanted = []onchain.Instruction{p.CreateTask(me, 3, 1, program.CreateTask{RewardMax: 5}), p.StartTask(me, onchain.Address{8})}
	u, err := Compile(me, onchain.Hash{1}, Budget{Units: 200_000, Priced: true, Price: 1_000_000, Loaded: loaded}, wanted)
	if err != nil {
		t.Fatal(err)
	}
	return u.message, wanted
}

// TestReadMessage: the holder of a key reads what it is asked to sign, as it was made.
func TestReadMessage(t *testing.T) {
	t.Parallel()
	for _, loaded := range []uint32{0, 1 << 20} {
		b, wanted := message(t, loaded)
		asked, err := ReadMessage(b)
		if err != nil || asked.Payer != keypair(1).Address() || asked.Fee != 205_000 || len(asked.Instructions) != 2 {
			t.Fatalf("%+v, %v", asked, err)
		}
		for n, i := range marked(wanted, asked.Payer) {
			if got := asked.Instructions[n]; !reflect.DeepEqual(got, i) {
				t.Errorf("%+v, not %+v", got, i)
			}
		}
		for name, wrong := range map[string][]byte{"nothing": nil, "a byte more": append(slices.Clone(b), 0), "a byte less": b[:len(b)-1], "versioned": append([]byte{0x80}, b...)} {
			if _, err := ReadMessage(wrong); err == nil {
				t.Errorf("%s: read", name)
			}
		}
	}
	// Whoever made a message of version 1 otherwise might hide what it costs.
	for name, c := range map[string]solana.TransactionConfig{
		"an offer that overflows": solana.TransactionConfig{}.WithComputeUnitLimit(1).WithPriorityFee(math.MaxUint64 - 4_000),
		"a heap":                  solana.TransactionConfig{}.WithComputeUnitLimit(1).WithHeapSize(64 << 10),
	} {
		u, err := compile(keypair(1).Address(), onchain.Hash{1}, []onchain.Instruction{onchain.Transfer(keypair(1).Address(), onchain.Address{9}, 1)}, solana.TransactionV1Config(c))
		if err != nil {
			t.Fatal(name, err)
		}
		if asked, err := ReadMessage(u.message); err == nil {
			t.Errorf("%s: read as %+v", name, asked)
		}
	}
}

// FuzzReadMessage: it does not panic, and invents no instructions and no free signatures.
func FuzzReadMessage(f *testing.F) {
	for _, loaded := range []uint32{0, 1 << 20} {
		b, _ := message(f, loaded)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		signers := func() uint64 {
			if newer(b) {
				return uint64(b[1])
			}
			return uint64(b[0])
		}
		if asked, err := ReadMessage(b); err == nil && (len(asked.Instructions) > len(b) || asked.Fee < signers()*LamportsPerSignature) {
			t.Errorf("%+v", asked)
		}
	})
}
