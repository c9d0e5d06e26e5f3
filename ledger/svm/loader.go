package svm

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/loader"
)

// runLoader is the upgradeable loader.
func runLoader(x *execution) error {
	if err := x.consume(loaderV3Units); err != nil {
		return err
	}
	return loader.Run(loaderFrame{x}, x.current().data)
}

// loaderFrame is the current instruction as the loader uses it.
type loaderFrame struct{ x *execution }

func (f loaderFrame) Count() int { return len(f.x.current().accounts) }

func (f loaderFrame) meta(i int) ixAccount { return f.x.current().accounts[i] }

func (f loaderFrame) Key(i int) solana.PublicKey { return f.x.accounts[f.meta(i).index].key }

func (f loaderFrame) Account(i int) accounts.Account { return f.x.accounts[f.meta(i).index].state }

func (f loaderFrame) Signer(i int) bool { return f.meta(i).signer }

func (f loaderFrame) Writable(i int) bool { return f.meta(i).writable }

func (f loaderFrame) SetLamports(i int, lamports uint64) error {
	b, err := f.x.borrow(i)
	if err != nil {
		return err
	}
	return b.setLamports(lamports)
}

func (f loaderFrame) SetLength(i, length int) error {
	b, err := f.x.borrow(i)
	if err != nil {
		return err
	}
	return b.setLength(length)
}

func (f loaderFrame) Data(i int) ([]byte, error) {
	b, err := f.x.borrow(i)
	if err != nil {
		return nil, err
	}
	return b.mutable()
}

func (f loaderFrame) SetExecutable(i int) error {
	b, err := f.x.borrow(i)
	if err != nil {
		return err
	}
	state := &b.account.state
	if !f.x.env.Rent.IsExempt(state.Lamports, len(state.Data)) {
		return failure.Of(failure.ExecutableAccountNotRentExempt)
	}
	if !b.owned() || !b.meta.writable {
		return failure.Of(failure.ExecutableModified)
	}
	b.touch()
	state.Executable = true
	return nil
}

func (f loaderFrame) Invoke(data []byte, own solana.PublicKey, positions ...int) error {
	in := invocation{program: accounts.SystemID, data: data}
	for n, i := range positions {
		in.accounts = append(in.accounts, invokedAccount{f.Key(i), n < 2, true})
	}
	if err := f.x.prepare(in, []solana.PublicKey{own}); err != nil {
		return err
	}
	return f.x.process()
}

func (f loaderFrame) Check(elf []byte) error { return f.x.runtime.CheckELF(elf, true) }

func (f loaderFrame) Environment() *accounts.Environment { return f.x.env }

func (f loaderFrame) Log(text string) { f.x.log.add(text) }
