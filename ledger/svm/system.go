package svm

import (
	"fmt"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/bincode"
	"ojud/ledger/svm/failure"
)

// Errors of the System program (solana-system-interface).
const (
	systemAccountInUse        = 0
	systemNegativeLamports    = 1
	systemInvalidDataLength   = 3
	systemSeedMismatch        = 5
	systemNoRecentBlockhashes = 6
	systemBlockhashNotExpired = 7
)

// systemAddress is an address that may be derived from a base and a seed. If it is, the base signs
// for it.
type systemAddress struct {
	key  solana.PublicKey
	base *solana.PublicKey
}

// String returns Rust's {:?} form, which is in the logs.
func (a systemAddress) String() string {
	base := "None"
	if a.base != nil {
		base = fmt.Sprintf("Some(%s)", a.base)
	}
	return fmt.Sprintf("Address { address: %s, base: %s }", a.key, base)
}

// runSystem is the System program.
func runSystem(x *execution) error {
	if err := x.consume(systemUnits); err != nil {
		return err
	}
	in, err := bincode.DecodeSystem(x.current().data)
	if err != nil {
		return err
	}
	s := system{x, x.current()}
	switch in.Kind {
	case bincode.Create:
		return s.create(in, nil)
	case bincode.CreateWithSeed:
		return s.create(in, &in.Base)
	case bincode.Assign, bincode.AssignWithSeed, bincode.Allocate, bincode.AllocateWithSeed:
		return s.prepare(in)
	case bincode.Transfer:
		if err := s.require(2); err != nil {
			return err
		}
		return s.transfer(0, 1, in.Lamports)
	case bincode.TransferWithSeed:
		return s.transferWithSeed(in)
	case bincode.CreatePrefunded:
		return s.createPrefunded(in)
	}
	return s.nonce(in)
}

// system is one instruction of the System program.
type system struct {
	*execution
	*frame
}

func (s system) key(i int) solana.PublicKey {
	return s.execution.accounts[s.frame.accounts[i].index].key
}

// signed reports whether the key signs through any account of the instruction.
func (s system) signed(key solana.PublicKey) bool {
	return slices.ContainsFunc(s.frame.accounts, func(a ixAccount) bool {
		return a.signer && s.execution.accounts[a.index].key == key
	})
}

// address reads the i-th account's address. If there is a base, it checks the derivation.
func (s system) address(i int, in bincode.System, base *solana.PublicKey) (systemAddress, error) {
	a := systemAddress{key: s.key(i), base: base}
	if base == nil {
		return a, nil
	}
	derived, err := deriveWithSeed(*base, in.Seed, in.Owner)
	if err != nil {
		return a, seedFailure(err)
	}
	if derived != a.key {
		s.log.addf("Create: address %s does not match derived address %s", a.key, derived)
		return a, failure.OfNumber(systemSeedMismatch)
	}
	return a, nil
}

func (s system) mayUse(a systemAddress) bool {
	if a.base != nil {
		return s.signed(*a.base)
	}
	return s.signed(a.key)
}

func (s system) allocate(account borrowed, a systemAddress, space uint64) error {
	if !s.mayUse(a) {
		s.log.addf("Allocate: 'to' account %s must sign", a)
		return failure.Of(failure.MissingRequiredSignature)
	}
	if len(account.account.state.Data) != 0 || account.account.state.Owner != accounts.SystemID {
		s.log.addf("Allocate: account %s already in use", a)
		return failure.OfNumber(systemAccountInUse)
	}
	if space > accounts.MaxData {
		s.log.addf("Allocate: requested %d, max allowed %d", space, accounts.MaxData)
		return failure.OfNumber(systemInvalidDataLength)
	}
	return account.setLength(int(space))
}

func (s system) assign(account borrowed, a systemAddress, owner solana.PublicKey) error {
	if account.account.state.Owner == owner {
		return nil
	}
	if !s.mayUse(a) {
		s.log.addf("Assign: account %s must sign", a)
		return failure.Of(failure.MissingRequiredSignature)
	}
	return account.setOwner(owner)
}

