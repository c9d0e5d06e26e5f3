package svm

import (
	"fmt"

	"github.com/gagliardetto/solana-go"

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

// call is the signature of the system calls below: the execution and the five registers.
type call func(x *execution, a, b, c, d, e uint64) (uint64, error)

func adapt(f call) sbpf.Syscall {
	return func(m *sbpf.Machine, a, b, c, d, e uint64) (uint64, error) {
		return f(m.Context.(*execution), a, b, c, d, e)
	}
}

// syscalls returns the table by name. If a program calls a cluster's name that this table lacks, it
// faults.
func syscalls(features Features) map[string]sbpf.Syscall {
	table := map[string]call{
		"abort":                                 callAbort,
		"sol_panic_":                            callPanic,
		"sol_log_":                              callLog,
		"sol_log_64_":                           callLog64,
		"sol_log_pubkey":                        callLogPubkey,
		"sol_log_compute_units_":                callLogUnits,
		"sol_log_data":                          callLogData,
		"sol_memcpy_":                           callMemcpy,
		"sol_memmove_":                          callMemmove,
		"sol_memcmp_":                           callMemcmp,
		"sol_memset_":                           callMemset,
		"sol_sha256":                            callSha256,
		"sol_keccak256":                         callKeccak256,
		"sol_create_program_address":            callCreateAddress,
		"sol_try_find_program_address":          callFindAddress,
		"sol_get_clock_sysvar":                  callClock,
		"sol_get_rent_sysvar":                   callRent,
		"sol_get_epoch_schedule_sysvar":         callEpochSchedule,
		"sol_get_epoch_rewards_sysvar":          callEpochRewards,
		"sol_get_last_restart_slot":             callLastRestartSlot,
		"sol_get_sysvar":                        callGetSysvar,
		"sol_get_epoch_stake":                   callEpochStake,
		"sol_set_return_data":                   callSetReturnData,
		"sol_get_return_data":                   callGetReturnData,
		"sol_get_stack_height":                  callStackHeight,
		"sol_get_processed_sibling_instruction": callSibling,
		"sol_invoke_signed_c":                   callInvokeC,
		"sol_invoke_signed_rust":                callInvokeRust,
		"sol_alloc_free_":                       callAlloc,
	}
	if features.RemainingComputeUnits {
		table["sol_remaining_compute_units"] = callRemainingUnits
	}
	out := make(map[string]sbpf.Syscall, len(table))
	for name, f := range table {
		out[name] = adapt(f)
	}
	return out
}

// Translation of program memory. Like Agave, it checks alignment after the access.

func (x *execution) read(addr, n uint64, align uint64) ([]byte, error) {
	return x.translate(addr, n, align, false)
}

func (x *execution) write(addr, n uint64, align uint64) ([]byte, error) {
	return x.translate(addr, n, align, true)
}

func (x *execution) translate(addr, n, align uint64, write bool) ([]byte, error) {
	b, err := x.memory().Slice(addr, n, write)
	if err != nil {
		return nil, err
	}
	if addr%align != 0 {
		return nil, errUnaligned
	}
	return b, nil
}

// readArray translates count elements. An empty array needs no memory.
func (x *execution) readArray(addr, count, size, align uint64) ([]byte, error) {
	return x.array(addr, count, size, align, false)
}

func (x *execution) array(addr, count, size, align uint64, write bool) ([]byte, error) {
	if count == 0 {
		return nil, nil
	}
	total := saturatingMul(count, size)
	if !write && total>>63 != 0 {
		return nil, errInvalidLength
	}
	return x.translate(addr, total, align, write)
}

// bytesAt returns bytes to read, and bytesFor bytes to write.
func (x *execution) bytesAt(addr, n uint64) ([]byte, error)  { return x.array(addr, n, 1, 1, false) }
func (x *execution) bytesFor(addr, n uint64) ([]byte, error) { return x.array(addr, n, 1, 1, true) }

func (x *execution) keyAt(addr uint64) (solana.PublicKey, error) {
	b, err := x.read(addr, 32, 1)
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

func saturatingAdd(a, b uint64) uint64 {
	if a > ^uint64(0)-b {
		return ^uint64(0)
	}
	return a + b
}

func errPanic(file string, line, column uint64) error {
	return syscallError(fmt.Sprintf("SBF program Panicked in %s at %d:%d", file, line, column))
}

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
	return 0, errPanic(text, line, column)
}

func callStackHeight(x *execution, _, _, _, _, _ uint64) (uint64, error) {
	return uint64(len(x.stack)), x.consume(costSyscallBase)
}

func callRemainingUnits(x *execution, _, _, _, _, _ uint64) (uint64, error) {
	err := x.consume(costSyscallBase)
	return x.meter.Remaining, err
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
