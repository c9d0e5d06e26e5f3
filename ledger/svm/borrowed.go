package svm

import (
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
)

// borrowed is an account that the current instruction's program holds. Its methods enforce the
// program's rights. Agave: BorrowedInstructionAccount.
type borrowed struct {
	ctx     *txContext
	account *txAccount
	meta    ixAccount
	program solana.PublicKey
}

// borrow takes the i-th account of the current instruction.
func (c *txContext) borrow(i int) (borrowed, error) {
	f := c.current()
	if i >= len(f.accounts) {
		return borrowed{}, failure.Of(failure.MissingAccount)
	}
	meta := f.accounts[i]
	return borrowed{c, &c.accounts[meta.index], meta, c.programKey(f)}, nil
}

func (b borrowed) owned() bool { return b.account.state.Owner == b.program }

func (b borrowed) touch() { b.account.touched = true }

func (b borrowed) setOwner(owner solana.PublicKey) error {
	if !b.owned() || !b.meta.writable || slices.ContainsFunc(b.account.state.Data, func(x byte) bool { return x != 0 }) {
		return failure.Of(failure.ModifiedProgramId)
	}
	if b.account.state.Owner != owner {
		b.touch()
		b.account.state.Owner = owner
	}
	return nil
}

func (b borrowed) setLamports(lamports uint64) error {
	old := b.account.state.Lamports
	if !b.owned() && lamports < old {
		return failure.Of(failure.ExternalAccountLamportSpend)
	}
	if !b.meta.writable {
		return failure.Of(failure.ReadonlyLamportChange)
	}
	if old != lamports {
		b.ctx.delta.add(old, lamports)
		b.touch()
		b.account.state.Lamports = lamports
	}
	return nil
}

func (b borrowed) addLamports(n uint64) error {
	sum := b.account.state.Lamports + n
	if sum < n {
		return failure.Of(failure.ArithmeticOverflow)
	}
	return b.setLamports(sum)
}

func (b borrowed) subLamports(n uint64) error {
	if n > b.account.state.Lamports {
		return failure.Of(failure.ArithmeticOverflow)
	}
	return b.setLamports(b.account.state.Lamports - n)
}

func (b borrowed) canChangeData() error {
	if !b.meta.writable {
		return failure.Of(failure.ReadonlyDataModified)
	}
	if !b.owned() {
		return failure.Of(failure.ExternalAccountDataModified)
	}
	return nil
}

func (b borrowed) canResize(n int) error {
	if n > accounts.MaxData {
		return failure.Of(failure.InvalidRealloc)
	}
	if b.ctx.growth+int64(n)-int64(len(b.account.state.Data)) > maxDataGrowth {
		return failure.Of(failure.MaxAccountsDataAllocationsExceeded)
	}
	return b.canChangeData()
}

func (b borrowed) grow(n int) { b.ctx.growth += int64(n) - int64(len(b.account.state.Data)) }

func (b borrowed) setData(data []byte) error {
	if err := b.canResize(len(data)); err != nil {
		return err
	}
	b.touch()
	b.grow(len(data))
	b.account.setData(data)
	return nil
}

func (b borrowed) setLength(n int) error {
	if err := b.canResize(n); err != nil {
		return err
	}
	if len(b.account.state.Data) == n {
		return nil
	}
	b.touch()
	b.grow(n)
	b.account.resize(n)
	return nil
}

// mutable returns the data for writing in place.
func (b borrowed) mutable() ([]byte, error) {
	if err := b.canChangeData(); err != nil {
		return nil, err
	}
	b.touch()
	b.account.own()
	return b.account.state.Data, nil
}

// syncData replaces the data if the program may do so. Otherwise it fails if the data changed.
func (b borrowed) syncData(data []byte) error {
	err := b.canResize(len(data))
	if err == nil {
		return b.setData(data)
	}
	if string(b.account.state.Data) != string(data) {
		return err
	}
	return nil
}
