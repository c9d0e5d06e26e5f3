package svm

import (
	"encoding/binary"
	"math"
	"math/bits"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
)

// Limits of a transaction (Agave execution_budget.rs).
const (
	maxUnits       = 1_400_000
	unitsPerIx     = 200_000
	unitsPerNative = 3_000
	minHeap        = 32 * 1024
	maxHeap        = 256 * 1024
	maxLoadedData  = 64 * 1024 * 1024
)

// Compute units of the builtin programs.
const (
	systemUnits        = 150
	computeBudgetUnits = 150
	loaderV2Units      = 570
	loaderV3Units      = 2370
)

// Limits of accounts and instructions.
const (
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

// budget has the limits of a transaction and its priority fee.
type budget struct {
	units       uint64
	heap        int
	loaded      uint64 // bytes of account data
	priorityFee uint64 // lamports
}

// requests are the ComputeBudget instructions of a transaction.
type requests struct {
	heap, units, loaded *uint32
	price               *uint64 // micro-lamports per unit
	heapIndex           int
}

// ComputeBudget instruction tags.
const (
	budgetHeap   = 1
	budgetUnits  = 2
	budgetPrice  = 3
	budgetLoaded = 4
)

// budget reads what a message of version 1 says, where a limit that is not set is 0, and else the
// ComputeBudget instructions. Each may occur once.
func (m *message) budget() (budget, *failure.TransactionError) {
	if c := m.config; c != nil {
		set := func(v *uint32, otherwise int) uint64 {
			if v == nil {
				return uint64(otherwise)
			}
			return uint64(*v)
		}
		b := budget{units: min(set(c.ComputeUnitLimit, 0), maxUnits), heap: int(set(c.HeapSize, minHeap))}
		b.loaded = min(set(c.LoadedAccountsDataSizeLimit, 0), maxLoadedData)
		if c.PriorityFee != nil {
			b.priorityFee = *c.PriorityFee
		}
		return b, nil
	}
	var r requests
	for i, ix := range m.instructions {
		if m.keys[ix.program] != accounts.ComputeBudgetID {
			continue
		}
		if err := r.read(i, ix.data); err != nil {
			return budget{}, err
		}
	}
	return r.limits(m.defaultUnits())
}

func (r *requests) read(index int, data []byte) *failure.TransactionError {
	tag := byte(0)
	if len(data) > 0 {
		tag = data[0]
	}
	invalid := failure.At(index, failure.InstructionError{Code: failure.InvalidInstructionData})
	if tag == budgetPrice {
		if len(data) < 9 {
			return invalid
		}
		if r.price != nil {
			return failure.RejectAt(failure.ErrDuplicateInstruction, index)
		}
		v := binary.LittleEndian.Uint64(data[1:])
		r.price = &v
		return nil
	}
	field := map[byte]**uint32{budgetHeap: &r.heap, budgetUnits: &r.units, budgetLoaded: &r.loaded}[tag]
	if field == nil || len(data) < 5 {
		return invalid
	}
	if *field != nil {
		return failure.RejectAt(failure.ErrDuplicateInstruction, index)
	}
	if tag == budgetHeap {
		r.heapIndex = index
	}
	v := binary.LittleEndian.Uint32(data[1:])
	*field = &v
	return nil
}

func (r *requests) limits(defaultUnits uint64) (budget, *failure.TransactionError) {
	b := budget{units: defaultUnits, heap: minHeap, loaded: maxLoadedData}
	if r.heap != nil {
		if *r.heap < minHeap || *r.heap > maxHeap || *r.heap%1024 != 0 {
			return b, failure.At(r.heapIndex, failure.InstructionError{Code: failure.InvalidInstructionData})
		}
		b.heap = int(*r.heap)
	}
	if r.units != nil {
		b.units = uint64(*r.units)
	}
	b.units = min(b.units, maxUnits)
	if r.loaded != nil {
		if *r.loaded == 0 {
			return b, failure.Reject(failure.ErrInvalidLoadedAccountsDataSizeLimit)
		}
		b.loaded = min(uint64(*r.loaded), maxLoadedData)
	}
	if r.price != nil {
		b.priorityFee = priorityFee(*r.price, b.units)
	}
	return b, nil
}

// priorityFee returns price times units in whole lamports, rounded up.
func priorityFee(price, units uint64) uint64 {
	const microPerLamport = 1_000_000
	high, low := bits.Mul64(price, units)
	low, carry := bits.Add64(low, microPerLamport-1, 0)
	high += carry
	if high >= microPerLamport {
		return math.MaxUint64
	}
	fee, _ := bits.Div64(high, low, microPerLamport)
	return fee
}

// defaultUnits returns the limit without a request: 3,000 for a builtin's instruction, 200,000 for
// any other.
func (m *message) defaultUnits() uint64 {
	total := uint64(0)
	for _, ix := range m.instructions {
		if accounts.IsBuiltin(m.keys[ix.program]) {
			total += unitsPerNative
		} else {
			total += unitsPerIx
		}
	}
	return total
}

// signatureCount returns the signatures that a transaction pays for: its own and the precompiles'.
func (m *message) signatureCount() uint64 {
	n := uint64(m.signers)
	for _, ix := range m.instructions {
		if accounts.IsPrecompile(m.keys[ix.program]) && len(ix.data) > 0 {
			n += uint64(ix.data[0])
		}
	}
	return n
}
