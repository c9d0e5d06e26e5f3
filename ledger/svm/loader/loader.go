// Package loader is Solana's upgradeable loader (loader-v3): buffers, deployment, upgrades, and the
// authorities over them, with the checks, logs and errors of Agave 4.2.
//
// The runtime must give Run a Frame that enforces the rights of programs over accounts. Run changes
// accounts only through it. ExtendProgram is refused: a program gets its room when it is deployed.
package loader

import (
	"encoding/binary"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/bincode"
	"ojud/ledger/svm/failure"
)

// The bytes before the program in a buffer and in program data, and the size of a program account.
const (
	bufferHead  = 37
	dataHead    = 45
	programSize = 36
)

// Frame is the running instruction, with its accounts by their position. A position must be below
// Count.
type Frame interface {
	Count() int
	Key(i int) solana.PublicKey
	// Account returns the account, whose data must not be changed.
	Account(i int) accounts.Account
	Signer(i int) bool
	Writable(i int) bool
	SetLamports(i int, lamports uint64) error
	SetLength(i, length int) error
	// Data returns the data to be written.
	Data(i int) ([]byte, error)
	SetExecutable(i int) error
	// Invoke calls the System program with accounts of this instruction, all writable. The first
	// two sign: they signed this instruction, or are the address own, for which the loader signs.
	Invoke(data []byte, own solana.PublicKey, positions ...int) error
	// Check verifies a program that is about to be deployed.
	Check(elf []byte) error
	Environment() *accounts.Environment
	Log(text string)
}

// run is a running instruction.
type run struct {
	Frame
	in bincode.Loader
}

// Run runs an instruction of the loader.
func Run(f Frame, data []byte) error {
	in, err := bincode.DecodeLoader(data)
	if err != nil {
		return err
	}
	r := run{f, in}
	switch in.Kind {
	case bincode.InitializeBuffer:
		return r.initialize()
	case bincode.Write:
		return r.write()
	case bincode.Deploy:
		return r.deploy()
	case bincode.Upgrade:
		return r.upgrade()
	case bincode.SetAuthority:
		return r.setAuthority(false)
	case bincode.SetAuthorityChecked:
		return r.setAuthority(true)
	case bincode.Close:
		return r.close()
	}
	return r.refuse(failure.InvalidInstructionData, "ExtendProgram is not supported")
}

func (r run) refuse(code failure.InstructionCode, format string, args ...any) error {
	r.Log(fmt.Sprintf(format, args...))
	return failure.Of(code)
}

func (r run) require(n int) error {
	if r.Count() < n {
		return failure.Of(failure.MissingAccount)
	}
	return nil
}

// sysvar checks that the sysvar is the i-th account.
func (r run) sysvar(i int, key solana.PublicKey) error {
	if err := r.require(i + 1); err != nil {
		return err
	}
	if r.Key(i) != key {
		return failure.Of(failure.InvalidArgument)
	}
	return nil
}

func (r run) state(i int) (bincode.LoaderState, error) {
	return bincode.DecodeLoaderState(r.Account(i).Data)
}

// store writes a state before the rest of the data.
func (r run) store(i int, s bincode.LoaderState) error {
	raw := binary.LittleEndian.AppendUint32(nil, s.Kind)
	switch s.Kind {
	case bincode.Program:
		raw = append(raw, s.Data[:]...)
	case bincode.ProgramData, bincode.Buffer:
		if s.Kind == bincode.ProgramData {
			raw = binary.LittleEndian.AppendUint64(raw, s.Slot)
		}
		if s.Upgrade {
			raw = append(append(raw, 1), s.Authority[:]...)
		} else {
			raw = append(raw, 0)
		}
	}
	data, err := r.Data(i)
	if err != nil {
		return err
	}
	if len(raw) > len(data) {
		return failure.Of(failure.AccountDataTooSmall)
	}
	copy(data, raw)
	return nil
}

func (r run) initialize() error {
	if err := r.require(2); err != nil {
		return err
	}
	s, err := r.state(0)
	if err != nil {
		return err
	}
	if s.Kind != bincode.Uninitialized {
		return r.refuse(failure.AccountAlreadyInitialized, "Buffer account already initialized")
	}
	return r.store(0, bincode.LoaderState{Kind: bincode.Buffer, Upgrade: true, Authority: r.Key(1)})
}

func (r run) write() error {
	if err := r.require(2); err != nil {
		return err
	}
	s, err := r.state(0)
	switch {
	case err != nil:
		return err
	case s.Kind != bincode.Buffer:
		return r.refuse(failure.InvalidAccountData, "Invalid Buffer account")
	}
	if err := r.authorize(s, 1, words{"Buffer is immutable", "Incorrect buffer authority provided", "Buffer authority did not sign"}); err != nil {
		return err
	}
	data, err := r.Data(0)
	if err != nil {
		return err
	}
	at := bufferHead + uint64(r.in.Offset)
	if end := at + uint64(len(r.in.Bytes)); uint64(len(data)) < end {
		return r.refuse(failure.AccountDataTooSmall, "Write overflow: %d < %d", len(data), end)
	}
	copy(data[at:], r.in.Bytes)
	return nil
}

// words are what the log says if an authority is refused.
type words struct{ immutable, incorrect, unsigned string }

// authorize checks that the i-th account is the authority of a state, and signs.
func (r run) authorize(s bincode.LoaderState, i int, w words) error {
	switch {
	case !s.Upgrade:
		return r.refuse(failure.Immutable, "%s", w.immutable)
	case s.Authority != r.Key(i):
		return r.refuse(failure.IncorrectAuthority, "%s", w.incorrect)
	case !r.Signer(i):
		return r.refuse(failure.MissingRequiredSignature, "%s", w.unsigned)
	}
	return nil
}

// buffer checks the buffer of a deployment or upgrade. It returns the length of its program.
func (r run) buffer(i, authority int) (int, error) {
	if r.Account(i).Owner != accounts.LoaderV3ID {
		return 0, r.refuse(failure.IncorrectProgramId, "Buffer account not owned by loader")
	}
	s, err := r.state(i)
	switch {
	case err != nil:
		return 0, err
	case s.Kind != bincode.Buffer:
		return 0, r.refuse(failure.InvalidArgument, "Invalid Buffer account")
	case !s.Upgrade || s.Authority != r.Key(authority):
		return 0, r.refuse(failure.IncorrectAuthority, "Buffer and upgrade authority don't match")
	case !r.Signer(authority):
		return 0, r.refuse(failure.MissingRequiredSignature, "Upgrade authority did not sign")
	}
	n := len(r.Account(i).Data) - bufferHead
	if n <= 0 {
		return 0, r.refuse(failure.InvalidAccountData, "Buffer account too small")
	}
	return n, nil
}

// program copies the program out of a buffer after it has verified it.
func (r run) program(i int) ([]byte, error) {
	elf := r.Account(i).Data[bufferHead:]
	if err := r.Check(elf); err != nil {
		return nil, r.refuse(failure.InvalidAccountData, "%s", err)
	}
	return append([]byte(nil), elf...), nil
}

// install writes a program into its account, and zeros after it.
func (r run) install(i int, elf []byte, s bincode.LoaderState) error {
	if err := r.store(i, s); err != nil {
		return err
	}
	data, err := r.Data(i)
	if err != nil {
		return err
	}
	if len(data) < dataHead+len(elf) {
		return failure.Of(failure.AccountDataTooSmall)
	}
	clear(data[dataHead+copy(data[dataHead:], elf):])
	return nil
}
