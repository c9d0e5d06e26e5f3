package accounts

import "github.com/gagliardetto/solana-go"

// Clock is the clock sysvar. Times are Unix seconds.
type Clock struct {
	Slot                uint64
	EpochStartTimestamp int64
	Epoch               uint64
	LeaderScheduleEpoch uint64
	UnixTimestamp       int64
}

// Rent is the rent sysvar.
type Rent struct {
	LamportsPerByte    uint64
	ExemptionThreshold float64
	BurnPercent        uint8 // unused by the network
}

// EpochSchedule is the epoch schedule sysvar. All fields except Warmup count slots or epochs.
type EpochSchedule struct {
	SlotsPerEpoch            uint64
	LeaderScheduleSlotOffset uint64
	Warmup                   bool
	FirstNormalEpoch         uint64
	FirstNormalSlot          uint64
}

// SlotHash is the hash of a past slot.
type SlotHash struct {
	Slot uint64
	Hash solana.Hash
}

// Features are the switches of the feature set that matter to the runtime.
type Features struct {
	RaiseCPINestingLimit      bool // SIMD-0268: 9 instead of 5 levels
	RemainingComputeUnits     bool // sol_remaining_compute_units exists
	CreateAccountAllowPrefund bool // SIMD-0312: System instruction 13
	RelaxRentCheck            bool // SIMD-0392: existing accounts may stay below the minimum balance
}

// MainnetFeatures returns the mainnet set of LiteSVM 1.5.0, read from its feature accounts.
func MainnetFeatures() Features {
	return Features{CreateAccountAllowPrefund: true, RelaxRentCheck: true}
}

// Environment is the chain's state outside of accounts.
type Environment struct {
	Clock                Clock
	Rent                 Rent
	EpochSchedule        EpochSchedule
	SlotHashes           []SlotHash // newest first, at most 512
	LastRestartSlot      uint64
	Features             Features
	Blockhash            solana.Hash // the newest one; durable nonces advance to it
	LamportsPerSignature uint64

	// BlockhashValid reports whether a transaction may use the blockhash. If it is nil, all are
	// valid. A transaction with another blockhash passes only if it advances a durable nonce.
	BlockhashValid func(solana.Hash) bool
}

// DefaultEnvironment is a new chain: rent and schedule of mainnet, 5,000 lamports a signature, slot
// 0.
func DefaultEnvironment() *Environment {
	return &Environment{
		Rent:                 Rent{LamportsPerByte: 6960, ExemptionThreshold: 1, BurnPercent: 50},
		EpochSchedule:        EpochSchedule{432000, 432000, true, 14, 524256},
		Features:             MainnetFeatures(),
		LamportsPerSignature: 5000,
	}
}
