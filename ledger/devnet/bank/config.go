package bank

import (
	"fmt"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm"
)

const (
	// MaxBlockhashAge is how many blocks a blockhash is good for (Agave's MAX_PROCESSING_AGE).
	MaxBlockhashAge = 150
	// maxSlotHashes is how many blocks the SlotHashes sysvar names.
	maxSlotHashes = 512
	// statusBlocks is how many blocks the status cache covers (Agave's MAX_RECENT_BLOCKHASHES).
	statusBlocks = 300
	// slotsPerEpoch is mainnet's; there is no warm-up, as in solana-test-validator.
	slotsPerEpoch = 432_000
	// MaxWarp bounds one Warp.
	MaxWarp = 10 * 365 * 24 * time.Hour
	// maxClock bounds the chain's clock, Unix seconds (the year 2262): a time.Duration of
	// nanoseconds ends there.
	maxClock = 9_214_646_400
)

// Config is what an operator can set. Start from DefaultConfig.
type Config struct {
	// Dir holds the chain; empty keeps it in memory only.
	Dir string `koanf:"dir"`
	// SlotTime is the length of a slot that callers keep to; Warp skips slots at this rate.
	SlotTime time.Duration `koanf:"slot_time"`
	// FinalityBlocks is how many blocks after its own a block is finalized.
	FinalityBlocks int `koanf:"finality_blocks"`
	// KeepTransactions is how many transactions are kept for getTransaction and its like. About 1
	// KiB each, in memory and on disk.
	KeepTransactions int `koanf:"keep_transactions"`
	// KeepBlocks is how many blocks are kept for getBlock and its like. About 250 bytes each.
	KeepBlocks int `koanf:"keep_blocks"`
	// FaucetLamports is what the faucet has at genesis, IdentityLamports what the validator
	// identity has.
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

// Validate names the field that is wrong, the limit and the fix.
func (c Config) Validate() error {
	rent := svm.DefaultEnvironment().Rent.MinimumBalance(0)
	checks := []struct {
		bad              bool
		field, rule, fix string
	}{
		{c.SlotTime < 10*time.Millisecond || c.SlotTime > time.Minute, "slot_time",
			"must be between 10ms and 1m", "set it to 400ms"},
		{c.FinalityBlocks < 1 || c.FinalityBlocks > 64, "finality_blocks", "must be between 1 and 64", "set it to 2"},
		{c.KeepTransactions < 1_000 || c.KeepTransactions > 100_000_000, "keep_transactions",
			"must be between 1,000 and 100,000,000", "set it to 100000"},
		{c.KeepBlocks < maxSlotHashes || c.KeepBlocks > 100_000_000, "keep_blocks",
			"must be between 512 (the SlotHashes sysvar needs them) and 100,000,000", "set it to 50000"},
		{c.FaucetLamports < rent || c.FaucetLamports > 1<<62, "faucet_lamports",
			fmt.Sprintf("must be between %d (rent exempt) and 2^62", rent), "set it to 500000000000000000"},
		{c.IdentityLamports < rent || c.IdentityLamports > 1<<62, "identity_lamports",
			fmt.Sprintf("must be between %d (rent exempt) and 2^62", rent), "set it to 1000000000"},
	}
	for _, k := range checks {
		if k.bad {
			return fmt.Errorf("bank: config: %s %s: %s", k.field, k.rule, k.fix)
		}
	}
	return nil
}

// Program is a program that exists from the start, under the upgradeable loader.
type Program struct {
	ID        solana.PublicKey
	ELF       []byte
	Authority *solana.PublicKey // who may upgrade it; nil: nobody
}

// Genesis is what a new chain starts with. A chain that is already in Config.Dir keeps its own;
// asking for another Seed or for a Program with other code is ErrGenesis.
type Genesis struct {
	// Seed is 32 bytes from which the faucet's and the identity's keys and every blockhash follow.
	// Who knows it can spend the faucet and foresee blockhashes. nil takes NewSeed's, if the chain
	// is new.
	Seed []byte
	// NewSeed makes the seed of a new chain; it is not called for one that exists.
	NewSeed func() ([]byte, error)
	// Programs are deployed in slot 0.
	Programs []Program
	// Accounts exist besides those of the faucet, the identity, programs, builtins and sysvars.
	Accounts []svm.KeyedAccount
}

// Upgradeable is a program at an address that an authority may upgrade.
func Upgradeable(id, authority [32]byte, elf []byte) Program {
	key := solana.PublicKey(authority)
	return Program{ID: id, ELF: elf, Authority: &key}
}
