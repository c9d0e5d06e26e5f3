package loader

import (
	"encoding/binary"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/bincode"
	"ojud/ledger/svm/failure"
)

// clockID is the address of the clock.
var clockID = solana.SysVarClockPubkey

// deploy makes a program of a buffer. The accounts are the payer, program data, the program, the
// buffer, rent, clock, the System program, and the authority.
func (r run) deploy() error {
	const payer, data, program, buffer, authority = 0, 1, 2, 3, 7
	if err := r.require(4); err != nil {
		return err
	}
	if err := r.sysvars(authority); err != nil {
		return err
	}
	rent := r.Environment().Rent
	if err := r.fresh(program, rent); err != nil {
		return err
	}
	n, err := r.buffer(buffer, authority)
	if err != nil {
		return err
	}
	if r.in.MaxLength < uint64(n) {
		return r.refuse(failure.AccountDataTooSmall, "Max data length is too small to hold Buffer data")
	}
	if r.in.MaxLength > accounts.MaxData-dataHead {
		return r.refuse(failure.InvalidArgument, "Max data length is too large")
	}
	size := dataHead + int(r.in.MaxLength)
	key := r.Key(program)
	derived, _, err := solana.FindProgramAddress([][]byte{key[:]}, accounts.LoaderV3ID)
	if err != nil || derived != r.Key(data) {
		return r.refuse(failure.InvalidArgument, "ProgramData address is not derived")
	}
	// The payer gets the lamports of the buffer before it pays.
	if err := r.SetLamports(payer, r.Account(payer).Lamports+r.Account(buffer).Lamports); err != nil {
		return err
	}
	if err := r.SetLamports(buffer, 0); err != nil {
		return err
	}
	create := binary.LittleEndian.AppendUint32(nil, bincode.Create)
	create = binary.LittleEndian.AppendUint64(create, max(1, rent.MinimumBalance(size)))
	create = binary.LittleEndian.AppendUint64(create, uint64(size))
	if err := r.Invoke(append(create, accounts.LoaderV3ID[:]...), derived, payer, data, buffer); err != nil {
		return err
	}
	elf, err := r.program(buffer)
	if err != nil {
		return err
	}
	s := bincode.LoaderState{Kind: bincode.ProgramData, Slot: r.Environment().Clock.Slot, Upgrade: true, Authority: r.Key(authority)}
	if err := r.install(data, elf, s); err != nil {
		return err
	}
	if err := r.SetLength(buffer, bufferHead); err != nil {
		return err
	}
	if err := r.store(program, bincode.LoaderState{Kind: bincode.Program, Data: derived}); err != nil {
		return err
	}
	if err := r.SetExecutable(program); err != nil {
		return err
	}
	r.Log("Deployed program " + key.String())
	return nil
}

// sysvars checks rent and clock, and that there is an authority.
func (r run) sysvars(authority int) error {
	if err := r.sysvar(4, accounts.RentID); err != nil {
		return err
	}
	if err := r.sysvar(5, clockID); err != nil {
		return err
	}
	return r.require(authority + 1)
}

// fresh checks an account that becomes a program.
func (r run) fresh(i int, rent accounts.Rent) error {
	s, err := r.state(i)
	a := r.Account(i)
	switch {
	case err != nil:
		return err
	case s.Kind != bincode.Uninitialized:
		return r.refuse(failure.AccountAlreadyInitialized, "Program account already initialized")
	case len(a.Data) < programSize:
		return r.refuse(failure.AccountDataTooSmall, "Program account too small")
	case a.Lamports < rent.MinimumBalance(len(a.Data)):
		return r.refuse(failure.ExecutableAccountNotRentExempt, "Program account not rent-exempt")
	}
	return nil
}

// upgrade replaces a program by that of a buffer. The accounts are program data, the program, the
// buffer, the account that gets what is left, rent, clock, and the authority.
func (r run) upgrade() error {
	const data, program, buffer, spill, authority = 0, 1, 2, 3, 6
	if err := r.require(3); err != nil {
		return err
	}
	if err := r.sysvars(authority); err != nil {
		return err
	}
	if err := r.pair(program, data); err != nil {
		return err
	}
	n, err := r.buffer(buffer, authority)
	if err != nil {
		return err
	}
	needed := max(1, r.Environment().Rent.MinimumBalance(len(r.Account(data).Data)))
	has, extra := r.Account(data).Lamports, r.Account(buffer).Lamports
	switch {
	case len(r.Account(data).Data) < dataHead+n:
		return r.refuse(failure.AccountDataTooSmall, "ProgramData account not large enough")
	case has+extra < needed:
		return r.refuse(failure.InsufficientFunds, "Buffer account balance too low to fund upgrade")
	}
	s, err := r.state(data)
	now := r.Environment().Clock.Slot
	switch {
	case err != nil:
		return err
	case s.Kind != bincode.ProgramData:
		return r.refuse(failure.InvalidAccountData, "Invalid ProgramData account")
	case s.Slot == now:
		return r.refuse(failure.InvalidArgument, "Program was deployed in this block already")
	}
	if err := r.authorize(s, authority, words{"Program not upgradeable", "Incorrect upgrade authority provided", "Upgrade authority did not sign"}); err != nil {
		return err
	}
	elf, err := r.program(buffer)
	if err != nil {
		return err
	}
	s.Slot = now
	if err := r.install(data, elf, s); err != nil {
		return err
	}
	if err := r.move(spill, has+extra-needed, buffer); err != nil {
		return err
	}
	if err := r.SetLamports(data, needed); err != nil {
		return err
	}
	if err := r.SetLength(buffer, bufferHead); err != nil {
		return err
	}
	r.Log("Upgraded program " + r.Key(program).String())
	return nil
}

