package svm

import (
	"errors"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/precompile"
	"ojud/ledger/svm/sbpf"
)

// execution is a running transaction. Agave calls it the invoke context.
type execution struct {
	*txContext
	runtime  *Runtime
	env      *accounts.Environment
	source   accounts.Snapshot
	meter    *sbpf.Meter
	log      *logCollector
	heapSize int
	guestMemory
}

// consume takes compute units. It fails with Agave's error if there are too few.
func (x *execution) consume(units uint64) error {
	if !x.meter.Consume(units) {
		return failure.Of(failure.ComputationalBudgetExceeded)
	}
	return nil
}

// process runs the next instruction, top-level or prepared by an invocation.
func (x *execution) process() error {
	if err := x.enter(); err != nil {
		return err
	}
	err := x.runProgram()
	if popErr := x.leave(); err == nil {
		err = popErr
	}
	return err
}

func (x *execution) enter() error {
	if err := x.checkReentrancy(); err != nil {
		return err
	}
	if err := x.push(); err != nil {
		return err
	}
	x.memories = append(x.memories, nil)
	return nil
}

func (x *execution) leave() error {
	x.memories = x.memories[:len(x.memories)-1]
	return x.pop()
}

// checkReentrancy refuses a call of a program that is on the stack, unless it calls itself.
func (x *execution) checkReentrancy() error {
	if len(x.stack) == 0 {
		return nil
	}
	key := x.programKey(x.next())
	if x.programKey(x.current()) == key {
		return nil
	}
	for _, i := range x.stack {
		if x.programKey(x.trace[i]) == key {
			return failure.Of(failure.ReentrancyNotAllowed)
		}
	}
	return nil
}

// runProgram runs the program of the current frame and writes the lines around it.
func (x *execution) runProgram() error {
	f := x.current()
	program := x.programKey(f)
	owner := x.accounts[f.program].state.Owner
	entry := x.entrypoint(program, owner)
	if entry == nil {
		return failure.Of(failure.UnsupportedProgramId)
	}
	x.setReturnData(program, nil)
	x.log.invoke(program, len(x.stack))
	before := x.meter.Remaining
	if err := entry(x); err != nil {
		x.log.failure(program, unwrapSyscall(err))
		var known failure.InstructionError
		if errors.As(err, &known) {
			return known
		}
		return failure.Of(failure.ProgramFailedToComplete)
	}
	x.log.success(program)
	if owner == accounts.NativeLoaderID && before == x.meter.Remaining {
		return failure.Of(failure.BuiltinProgramsMustConsumeComputeUnits)
	}
	return nil
}

// unwrapSyscall removes the virtual machine's wrapper from a system call's error.
func unwrapSyscall(err error) error {
	var call *sbpf.SyscallError
	if errors.As(err, &call) {
		return call.Err
	}
	return err
}

// entrypoint picks the code to run: a builtin, or the virtual machine for accounts owned by a
// loader.
func (x *execution) entrypoint(program, owner solana.PublicKey) func(*execution) error {
	if owner != accounts.NativeLoaderID {
		if owner == accounts.LoaderV2ID || owner == accounts.LoaderV3ID {
			return (*execution).runELF
		}
		return nil
	}
	switch program {
	case accounts.SystemID:
		return runSystem
	case accounts.ComputeBudgetID:
		return func(x *execution) error { return x.consume(computeBudgetUnits) }
	case accounts.LoaderV2ID:
		return refuseManagement
	case accounts.LoaderV3ID:
		return runLoader
	}
	return nil
}

func refuseManagement(x *execution) error {
	if err := x.consume(loaderV2Units); err != nil {
		return err
	}
	x.log.add("BPF loader management instructions are no longer supported")
	return failure.Of(failure.UnsupportedProgramId)
}

// precompile verifies an instruction of the runtime's own signature programs.
func (x *execution) runPrecompile(program solana.PublicKey, data []byte, all [][]byte) error {
	if err := x.enter(); err != nil {
		return err
	}
	err := error(failure.InstructionError{Code: failure.UnsupportedProgramId})
	if program == accounts.Ed25519ID {
		err = precompile.Ed25519(data, all)
	}
	if popErr := x.leave(); err == nil {
		err = popErr
	}
	return err
}
