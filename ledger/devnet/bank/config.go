package bank

import (
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/config/bounds"
	"ojud/ledger/svm/accounts"
)

const (
	// MaxBlockhashAge is the number of blocks for which a blockhash is valid (Agave's
	// MAX_PROCESSING_AGE).
	MaxBlockhashAge = 150
	// statusBlocks is the number of blocks in the status cache (Agave's MAX_RECENT_BLOCKHASHES).
	statusBlocks = 300
	// slotsPerEpoch is mainnet's. There is no warm-up, as in solana-test-validator.
	slotsPerEpoch = 432_000
	// MaxWarp bounds one Warp.
	MaxWarp = 10 * 365 * 24 * time.Hour
	// maxClock bounds the chain's clock in Unix seconds (the year 2262), because a time.Duration of
	// nanoseconds ends there.
	maxClock = 9_214_646_400
)

// Config has the operator's settings. Start from DefaultConfig.
type Config struct {
	// Dir is the chain's directory. If it is empty, the chain is only in memory.
	Dir string `koanf:"dir"`
	// SlotTime is the length of a slot. Callers seal at this rate, and Warp skips slots at it.
	SlotTime time.Duration `koanf:"slot_time"`
	// FinalityBlocks is the number of later blocks that finalize a block.
	FinalityBlocks int `koanf:"finality_blocks"`
	// KeepTransactions is the number of transactions kept for getTransaction and similar methods.
	// Each takes about 1 KiB, in memory and on disk.
	KeepTransactions int `koanf:"keep_transactions"`
	// KeepBlocks is the number of blocks kept for getBlock and similar methods. Each takes about
	// 250 bytes.
	KeepBlocks int `koanf:"keep_blocks"`
	// FaucetLamports is the faucet's balance at genesis, and IdentityLamports the validator
	// identity's.
	FaucetLamports   uint64 `koanf:"faucet_lamports"`
	IdentityLamports uint64 `koanf:"identity_lamports"`
}

// DefaultConfig is a chain in memory: 400 ms slots, finality after 2 blocks, 100,000 transactions,
// 50,000 blocks (5.5 hours), 500 million SOL in the faucet.
func DefaultConfig() Config {
	return Config{
		SlotTime:         400 * time.Millisecond,
		FinalityBlocks:   2,
		KeepTransactions: 100_000,
		KeepBlocks:       50_000,
		FaucetLamports:   500_000_000 * solana.LAMPORTS_PER_SOL,
		IdentityLamports: solana.LAMPORTS_PER_SOL,
	}
}

// Validate returns an error that names the wrong field, its limit and the fix.
func (c Config) Validate() error {
	rent := accounts.DefaultEnvironment().Rent.MinimumBalance(0)
	return bounds.Check("bank: config: ",
		bounds.Of("slot_time", c.SlotTime, 10*time.Millisecond, time.Minute),
		bounds.Of("finality_blocks", c.FinalityBlocks, 1, 64),
		bounds.Of("keep_transactions", c.KeepTransactions, 1_000, 100_000_000),
		bounds.Of("keep_blocks", c.KeepBlocks, accounts.MaxSlotHashes, 100_000_000), // the SlotHashes sysvar needs them
		bounds.Of("faucet_lamports", c.FaucetLamports, rent, 1<<62),
		bounds.Of("identity_lamports", c.IdentityLamports, rent, 1<<62),
	)
}

// Program is a program that exists from the start, under the upgradeable loader.
type Program struct {
	ID        solana.PublicKey
	ELF       []byte
	Authority *solana.PublicKey // may upgrade it; nil: no upgrades
}

// Genesis is the initial state of a new chain. An existing chain in Config.Dir keeps its own;
// another Seed, or a Program with other code, is then ErrGenesis.
type Genesis struct {
	// Seed has 32 bytes. The keys of the faucet and the identity and every blockhash are derived
	// from it. Anybody who knows it can spend the faucet and foresee blockhashes. If it is nil, a
	// new chain takes NewSeed's.
	Seed []byte
	// NewSeed makes the seed of a new chain. It is not called for an existing one.
	NewSeed func() ([]byte, error)
	// Programs are deployed in slot 0.
	Programs []Program
	// Accounts are additional accounts, besides the faucet, the identity, programs, builtins and
	// sysvars.
	Accounts []accounts.Keyed
}

// Upgradeable returns a program at an address that an authority may upgrade.
func Upgradeable(id, authority [32]byte, elf []byte) Program {
	key := solana.PublicKey(authority)
	return Program{ID: id, ELF: elf, Authority: &key}
}
