package accounts

import "github.com/gagliardetto/solana-go"

// Account is the state of one account. Amounts are lamports. An account without lamports does not
// exist.
type Account struct {
	Lamports   uint64
	Data       []byte
	Owner      solana.PublicKey
	Executable bool
	RentEpoch  uint64
}

// Keyed is an account with its address.
type Keyed struct {
	Key     solana.PublicKey
	Account Account
}

// Snapshot is the state before a transaction. The data that it returns is never modified. Others
// must not modify it while a transaction runs, either.
type Snapshot interface {
	Account(key solana.PublicKey) (Account, bool)
}

const (
	// RentExempt is the rent epoch of a rent-exempt account. All accounts are.
	RentExempt = ^uint64(0)

	// MaxData bounds the data of an account in bytes (solana-system-interface).
	MaxData = 10 * 1024 * 1024
)
