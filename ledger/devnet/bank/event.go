package bank

import (
	"bytes"
	"maps"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
)

// Level is a commitment level.
type Level uint8

// The levels, from the weakest.
const (
	Processed Level = iota
	Confirmed
	Finalized
)

// String returns the level as JSON-RPC spells it.
func (l Level) String() string { return [...]string{"processed", "confirmed", "finalized"}[l] }

// Event says that something reached a commitment level. Events come in the chain's order, one at a
// time, and only when their content is on disk.
//
// At Processed, an event is one transaction with the accounts that it wrote, or, if Opened is set,
// a new slot with its sysvars. At Confirmed and Finalized, it is a block: its transactions, and the
// accounts that changed in it with their final state.
type Event struct {
	Level        Level
	Opened       bool // a slot was opened: Slot, Parent, Root, Accounts
	Slot, Parent uint64
	Root         uint64 // newest finalized slot at that time
	Time         int64  // of the slot, Unix seconds
	Transactions []*Transaction
	Accounts     []accounts.Keyed // an account without lamports was deleted
}

// event returns the event for the whole layer.
func (l *layer) event(level Level, root uint64) Event {
	return Event{
		Level: level, Slot: l.slot, Parent: l.parent, Root: root, Time: l.time,
		Transactions: l.transactions, Accounts: sorted(l.accounts),
	}
}

// sorted lists accounts by address, so that equal states look equal.
func sorted(m map[solana.PublicKey]accounts.Account) []accounts.Keyed {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b solana.PublicKey) int { return bytes.Compare(a[:], b[:]) })
	out := make([]accounts.Keyed, len(keys))
	for i, k := range keys {
		out[i] = accounts.Keyed{Key: k, Account: m[k]}
	}
	return out
}
