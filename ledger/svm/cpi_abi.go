package svm

import (
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/sbpf"
)

// abi is how one language lays out the structures of its invocation call, in bytes and offsets.
type abi struct {
	size, metas, count, data, dataLen uint64 // of the instruction
	metaSize, metaAlign, infoSize     uint64
	program                           func(x *execution, instruction []byte) (solana.PublicKey, error)
	meta                              func(x *execution, meta []byte) (invokedAccount, error)
	account                           func(x *execution, addr uint64, info []byte, place accountPlace) (*callerAccount, error)
}

// abiC is sol_invoke_signed_c, which pinocchio uses: SolInstruction, SolAccountMeta,
// SolAccountInfo.
func abiC() abi {
	return abi{
		size: 40, metas: 8, count: 16, data: 24, dataLen: 32, metaSize: 16, metaAlign: 8, infoSize: 56,
		program: func(x *execution, b []byte) (solana.PublicKey, error) { return x.keyAt(word(b)) },
		meta: func(x *execution, b []byte) (a invokedAccount, err error) {
			if a.writable, a.signer, err = rights(b[8], b[9]); err == nil {
				a.key, err = x.keyAt(word(b))
			}
			return a, err
		},
		account: accountC,
	}
}

// abiRust is sol_invoke_signed_rust: StableInstruction, AccountMeta, AccountInfo.
func abiRust() abi {
	return abi{
		size: 80, metas: 0, count: 16, data: 24, dataLen: 40, metaSize: accountMetaSize, metaAlign: 1, infoSize: 48,
		program: func(_ *execution, b []byte) (solana.PublicKey, error) {
			return solana.PublicKeyFromBytes(b[48:80]), nil
		},
		meta: func(_ *execution, b []byte) (a invokedAccount, err error) {
			a.key = solana.PublicKeyFromBytes(b[:32])
			a.signer, a.writable, err = rights(b[32], b[33])
			return a, err
		},
		account: accountRust,
	}
}

// rights reads two booleans of an account.
func rights(a, b byte) (bool, bool, error) {
	if a > 1 || b > 1 {
		return false, false, failure.Of(failure.InvalidArgument)
	}
	return a == 1, b == 1, nil
}

// checkInvocation bounds an invocation and charges for reading it.
func (x *execution) checkInvocation(accounts, dataLen uint64) error {
	if accounts > maxAccountsPerIx {
		return syscallError(fmt.Sprintf("Invoked an instruction with too many accounts (%d > %d)", accounts, maxAccountsPerIx))
	}
	if dataLen > maxInstructionData {
		return syscallError(fmt.Sprintf("Invoked an instruction with data that is too large (%d > %d)", dataLen, maxInstructionData))
	}
	return x.consume(dataLen/bytesPerUnit + accounts*accountMetaSize/bytesPerUnit)
}

// instruction reads the instruction of an invocation.
func (x *execution) instruction(lang abi, addr uint64) (invocation, error) {
	var in invocation
	b, err := x.read(addr, lang.size, 8)
	if err != nil {
		return in, err
	}
	if in.program, err = lang.program(x, b); err != nil {
		return in, err
	}
	count := word(b[lang.count:])
	raw, err := x.readArray(word(b[lang.metas:]), count, lang.metaSize, lang.metaAlign)
	if err != nil {
		return in, err
	}
	data, err := x.bytesAt(word(b[lang.data:]), word(b[lang.dataLen:]))
	if err != nil {
		return in, err
	}
	if err := x.checkInvocation(count, uint64(len(data))); err != nil {
		return in, err
	}
	in.accounts = make([]invokedAccount, count)
	for i := range in.accounts {
		if in.accounts[i], err = lang.meta(x, raw[lang.metaSize*uint64(i):]); err != nil {
			return in, err
		}
	}
	in.data = append([]byte(nil), data...)
	return in, nil
}

// pointerField is an address in an account info. It must be the one from the runtime.
type pointerField struct {
	name      string
	got, want uint64
}

func (x *execution) checkPointers(fields ...pointerField) error {
	for _, f := range fields {
		if f.got != f.want {
			x.log.addf("Invalid account info pointer `%s': %#x != %#x", f.name, f.got, f.want)
			return errInvalidPointer
		}
	}
	return nil
}

// mapAccount finds the account at a place. The caller keeps the length of its data at lengthAddr.
func (x *execution) mapAccount(place accountPlace, lengthAddr uint64) (c *callerAccount, err error) {
	c = &callerAccount{place: place}
	if c.lamports, err = x.write(place.lamports, 8, 8); err != nil {
		return nil, err
	}
	if c.owner, err = x.write(place.owner, 32, 1); err != nil {
		return nil, err
	}
	return c, c.mapData(x, lengthAddr)
}

func accountC(x *execution, addr uint64, info []byte, place accountPlace) (*callerAccount, error) {
	err := x.checkPointers(
		pointerField{"key", word(info), place.key}, pointerField{"owner", word(info[32:]), place.owner},
		pointerField{"lamports", word(info[8:]), place.lamports}, pointerField{"data", word(info[24:]), place.data},
	)
	if err != nil {
		return nil, err
	}
	return x.mapAccount(place, saturatingAdd(addr, 16))
}

// rcValue is the offset of the value in a Rust Rc<RefCell<T>>, behind two counters and a borrow
// flag.
const rcValue = 24

func accountRust(x *execution, _ uint64, info []byte, place accountPlace) (*callerAccount, error) {
	err := x.checkPointers(pointerField{"key", word(info), place.key}, pointerField{"owner", word(info[24:]), place.owner})
	if err != nil {
		return nil, err
	}
	cell, err := x.cell(word(info[8:])+rcValue, 8)
	if err != nil {
		return nil, err
	}
	if err := x.checkPointers(pointerField{"lamports", word(cell), place.lamports}); err != nil {
		return nil, err
	}
	dataCell := word(info[16:]) + rcValue
	if dataCell >= sbpf.InputStart {
		return nil, errInvalidPointer
	}
	if cell, err = x.read(dataCell, 16, 8); err != nil {
		return nil, err
	}
	if err := x.checkPointers(pointerField{"data", word(cell), place.data}); err != nil {
		return nil, err
	}
	return x.mapAccount(place, saturatingAdd(dataCell, 8))
}

// cell reads a value that must not lie in the input, because a callee could write to it there.
func (g *guestMemory) cell(addr, n uint64) ([]byte, error) {
	b, err := g.read(addr, n, 8)
	if err == nil && addr >= sbpf.InputStart {
		return nil, errInvalidPointer
	}
	return b, err
}
