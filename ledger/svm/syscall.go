package svm

import (
	"crypto/sha256"
	"fmt"

	"github.com/gagliardetto/solana-go"
	"golang.org/x/crypto/sha3"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/sbpf"
)

// syscallError is a failure of a system call that is no InstructionError. The text is Agave's and
// goes to the log.
type syscallError string

func (e syscallError) Error() string { return string(e) }

const (
	errAbort           syscallError = "SBF program panicked"
	errUnaligned       syscallError = "Unaligned pointer"
	errTooManySigners  syscallError = "Too many signers"
	errOverlapping     syscallError = "Overlapping copy"
	errTooManySlices   syscallError = "Hashing too many sequences"
	errInvalidLength   syscallError = "InvalidLength"
	errInvalidPointer  syscallError = "Invalid pointer"
	errBadSeedsTooLong syscallError = badSeeds + "Length of the seed is too long for address generation"
	errBadSeedsOnCurve syscallError = badSeeds + "Provided seeds do not result in a valid address"
	badSeeds                        = "Could not create program address with signer seeds: "
)

// Compute units of system calls (Agave execution_budget.rs).
const (
	costSyscallBase    = 100
	costLog64          = 100
	costLogPubkey      = 100
	costProgramAddress = 1500
	costInvoke         = 946
	costHashBase       = 85
	costHashByte       = 1
	costSysvarBase     = 100
	costMemOp          = 10
	bytesPerUnit       = 250
	maxHashSlices      = 20_000
)

// call is a system call. Its function gets the execution and the five registers.
type call struct {
	units uint64 // that it takes before anything else
	run   func(x *execution, a, b, c, d, e uint64) (uint64, error)
}

func (f call) adapt() sbpf.Syscall {
	return func(m *sbpf.Machine, a, b, c, d, e uint64) (uint64, error) {
		x := m.Context.(*execution)
		if err := x.consume(f.units); err != nil {
			return 0, err
		}
		return f.run(x, a, b, c, d, e)
	}
}

// syscalls returns the table by name. If a program calls a cluster's name that this table lacks, it
// faults.
func syscalls(features accounts.Features) map[string]sbpf.Syscall {
	table := map[string]call{
		"abort":                                 {0, callAbort},
		"sol_panic_":                            {0, callPanic},
		"sol_log_":                              {0, callLog},
		"sol_log_64_":                           {costLog64, callLog64},
		"sol_log_pubkey":                        {costLogPubkey, callLogPubkey},
		"sol_log_compute_units_":                {costSyscallBase, callLogUnits},
		"sol_log_data":                          {costSyscallBase, callLogData},
		"sol_memcpy_":                           {0, callMemcpy},
		"sol_memmove_":                          {0, callMemmove},
		"sol_memcmp_":                           {0, callMemcmp},
		"sol_memset_":                           {0, callMemset},
		"sol_sha256":                            {0, hashing("Sha256", sha256.New)},
		"sol_keccak256":                         {0, hashing("Keccak256", sha3.NewLegacyKeccak256)},
		"sol_create_program_address":            {costProgramAddress, callCreateAddress},
		"sol_try_find_program_address":          {costProgramAddress, callFindAddress},
		"sol_get_clock_sysvar":                  {0, sysvar(8, func(e *accounts.Environment) []byte { return e.Clock.Encode() })},
		"sol_get_rent_sysvar":                   {0, sysvar(8, func(e *accounts.Environment) []byte { return append(e.Rent.Encode(), make([]byte, 7)...) })},
		"sol_get_epoch_schedule_sysvar":         {0, sysvar(8, func(e *accounts.Environment) []byte { return e.EpochSchedule.Encode(8) })},
		"sol_get_epoch_rewards_sysvar":          {0, sysvar(16, func(*accounts.Environment) []byte { return make([]byte, 96) })},
		"sol_get_last_restart_slot":             {0, sysvar(8, lastRestartSlot)},
		"sol_get_sysvar":                        {0, callGetSysvar},
		"sol_get_epoch_stake":                   {0, callEpochStake},
		"sol_set_return_data":                   {0, callSetReturnData},
		"sol_get_return_data":                   {costSyscallBase, callGetReturnData},
		"sol_get_stack_height":                  {costSyscallBase, callStackHeight},
		"sol_get_processed_sibling_instruction": {costSyscallBase, callSibling},
		"sol_invoke_signed_c":                   {costInvoke, callInvokeC},
		"sol_invoke_signed_rust":                {costInvoke, callInvokeRust},
		"sol_alloc_free_":                       {0, callAlloc},
	}
	if features.RemainingComputeUnits {
		table["sol_remaining_compute_units"] = call{costSyscallBase, callRemainingUnits}
	}
	out := make(map[string]sbpf.Syscall, len(table))
	for name, f := range table {
		out[name] = f.adapt()
	}
	return out
}

