package bank

import (
	"crypto/sha256"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
)

// View is the chain at one commitment level, valid until the function that got it returns. The
// accounts that it returns stay valid and may be kept, but must not be changed.
type View struct {
	bank  *Bank
	layer *layer
	index int
}

// Read calls f with the chain at a level. The chain does not move while f runs, so f should be
// short. It must not call methods of the bank.
func (b *Bank) Read(level Level, f func(*View)) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	l, index := b.at(level)
	f(&View{b, l, index})
}

// Slot returns the newest slot of this level.
func (v *View) Slot() uint64 { return v.layer.slot }

// Height returns the block height of Slot.
func (v *View) Height() uint64 { return v.layer.height }

// Time returns the chain's clock in that slot, in Unix seconds.
func (v *View) Time() int64 { return v.layer.time }

// Root returns the newest finalized slot.
func (v *View) Root() uint64 { return v.bank.rooted.slot }

// Environment returns the environment of that slot's transactions. It must not be changed.
func (v *View) Environment() *accounts.Environment { return v.layer.env }

// Transactions returns the number of transactions of the chain up to this level.
func (v *View) Transactions() uint64 {
	if v.index == len(v.bank.layers)-1 {
		return v.bank.history.next()
	}
	return v.bank.layers[v.index+1].first
}

// Account returns an account.
func (v *View) Account(key solana.PublicKey) (accounts.Account, bool) {
	return v.bank.lookup(v.index, key)
}

// Blockhash returns the newest blockhash and the last block height at which it is valid.
func (v *View) Blockhash() (solana.Hash, uint64) {
	last, _ := v.bank.hashes.lastValid(v.layer.blockhash)
	return v.layer.blockhash, last
}

// BlockhashValid reports whether a transaction in that slot may name the blockhash.
func (v *View) BlockhashValid(hash solana.Hash) bool {
	return v.bank.hashes.validAt(hash, v.layer.height)
}

// Simulate executes a transaction on top of the level and stores nothing. verify turns the check of
// its signatures on.
func (v *View) Simulate(tx *solana.Transaction, verify bool) (*svm.Result, error) {
	message, err := messageHash(tx)
	if err != nil {
		return nil, err
	}
	return v.simulate(tx, message, verify), nil
}

func (v *View) simulate(tx *solana.Transaction, message [sha256.Size]byte, verify bool) *svm.Result {
	return v.bank.run(v.layer, v.index, tx, message, verify)
}

// Fee returns the cost of a transaction, or why it would be rejected before that is known.
func (v *View) Fee(tx *solana.Transaction) (uint64, *failure.TransactionError) {
	return v.bank.runtime.Fee(tx, v.layer.env, source{v.bank.state, v.index})
}

// ProgramAccounts lists by address the accounts of a program for which keep returns true.
func (v *View) ProgramAccounts(owner solana.PublicKey, keep func(accounts.Account) bool) []accounts.Keyed {
	found := map[solana.PublicKey]accounts.Account{}
	take := func(key solana.PublicKey) {
		if a, ok := v.Account(key); ok && a.Owner == owner && keep(a) {
			found[key] = a
		}
	}
	for key := range v.bank.root.owners[owner] {
		take(key)
	}
	for _, l := range v.bank.layers[:v.index+1] {
		for key, a := range l.accounts {
			if a.Owner == owner {
				take(key)
			}
		}
	}
	return sorted(found)
}

// Capitalization returns the sum of the lamports of all accounts. It never changes after genesis.
func (v *View) Capitalization() uint64 {
	total := uint64(0)
	seen := map[solana.PublicKey]bool{}
	for i := v.index; i >= 0; i-- {
		for key, a := range v.bank.layers[i].accounts {
			if !seen[key] {
				seen[key] = true
				total += a.Lamports
			}
		}
	}
	for key, a := range v.bank.root.all {
		if !seen[key] {
			total += a.Lamports
		}
	}
	return total
}
