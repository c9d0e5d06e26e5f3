package svm

import (
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/sbpf"
)

// abiC is sol_invoke_signed_c, which pinocchio uses: SolInstruction, SolAccountMeta,
// SolAccountInfo.
type abiC struct{}

// abiRust is sol_invoke_signed_rust: StableInstruction, AccountMeta, AccountInfo.
type abiRust struct{}

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

func (abiC) instruction(x *execution, addr uint64) (invocation, error) {
	var in invocation
	b, err := x.read(addr, 40, 8)
	if err != nil {
		return in, err
	}
	if in.program, err = x.keyAt(word(b)); err != nil {
		return in, err
	}
	metas, count := word(b[8:]), word(b[16:])
	raw, err := x.readArray(metas, count, 16, 8)
	if err != nil {
		return in, err
	}
	data, err := x.bytesAt(word(b[24:]), word(b[32:]))
	if err != nil {
		return in, err
	}
	if err := x.checkInvocation(count, uint64(len(data))); err != nil {
		return in, err
	}
	in.accounts = make([]invokedAccount, count)
	for i := range in.accounts {
		if in.accounts[i], err = metaC(x, raw[16*i:]); err != nil {
			return in, err
		}
	}
	in.data = append([]byte(nil), data...)
	return in, nil
}

func metaC(x *execution, b []byte) (invokedAccount, error) {
	if b[8] > 1 || b[9] > 1 {
		return invokedAccount{}, fail(InvalidArgument)
	}
	key, err := x.keyAt(word(b))
	return invokedAccount{key: key, writable: b[8] == 1, signer: b[9] == 1}, err
}

func (abiRust) instruction(x *execution, addr uint64) (invocation, error) {
	var in invocation
	b, err := x.read(addr, 80, 8)
	if err != nil {
		return in, err
	}
	count := word(b[16:])
	raw, err := x.readArray(word(b), count, accountMetaSize, 1)
	if err != nil {
		return in, err
	}
	data, err := x.bytesAt(word(b[24:]), word(b[40:]))
	if err != nil {
		return in, err
	}
	if err := x.checkInvocation(count, uint64(len(data))); err != nil {
		return in, err
	}
	in.accounts = make([]invokedAccount, count)
	for i := range in.accounts {
		m := raw[accountMetaSize*i:]
		if m[32] > 1 || m[33] > 1 {
			return in, fail(InvalidArgument)
		}
		in.accounts[i] = invokedAccount{solana.PublicKeyFromBytes(m[:32]), m[32] == 1, m[33] == 1}
	}
	in.program = solana.PublicKeyFromBytes(b[48:80])
	in.data = append([]byte(nil), data...)
	return in, nil
}

func (abiC) infoSize() uint64    { return 56 }
func (abiRust) infoSize() uint64 { return 48 }

func (abiC) infoKey(info []byte) uint64    { return word(info) }
func (abiRust) infoKey(info []byte) uint64 { return word(info) }

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

func (abiC) callerAccount(x *execution, addr uint64, info []byte, place accountPlace) (*callerAccount, error) {
	err := x.checkPointers(
		pointerField{"key", word(info), place.key}, pointerField{"owner", word(info[32:]), place.owner},
		pointerField{"lamports", word(info[8:]), place.lamports}, pointerField{"data", word(info[24:]), place.data},
	)
	if err != nil {
		return nil, err
	}
	c := &callerAccount{place: place}
	if c.lamports, err = x.write(place.lamports, 8, 8); err != nil {
		return nil, err
	}
	if c.owner, err = x.write(place.owner, 32, 1); err != nil {
		return nil, err
	}
	return c, c.mapData(x, saturatingAdd(addr, 16))
}

// rcValue is the offset of the value in a Rust Rc<RefCell<T>>, behind two counters and a borrow
// flag.
const rcValue = 24

func (abiRust) callerAccount(x *execution, _ uint64, info []byte, place accountPlace) (*callerAccount, error) {
	err := x.checkPointers(pointerField{"key", word(info), place.key}, pointerField{"owner", word(info[24:]), place.owner})
	if err != nil {
		return nil, err
	}
	c := &callerAccount{place: place}
	cell, err := x.cell(word(info[8:])+rcValue, 8)
	if err != nil {
		return nil, err
	}
	if err := x.checkPointers(pointerField{"lamports", word(cell), place.lamports}); err != nil {
		return nil, err
	}
	if c.lamports, err = x.write(place.lamports, 8, 8); err != nil {
		return nil, err
	}
	if c.owner, err = x.write(place.owner, 32, 1); err != nil {
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
	return c, c.mapData(x, saturatingAdd(dataCell, 8))
}

// cell reads a value that must not lie in the input, because a callee could write to it there.
func (x *execution) cell(addr, n uint64) ([]byte, error) {
	b, err := x.read(addr, n, 8)
	if err == nil && addr >= sbpf.InputStart {
		return nil, errInvalidPointer
	}
	return b, err
}