// Translation of program memory. Like Agave, it checks alignment after the access.

func (g *guestMemory) read(addr, n uint64, align uint64) ([]byte, error) {
	return g.translate(addr, n, align, false)
}

func (g *guestMemory) write(addr, n uint64, align uint64) ([]byte, error) {
	return g.translate(addr, n, align, true)
}

func (g *guestMemory) translate(addr, n, align uint64, write bool) ([]byte, error) {
	b, err := g.memory().Slice(addr, n, write)
	if err != nil {
		return nil, err
	}
	if addr%align != 0 {
		return nil, errUnaligned
	}
	return b, nil
}

// readArray translates count elements. An empty array needs no memory.
func (g *guestMemory) readArray(addr, count, size, align uint64) ([]byte, error) {
	return g.array(addr, count, size, align, false)
}

func (g *guestMemory) array(addr, count, size, align uint64, write bool) ([]byte, error) {
	if count == 0 {
		return nil, nil
	}
	total := saturatingMul(count, size)
	if !write && total>>63 != 0 {
		return nil, errInvalidLength
	}
	return g.translate(addr, total, align, write)
}

// bytesAt returns bytes to read, and bytesFor bytes to write.
func (g *guestMemory) bytesAt(addr, n uint64) ([]byte, error)  { return g.array(addr, n, 1, 1, false) }
func (g *guestMemory) bytesFor(addr, n uint64) ([]byte, error) { return g.array(addr, n, 1, 1, true) }

func (g *guestMemory) keyAt(addr uint64) (solana.PublicKey, error) {
	b, err := g.read(addr, 32, 1)
	if err != nil {
		return solana.PublicKey{}, err
	}
	return solana.PublicKeyFromBytes(b), nil
}

func saturatingMul(a, b uint64) uint64 {
	if b != 0 && a > ^uint64(0)/b {
		return ^uint64(0)
	}
	return a * b
}

func saturatingAdd(a, b uint64) uint64 { return a + min(b, ^a) }

func callAbort(*execution, uint64, uint64, uint64, uint64, uint64) (uint64, error) {
	return 0, errAbort
}

func callPanic(x *execution, file, n, line, column, _ uint64) (uint64, error) {
	if err := x.consume(n); err != nil {
		return 0, err
	}
	text, err := x.stringAt(file, n)
	if err != nil {
		return 0, err
	}
	return 0, syscallError(fmt.Sprintf("SBF program Panicked in %s at %d:%d", text, line, column))
}

func callStackHeight(x *execution, _, _, _, _, _ uint64) (uint64, error) {
	return uint64(len(x.stack)), nil
}

func callRemainingUnits(x *execution, _, _, _, _, _ uint64) (uint64, error) {
	return x.meter.Remaining, nil
}

// callEpochStake answers for a chain without stake.
func callEpochStake(x *execution, vote, _, _, _, _ uint64) (uint64, error) {
	if vote == 0 {
		return 0, x.consume(costSyscallBase)
	}
	if err := x.consume(costSyscallBase + 32/bytesPerUnit + costMemOp); err != nil {
		return 0, err
	}
	_, err := x.keyAt(vote)
	return 0, err
}

// callAlloc is the bump allocator of old programs; it never frees.
func callAlloc(x *execution, size, free, _, _, _ uint64) (uint64, error) {
	const align = 8
	m := x.memory()
	start := (m.heapUsed + align - 1) &^ (align - 1)
	end := saturatingAdd(start, size)
	if free != 0 || size > 1<<63-align || end > uint64(x.heapSize) {
		return 0, nil
	}
	m.heapUsed = end
	return sbpf.HeapStart + start, nil
}
