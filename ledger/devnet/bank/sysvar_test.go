package bank_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/sbpf"
)

// TestSysvarAccounts compares the accounts with the chain that they describe.
func TestSysvarAccounts(t *testing.T) {
	c := open(t, nil)
	total := c.capitalization()
	c.Read(bank.Finalized, func(v *bank.View) {
		if n := len(v.Environment().SlotHashes); v.Slot() != 0 || n != 0 {
			t.Errorf("slot %d sees %d slots before it", v.Slot(), n)
		}
	})
	for range 520 {
		c.seal()
	}
	if c.capitalization() != total {
		t.Error("sysvars changed the capitalization")
	}
	blocks := c.Blocks(0, 1000)
	c.Read(bank.Processed, func(v *bank.View) {
		data := func(key solana.PublicKey) []byte {
			a, ok := v.Account(key)
			rent := v.Environment().Rent
			if !ok || a.RentEpoch != ^uint64(0) || a.Lamports < rent.MinimumBalance(len(a.Data)) {
				t.Errorf("%s: %v, %d lamports", key, ok, a.Lamports)
			}
			return a.Data
		}
		clock := data(solana.SysVarClockPubkey)
		if binary.LittleEndian.Uint64(clock) != v.Slot() || int64(binary.LittleEndian.Uint64(clock[32:])) != v.Time() {
			t.Errorf("clock %x", clock)
		}
		hashes := data(solana.SysVarSlotHashesPubkey)
		if len(hashes) != 8+512*40 || binary.LittleEndian.Uint64(hashes) != 512 {
			t.Fatalf("slot hashes: %d bytes, %d entries", len(hashes), binary.LittleEndian.Uint64(hashes))
		}
		recent := data(solana.SysVarRecentBlockHashesPubkey)
		if len(recent) != 6008 || binary.LittleEndian.Uint64(recent) != 150 {
			t.Fatalf("recent blockhashes: %d bytes, %d entries", len(recent), binary.LittleEndian.Uint64(recent))
		}
		for i := range 512 {
			block, at := blocks[len(blocks)-1-i], 8+40*i
			if binary.LittleEndian.Uint64(hashes[at:]) != block.Slot || !bytes.Equal(hashes[at+8:at+40], block.Hash[:]) {
				t.Fatalf("slot hash %d is not block %d", i, block.Slot)
			}
			if i < 150 && !bytes.Equal(recent[at:at+32], block.Blockhash[:]) {
				t.Fatalf("recent blockhash %d is not block %d's", i, block.Slot)
			}
		}
		schedule := data(solana.SysVarEpochSchedulePubkey)
		if binary.LittleEndian.Uint64(schedule) != 432_000 || schedule[16] != 0 {
			t.Errorf("epoch schedule %x", schedule)
		}
		if rent := data(solana.SysVarRentPubkey); binary.LittleEndian.Uint64(rent) != 6960 {
			t.Errorf("rent %x", rent)
		}
	})
}

// TestGenesisProgram deploys a program at genesis and runs it.
func TestGenesisProgram(t *testing.T) {
	authority := address("authority")
	program := bank.Program{ID: address("program"), ELF: asm.MustELF(returnNumber, sbpf.V3), Authority: &authority}
	g := testGenesis()
	g.Programs = []bank.Program{program}
	b, err := bank.Open(bank.DefaultConfig(), g, start(), nil, quiet())
	if err != nil {
		t.Fatal(err)
	}
	c := &chain{b, t, start()}
	defer closeBank(t, b)
	got := c.must(signed(t, c.blockhash(), "payer", solana.NewInstruction(program.ID, nil, nil)))
	want := failure.TransactionError{
		Code: failure.ErrInstructionError, Instruction: failure.InstructionError{Code: failure.Custom, Number: 7},
	}
	if got.Err == nil || *got.Err != want || got.Units != 2 {
		t.Errorf("result %v, %d units, logs %q", got.Err, got.Units, got.Logs)
	}
	c.Read(bank.Finalized, func(v *bank.View) {
		a, _ := v.Account(program.ID)
		if !a.Executable || a.Owner != solana.BPFLoaderUpgradeableProgramID {
			t.Errorf("program account %+v", a)
		}
	})
}

// returnNumber fails with the program's own error 7.
const returnNumber = `
	mov64 r0, 7
	exit
`

// TestProgramReadsSlotHashes runs a program that gets SlotHashes by system call, as the draw of the
// oju program does, and returns the count and the newest entry.
func TestProgramReadsSlotHashes(t *testing.T) {
	g := testGenesis()
	id := solana.SysVarSlotHashesPubkey
	source := fmt.Sprintf(".bytes id %x\n", id[:]) + `
		lddw r1, &id
		mov64 r2, r10
		add64 r2, -48
		mov64 r3, 0
		mov64 r4, 48
		call sol_get_sysvar
		jne r0, 0, end
		mov64 r1, r10
		add64 r1, -48
		mov64 r2, 48
		call sol_set_return_data
	end:
		exit
	`
	g.Programs = []bank.Program{{ID: address("reader"), ELF: asm.MustELF(source, sbpf.V3)}}
	b, err := bank.Open(bank.DefaultConfig(), g, start(), nil, quiet())
	if err != nil {
		t.Fatal(err)
	}
	c := &chain{b, t, start()}
	defer closeBank(t, b)
	for range 5 {
		c.seal()
	}
	got := c.must(signed(t, c.blockhash(), "payer", solana.NewInstruction(address("reader"), nil, nil)))
	if got.Err != nil || got.ReturnData == nil {
		t.Fatalf("result %v, logs %q", got.Err, got.Logs)
	}
	blocks := c.Blocks(0, 100)
	last := blocks[len(blocks)-1]
	want := binary.LittleEndian.AppendUint64(nil, uint64(len(blocks)))
	want = append(binary.LittleEndian.AppendUint64(want, last.Slot), last.Hash[:]...)
	if !bytes.Equal(got.ReturnData.Data, want) {
		t.Errorf("the program read %x, want %x", got.ReturnData.Data, want)
	}
}
