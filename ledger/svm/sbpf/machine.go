package sbpf

// Meter counts the compute units a transaction has left; nested runs share one.
type Meter struct{ Remaining uint64 }

// Consume takes n units. It takes all that is left and reports false when there are fewer.
func (m *Meter) Consume(n uint64) bool {
	if m.Remaining < n {
		m.Remaining = 0
		return false
	}
	m.Remaining -= n
	return true
}

// frame is what an internal call saves.
type frame struct {
	saved [savedRegs]uint64
	fp    uint64
	ret   int
}

// Machine runs one program once. Context is the embedder's own; system calls find it here.
type Machine struct {
	Memory  *Memory
	Meter   *Meter
	Context any

	frames [maxCallDepth]frame
}

// Run executes the program from its entrypoint with r1 and r2 set and returns r0.
//
// One compute unit is taken per instruction before it executes. The error is a Fault of the
// program, or a *SyscallError. The meter then holds what was left at the failing instruction;
// burning the rest is the embedder's.
func (m *Machine) Run(p *Program, r1, r2 uint64) (uint64, error) {
	var regs [16]uint64
	regs[1], regs[2] = r1, r2
	regs[frameReg] = StackStart + frameSize
	return m.interpret(p, &regs)
}