func (s system) allocateAndAssign(account borrowed, a systemAddress, in bincode.System) error {
	if err := s.allocate(account, a, in.Space); err != nil {
		return err
	}
	return s.assign(account, a, in.Owner)
}

// create makes account 1 with lamports of account 0. The balance of account 1 must be zero.
func (s system) create(in bincode.System, base *solana.PublicKey) error {
	if err := s.require(2); err != nil {
		return err
	}
	a, err := s.address(1, in, base)
	if err != nil {
		return err
	}
	to, err := s.borrow(1)
	if err != nil {
		return err
	}
	if to.account.state.Lamports > 0 {
		s.log.addf("Create Account: account %s already in use", a)
		return failure.OfNumber(systemAccountInUse)
	}
	if err := s.allocateAndAssign(to, a, in); err != nil {
		return err
	}
	return s.transfer(0, 1, in.Lamports)
}

// createPrefunded makes account 0, which may have a balance, and adds lamports of account 1
// unless the amount is zero.
func (s system) createPrefunded(in bincode.System) error {
	if !s.runtime.config.Features.CreateAccountAllowPrefund {
		return failure.Of(failure.InvalidInstructionData)
	}
	accounts := 1
	if in.Lamports > 0 {
		accounts = 2
	}
	if err := s.require(accounts); err != nil {
		return err
	}
	to, err := s.borrow(0)
	if err != nil {
		return err
	}
	if err := s.allocateAndAssign(to, systemAddress{key: s.key(0)}, in); err != nil {
		return err
	}
	if in.Lamports == 0 {
		return nil
	}
	return s.transfer(1, 0, in.Lamports)
}

// prepare runs assign and allocate, with or without a seed.
func (s system) prepare(in bincode.System) error {
	if err := s.require(1); err != nil {
		return err
	}
	account, err := s.borrow(0)
	if err != nil {
		return err
	}
	var base *solana.PublicKey
	if in.Kind == bincode.AssignWithSeed || in.Kind == bincode.AllocateWithSeed {
		base = &in.Base
	}
	a, err := s.address(0, in, base)
	if err != nil {
		return err
	}
	switch in.Kind {
	case bincode.Allocate:
		return s.allocate(account, a, in.Space)
	case bincode.AllocateWithSeed:
		return s.allocateAndAssign(account, a, in)
	}
	return s.assign(account, a, in.Owner)
}

func (s system) transfer(from, to int, lamports uint64) error {
	if !s.frame.accounts[from].signer {
		s.log.addf("Transfer: `from` account %s must sign", s.key(from))
		return failure.Of(failure.MissingRequiredSignature)
	}
	return s.move(from, to, lamports)
}

// transferWithSeed moves lamports from account 0 to account 2. The base, account 1, signs for
// account 0.
func (s system) transferWithSeed(in bincode.System) error {
	if err := s.require(3); err != nil {
		return err
	}
	if !s.frame.accounts[1].signer {
		s.log.addf("Transfer: 'from' account %s must sign", s.key(1))
		return failure.Of(failure.MissingRequiredSignature)
	}
	derived, err := deriveWithSeed(s.key(1), in.Seed, in.Owner)
	if err != nil {
		return seedFailure(err)
	}
	if from := s.key(0); from != derived {
		s.log.addf("Transfer: 'from' address %s does not match derived address %s", from, derived)
		return failure.OfNumber(systemSeedMismatch)
	}
	return s.move(0, 2, in.Lamports)
}

func (s system) move(from, to int, lamports uint64) error {
	source, err := s.borrow(from)
	if err != nil {
		return err
	}
	state := &source.account.state
	if len(state.Data) != 0 {
		s.log.add("Transfer: `from` must not carry data")
		return failure.Of(failure.InvalidArgument)
	}
	if lamports > state.Lamports {
		s.log.addf("Transfer: insufficient lamports %d, need %d", state.Lamports, lamports)
		return failure.OfNumber(systemNegativeLamports)
	}
	if err := source.subLamports(lamports); err != nil {
		return err
	}
	target, err := s.borrow(to)
	if err != nil {
		return err
	}
	return target.addLamports(lamports)
}
