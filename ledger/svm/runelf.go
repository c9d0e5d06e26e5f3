package svm

import (
	"errors"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/sbpf"
)

// programMemory is the part of a running program's memory that its invocations need.
type programMemory struct {
	*sbpf.Memory
	accounts []accountPlace
	heapUsed uint64 // through sol_alloc_free_
}

// space is what one running program takes. The next program uses it again.
type space struct {
	stack [sbpf.StackSize]byte // zero between two programs
	heap  [maxHeap]byte
	input []byte
}

// guestMemory is the memory of the programs on the stack, as the runtime reads and writes it for
// the running one.
type guestMemory struct{ memories []*programMemory } // nil for builtins

// runELF runs the program of the current frame in the virtual machine. Agave: vm.rs execute.
func (x *execution) runELF() error {
	f := x.current()
	program := x.programKey(f)
	code := x.loadProgram(f)
	if code == nil {
		x.log.add("Program is not deployed")
		return failure.Of(failure.UnsupportedProgramId)
	}
	s := x.runtime.spaces.Get().(*space)
	defer x.runtime.spaces.Put(s)
	input, err := x.serialize(f, s.input)
	if err != nil {
		return err
	}
	s.input = input.buffer
	before := x.meter.Remaining
	if err := x.consume(heapCost(x.heapSize)); err != nil {
		x.log.addf("Failed to create SBF VM: %s", err)
		return failure.Of(failure.ProgramEnvironmentSetupFailure)
	}
	status, err := x.runMachine(code, input, s)
	x.log.addf("Program %s consumed %d of %d compute units", program, x.used(before), before)
	if len(x.returnData) > 0 {
		x.log.returned(program, x.returnData)
	}
	if err != nil {
		return x.programFailed(err)
	}
	if status != 0 {
		return failure.OfStatus(status)
	}
	return x.deserialize(f, input)
}

// used returns the units that the virtual machine consumed. The heap is charged before it starts
// and is not part of it.
func (x *execution) used(before uint64) uint64 {
	return saturatingSub(before, heapCost(x.heapSize)) - x.meter.Remaining
}

func saturatingSub(a, b uint64) uint64 { return a - min(a, b) }

// heapCost charges 8 units for every 32 KiB after the first.
func heapCost(size int) uint64 { return uint64((size+32*1024-1)/(32*1024)-1) * 8 }

func (x *execution) loadProgram(f *frame) *sbpf.Program {
	account := &x.accounts[f.program]
	elf, ok := accounts.ProgramELF(account.state, x.source, x.env.Clock.Slot)
	if !ok {
		return nil
	}
	return x.runtime.program(account.key, elf)
}

// runMachine runs the code in the space, and leaves its stack zero.
func (x *execution) runMachine(code *sbpf.Program, input *programInput, s *space) (uint64, error) {
	heap := s.heap[:x.heapSize]
	clear(heap)
	memory := &programMemory{Memory: sbpf.NewMemory(code, s.stack[:], heap, input.buffer), accounts: input.accounts}
	defer memory.ClearStack()
	x.memories[len(x.memories)-1] = memory
	machine := &sbpf.Machine{Memory: memory.Memory, Meter: x.meter, Context: x}
	return machine.Run(code, sbpf.InputStart, input.dataAddr)
}

// programFailed takes the remaining units after a fault, but not after a failed system call
// (deplete_cu_meter_on_vm_failure).
func (x *execution) programFailed(err error) error {
	var call *sbpf.SyscallError
	if errors.As(err, &call) {
		return call.Err
	}
	x.meter.Remaining = 0
	return err
}

// memory returns the memory of the running program.
func (g *guestMemory) memory() *programMemory { return g.memories[len(g.memories)-1] }

// runningProgram returns the address of the program whose instruction is running.
func (x *execution) runningProgram() solana.PublicKey { return x.programKey(x.current()) }
