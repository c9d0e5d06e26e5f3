// Package deeds knows what the operations of a court leave on the chain: when one is done, whoever
// did it, and which payments may follow it in the same transaction.
package deeds

import (
	"context"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// reader is what this package needs of a chain.
type reader interface {
	Accounts(ctx context.Context, addresses ...onchain.Address) (all []*ledger.Account, slot uint64, err error)
	Program() program.Program
}
