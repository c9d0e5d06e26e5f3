package svm

import (
	"errors"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/sbpf"
)

// execution is a running transaction. Agave calls it the invoke context.
type execution struct {
	*txContext
	runtime  *Runtime
	env      *Environment
	source   Source
	meter    *sbpf.Meter
	log      *logCollector
	heapSize int
	memories []*programMemory // of the programs on the stack, nil for builtins
}

// consume takes compute units. It fails with Agave's error if there are too few.
func (x *execution) consume(units uint64) error {
	if !x.meter.Consume(units) {
		return fail(ComputationalBudgetExceeded)
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
			return fail(ReentrancyNotAllowed)
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
		return fail(UnsupportedProgramId)
	}
	x.setReturnData(program, nil)
	x.log.invoke(program, len(x.stack))
	before := x.meter.Remaining
	if err := entry(x); err != nil {
		x.log.failure(program, unwrapSyscall(err))
		var known InstructionError
		if errors.As(err, &known) {
			return known
		}
		return fail(ProgramFailedToComplete)
	}
	x.log.success(program)
	if owner == nativeLoaderID && before == x.meter.Remaining {
		return fail(BuiltinProgramsMustConsumeComputeUnits)
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
	if owner != nativeLoaderID {
		if owner == loaderV2ID || owner == loaderV3ID {
			return (*execution).runELF
		}
		return nil
	}
	switch program {
	case systemID:
		return runSystem
	case computeBudgetID:
		return func(x *execution) error { return x.consume(computeBudgetUnits) }
	case loaderV2ID:
		return func(x *execution) error {
			return x.refuseManagement(loaderV2Units, "BPF loader management instructions are no longer supported")
		}
	case loaderV3ID:
		return func(x *execution) error {
			return x.refuseManagement(loaderV3Units, "Upgradeable loader management instructions are not supported")
		}
	}
	return nil
}

func (x *execution) refuseManagement(units uint64, text string) error {
	if err := x.consume(units); err != nil {
		return err
	}
	x.log.add(text)
	return fail(UnsupportedProgramId)
}

// precompile verifies an instruction of the runtime's own signature programs.
func (x *execution) precompile(program solana.PublicKey, data []byte, all [][]byte) error {
	if err := x.enter(); err != nil {
		return err
	}
	err := error(InstructionError{Code: UnsupportedProgramId})
	if program == ed25519ID {
		err = verifyEd25519(data, all)
	}
	if popErr := x.leave(); err == nil {
		err = popErr
	}
	return err
}
