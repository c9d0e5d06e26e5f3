package svm

import (
	"encoding/binary"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/sbpf"
)

// accountPlace is the place of an account of the running instruction in its program's memory.
type accountPlace struct {
	originalLen                int
	key, owner, lamports, data uint64 // addresses
}

// programInput is the serialised instruction at sbpf.InputStart.
type programInput struct {
	buffer   []byte
	accounts []accountPlace
	dataAddr uint64 // of the instruction data, passed in r2 (SIMD-0321)
}

const (
	notDuplicate  = 0xff
	accountHeader = 8 + 32 + 32 + 8 + 8 // flags, key, owner, lamports, data length
	inputAlign    = 8
)

// padding returns the number of bytes that align the end of an account's data.
func padding(n int) int { return (inputAlign - n%inputAlign) % inputAlign }

// serialize writes an instruction as programs expect it (aligned ABI v1) into the buffer, or into a
// larger one. Agave: serialization.rs.
func (x *execution) serialize(f *frame, buffer []byte) (*programInput, error) {
	if len(f.accounts) > maxAccountsPerIx {
		return nil, failure.Of(failure.MaxAccountsExceeded)
	}
	in := &programInput{buffer: slices.Grow(buffer[:0], x.inputSize(f)), accounts: make([]accountPlace, 0, len(f.accounts))}
	in.word(uint64(len(f.accounts)))
	for i, meta := range f.accounts {
		if first := f.duplicateOf(i); first >= 0 {
			in.buffer = append(in.buffer, byte(first), 0, 0, 0, 0, 0, 0, 0)
			in.accounts = append(in.accounts, in.accounts[first])
			continue
		}
		in.account(meta, &x.accounts[meta.index])
	}
	in.word(uint64(len(f.data)))
	in.dataAddr = in.addr()
	in.buffer = append(in.buffer, f.data...)
	key := x.programKey(f)
	in.buffer = append(in.buffer, key[:]...)
	return in, nil
}

func (x *execution) inputSize(f *frame) int {
	size := 8 + 8 + len(f.data) + 32
	for i, meta := range f.accounts {
		size += 8
		if f.duplicateOf(i) < 0 {
			n := len(x.accounts[meta.index].state.Data)
			size += accountHeader + n + maxDataIncrease + padding(n)
		}
	}
	return size
}

func (in *programInput) addr() uint64 { return sbpf.InputStart + uint64(len(in.buffer)) }

func (in *programInput) word(v uint64) { in.buffer = binary.LittleEndian.AppendUint64(in.buffer, v) }

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func (in *programInput) account(meta ixAccount, a *txAccount) {
	n := len(a.state.Data)
	in.buffer = append(in.buffer, notDuplicate, flag(meta.signer), flag(meta.writable), flag(a.state.Executable), 0, 0, 0, 0)
	place := accountPlace{originalLen: n, key: in.addr()}
	in.buffer = append(in.buffer, a.key[:]...)
	place.owner = in.addr()
	in.buffer = append(in.buffer, a.state.Owner[:]...)
	place.lamports = in.addr()
	in.word(a.state.Lamports)
	in.word(uint64(n))
	place.data = in.addr()
	in.buffer = append(in.buffer, a.state.Data...)
	in.buffer = append(in.buffer, make([]byte, maxDataIncrease+padding(n))...)
	in.word(accounts.RentExempt)
	in.accounts = append(in.accounts, place)
}

// deserialize copies the program's changes to its accounts into the transaction. It fails if a
// change is not allowed.
func (x *execution) deserialize(f *frame, in *programInput) error {
	for i := range f.accounts {
		if f.duplicateOf(i) >= 0 {
			continue
		}
		b, err := x.borrow(i)
		if err != nil {
			return err
		}
		if err := b.takeOver(in.buffer, in.accounts[i]); err != nil {
			return err
		}
	}
	return nil
}

func (b borrowed) takeOver(buffer []byte, place accountPlace) error {
	at := func(addr uint64) []byte { return buffer[addr-sbpf.InputStart:] }
	if lamports := binary.LittleEndian.Uint64(at(place.lamports)); lamports != b.account.state.Lamports {
		if err := b.setLamports(lamports); err != nil {
			return err
		}
	}
	n := binary.LittleEndian.Uint64(at(place.data - 8))
	if saturatingSub(n, uint64(place.originalLen)) > maxDataIncrease || n > accounts.MaxData {
		return failure.Of(failure.InvalidRealloc)
	}
	if err := b.syncData(at(place.data)[:n]); err != nil {
		return err
	}
	// The owner comes last, so that a program may change balance and data before it gives the
	// account away.
	if owner := solana.PublicKeyFromBytes(at(place.owner)[:32]); owner != b.account.state.Owner {
		return b.setOwner(owner)
	}
	return nil
}
