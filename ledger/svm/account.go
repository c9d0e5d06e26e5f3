package svm

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

// KeyedAccount is an account with its address.
type KeyedAccount struct {
	Key     solana.PublicKey
	Account Account
}

// Source is the state before a transaction. The data that it returns is never modified. Others must
// not modify it while a transaction runs, either.
type Source interface {
	Account(key solana.PublicKey) (Account, bool)
}

const (
	// rentEpochExempt is the rent epoch of a rent-exempt account. All accounts are.
	rentEpochExempt = ^uint64(0)

	// MaxAccountData bounds the data of an account in bytes (solana-system-interface).
	MaxAccountData = 10 * 1024 * 1024

	maxDataIncrease      = 10 * 1024       // per instruction, solana-program-entrypoint
	maxDataGrowth        = 20 * 1 << 20    // per transaction, solana-transaction-context
	accountBaseSize      = 64              // loaded size of an account without its data, SIMD-0186
	maxInstructionTrace  = 64              // instructions and invocations in a transaction
	maxInstructionData   = 10 * 1024       // bytes, of an invocation
	maxAccountsPerIx     = 255             // 255, because NON_DUP_MARKER is the 256th
	maxAccountInfos      = 255             // of an invocation
	maxAccountLocks      = 64              // accounts in a transaction
	maxSigners           = 16              // signer seeds of an invocation
	maxSeeds, maxSeedLen = 16, 32          // of a program address
	maxReturnData        = 1024            // bytes
	noCaller             = int(^uint16(0)) // index of the caller of a top-level instruction
)
