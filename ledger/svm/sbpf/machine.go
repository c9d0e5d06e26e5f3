package sbpf

// Meter counts the compute units that a transaction has left. Nested runs share one.
type Meter struct{ Remaining uint64 }

// Consume takes n units. If there are fewer, it takes them all and returns false.
func (m *Meter) Consume(n uint64) bool {
	if m.Remaining < n {
		m.Remaining = 0
		return false
	}
	m.Remaining -= n
	return true
}

// frame is the state that an internal call saves.
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

// Run executes the program from its entrypoint with r1 and r2 set, and returns r0.
//
// It takes one compute unit before each instruction. The error is a Fault of the program, or a
// *SyscallError. The meter then holds the units that were left at the failing instruction; the
// embedder must burn them.
func (m *Machine) Run(p *Program, r1, r2 uint64) (uint64, error) {
	var regs [16]uint64
	regs[1], regs[2] = r1, r2
	regs[frameReg] = StackStart + frameSize
	return m.interpret(p, &regs)
}