// move adds lamports to an account and empties another one.
func (r run) move(to int, lamports uint64, emptied int) error {
	if err := r.SetLamports(to, r.Account(to).Lamports+lamports); err != nil {
		return err
	}
	return r.SetLamports(emptied, 0)
}

// pair checks that a program may be changed and has this program data.
func (r run) pair(program, data int) error {
	if !r.Writable(program) {
		return r.refuse(failure.InvalidArgument, "Program account not writeable")
	}
	if r.Account(program).Owner != accounts.LoaderV3ID {
		return r.refuse(failure.IncorrectProgramId, "Program account not owned by loader")
	}
	s, err := r.state(program)
	switch {
	case err != nil:
		return err
	case s.Kind != bincode.Program:
		return r.refuse(failure.InvalidAccountData, "Invalid Program account")
	case s.Data != r.Key(data):
		return r.refuse(failure.InvalidArgument, "Program and ProgramData account mismatch")
	}
	return nil
}

// setAuthority replaces or removes an authority. The accounts are the buffer or program data, the
// authority, and the new one, which has to sign if it is checked.
func (r run) setAuthority(checked bool) error {
	need := 2
	if checked {
		need = 3
	}
	if err := r.require(need); err != nil {
		return err
	}
	s, err := r.state(0)
	if err != nil {
		return err
	}
	next := r.Count() > 2
	switch s.Kind {
	case bincode.Buffer:
		if !next {
			return r.refuse(failure.IncorrectAuthority, "Buffer authority is not optional")
		}
		err = r.authorize(s, 1, words{"Buffer is immutable", "Incorrect buffer authority provided", "Buffer authority did not sign"})
	case bincode.ProgramData:
		err = r.authorize(s, 1, words{"Program not upgradeable", "Incorrect upgrade authority provided", "Upgrade authority did not sign"})
	default:
		return r.refuse(failure.InvalidArgument, "Account does not support authorities")
	}
	if err != nil {
		return err
	}
	if checked && !r.Signer(2) {
		return r.refuse(failure.MissingRequiredSignature, "New authority did not sign")
	}
	told := "None"
	s.Upgrade, s.Authority = next, solana.PublicKey{}
	if next {
		s.Authority = r.Key(2)
		told = "Some(" + s.Authority.String() + ")"
	}
	if checked {
		told = s.Authority.String()
	}
	if err := r.store(0, s); err != nil {
		return err
	}
	r.Log("New authority " + told)
	return nil
}

// close gives the lamports of a buffer or a program back. The accounts are the one that is closed,
// the recipient, the authority, and the program.
func (r run) close() error {
	const closed, recipient, authority, program = 0, 1, 2, 3
	if err := r.require(2); err != nil {
		return err
	}
	if r.Key(closed) == r.Key(recipient) {
		return r.refuse(failure.InvalidArgument, "Recipient is the same as the account being closed")
	}
	s, err := r.state(closed)
	if err != nil {
		return err
	}
	what := ""
	switch s.Kind {
	case bincode.Uninitialized:
		if err := r.empty(closed, recipient); err != nil {
			return err
		}
		r.Log("Closed Uninitialized " + r.Key(closed).String())
		return nil
	case bincode.Buffer:
		if err := r.require(authority + 1); err != nil {
			return err
		}
		what = "Closed Buffer " + r.Key(closed).String()
	case bincode.ProgramData:
		if err := r.require(program + 1); err != nil {
			return err
		}
		if err := r.closable(s, program, closed); err != nil {
			return err
		}
		what = "Closed Program " + r.Key(program).String()
	default:
		return r.refuse(failure.InvalidArgument, "Account does not support closing")
	}
	if err := r.authorize(s, authority, words{"Account is immutable", "Incorrect authority provided", "Authority did not sign"}); err != nil {
		return err
	}
	if err := r.empty(closed, recipient); err != nil {
		return err
	}
	if err := r.store(closed, bincode.LoaderState{}); err != nil {
		return err
	}
	r.Log(what)
	return nil
}

func (r run) empty(closed, recipient int) error {
	if err := r.SetLength(closed, 4); err != nil { // the size of an account without a state
		return err
	}
	return r.move(recipient, r.Account(closed).Lamports, closed)
}

// closable checks the program whose code is closed.
func (r run) closable(s bincode.LoaderState, program, data int) error {
	a := r.Account(program)
	switch {
	case !r.Writable(program):
		return r.refuse(failure.InvalidArgument, "Program account is not writable")
	case a.Owner != accounts.LoaderV3ID:
		return r.refuse(failure.IncorrectProgramId, "Program account not owned by loader")
	case s.Slot == r.Environment().Clock.Slot:
		return r.refuse(failure.InvalidArgument, "Program was deployed in this block already")
	}
	p, err := r.state(program)
	if err != nil || p.Kind != bincode.Program {
		return r.refuse(failure.InvalidArgument, "Invalid Program account")
	}
	if p.Data != r.Key(data) {
		return r.refuse(failure.InvalidArgument, "ProgramData account does not match ProgramData account")
	}
	return nil
}
