package bank

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
)

func sample() *Transaction {
	return &Transaction{
		Sequence: 5, Slot: 6, Index: 7, Time: -8, Wire: bytes.Repeat([]byte{1}, 100), Fee: 5000, Units: 9, LoadedBytes: 10,
		Ran: true, Logs: []string{"one", "", "three"},
		Err: &failure.TransactionError{
			Code: failure.ErrInstructionError, Index: 2,
			Instruction: failure.InstructionError{Code: failure.Custom, Number: 6001},
		},
		Inner: []svm.InnerInstructions{{Index: 1, Instructions: []svm.InnerInstruction{
			{Program: 255, Accounts: []int{0, 255}, Data: []byte{1}, StackHeight: 2},
		}}},
		ReturnData: &svm.ReturnData{Program: solana.PublicKey{3}, Data: []byte{4}},
		Pre:        []uint64{1, 2}, Post: []uint64{3, 4}, Writable: []bool{true, false},
	}
}

func TestRecordsRoundTrip(t *testing.T) {
	plain := &Transaction{Wire: make([]byte, 65)}
	for _, want := range []*Transaction{sample(), plain} {
		got, err := decodeTransaction(want.encode())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("transaction %+v %v, want %+v", got, err, want)
		}
	}
	block := &Block{1, 2, 3, -4, solana.Hash{5}, solana.Hash{6}, 7, 8, 9, 10, 11}
	if got, err := decodeBlock(block.encode()); err != nil || *got != *block {
		t.Errorf("block %+v %v", got, err)
	}
	h := head{1, 2, 3, -4, -5, 6, 7, 8, 9, 10}
	if got, err := decodeHead(h.encode()); err != nil || got != h {
		t.Errorf("head %+v %v", got, err)
	}
	a := accounts.Account{Lamports: 1, Data: []byte{2}, Owner: solana.PublicKey{3}, Executable: true, RentEpoch: accounts.RentExempt}
	if got, err := decodeAccount(encodeAccount(a)); err != nil || !reflect.DeepEqual(got, a) {
		t.Errorf("account %+v %v", got, err)
	}
	g := genesis{seed: []byte{1, 2}, created: -3, faucet: 4, hash: solana.Hash{5}}
	if got, err := decodeGenesis(g.encode()); err != nil || !reflect.DeepEqual(got, g) {
		t.Errorf("genesis %+v %v", got, err)
	}
	if _, err := decodeGenesis([]byte{99}); err == nil {
		t.Error("a genesis of another format was read")
	}
}

// FuzzDecode reads damaged records. The result is an error, or a record that encodes to the same
// bytes.
func FuzzDecode(f *testing.F) {
	f.Add(uint8(0), sample().encode())
	f.Add(uint8(1), (&Block{Slot: 1}).encode())
	f.Add(uint8(2), head{slot: 1}.encode())
	f.Add(uint8(3), encodeAccount(accounts.Account{Lamports: 1, Data: []byte("data")}))
	f.Add(uint8(4), genesis{seed: []byte{1}}.encode())
	f.Fuzz(func(t *testing.T, kind uint8, raw []byte) {
		var again []byte
		var err error
		switch kind % 5 {
		case 0:
			var got *Transaction
			if got, err = decodeTransaction(raw); err == nil {
				again = got.encode()
			}
		case 1:
			var got *Block
			if got, err = decodeBlock(raw); err == nil {
				again = got.encode()
			}
		case 2:
			var got head
			if got, err = decodeHead(raw); err == nil {
				again = got.encode()
			}
		case 3:
			var got accounts.Account
			if got, err = decodeAccount(raw); err == nil {
				again = encodeAccount(got)
			}
		case 4:
			var got genesis
			if got, err = decodeGenesis(raw); err == nil {
				again = got.encode()
			}
		}
		if err == nil && !bytes.Equal(again, raw) {
			t.Fatalf("%x decodes and encodes to %x", raw, again)
		}
	})
}
