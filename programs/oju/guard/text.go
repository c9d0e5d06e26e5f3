package guard

import "encoding/binary"

// frameBytes is the stack of a function. A larger frame overwrites the next function's, because
// sBPF v3 leaves no gap between frames.
const frameBytes = 4096

// Instruction classes, the low three bits of an opcode.
const (
	classLoadImm  = 0
	classLoad     = 1
	classStoreImm = 2
	classStore    = 3
	classALU32    = 4
	classJump     = 5
	classJump32   = 6
	classALU64    = 7
)

// Opcodes with rules of their own.
const (
	opLoadWide = 0x18
	opLE       = 0xd4
	opBE       = 0xdc
	opCall     = 0x85
	opCallReg  = 0x8d
	opExit     = 0x95
	opAddImm   = 0x07
	opMovReg   = 0xbf
	opNegReg   = 0x8f
)

const (
	sourceIsRegister = 0x08
	framePointer     = 10
	callSyscall      = 0
	callInternal     = 1
)

type instruction struct {
	op       byte
	dst, src byte
	off      int16
	imm      int32
}

func (i instruction) class() byte { return i.op & 7 }

func decode(slot []byte) instruction {
	return instruction{
		op:  slot[0],
		dst: slot[1] & 0xf,
		src: slot[1] >> 4,
		off: int16(binary.LittleEndian.Uint16(slot[2:])),
		imm: int32(binary.LittleEndian.Uint32(slot[4:])),
	}
}

// text is the code under check. starts reports for each slot whether an instruction starts there.
// The second slot of a 64-bit load starts none.
type text struct {
	code   []instruction
	starts []bool
	faults *faults
}

// checkText checks every instruction, even unreachable ones.
func checkText(code []byte, entry int, faults *faults) {
	t := &text{faults: faults}
	for at := 0; at < len(code); at += slotBytes {
		t.code = append(t.code, decode(code[at:at+slotBytes]))
		t.starts = append(t.starts, at == 0 || !t.starts[len(t.starts)-1] || t.code[len(t.code)-2].op != opLoadWide)
	}
	if !t.starts[entry] {
		faults.add("the entry is inside an instruction")
	}
	syscalls := syscallHashes()
	for at := range t.code {
		if t.starts[at] {
			t.check(at, syscalls)
		}
	}
}

func (t *text) fault(at int, what string) {
	i := t.code[at]
	t.faults.add("code %#x: opcode %#02x dst r%d src r%d off %d imm %d: %s",
		at*slotBytes, i.op, i.dst, i.src, i.off, i.imm, what)
}

func (t *text) check(at int, syscalls map[uint32]string) {
	i := t.code[at]
	if i.src > framePointer {
		t.fault(at, "no such register")
		return
	}
	switch i.class() {
	case classLoadImm:
		t.checkWide(at)
	case classLoad, classStoreImm, classStore:
		t.checkMemory(at)
	case classALU32:
		t.checkSwap(at)
	case classALU64:
		t.checkArithmetic(at)
	case classJump32:
		t.fault(at, "32-bit jump: built for a CPU newer than v2")
	case classJump:
		t.checkJump(at, syscalls)
	}
}

// checkWide accepts only lddw, with nothing but an immediate in its second slot.
func (t *text) checkWide(at int) {
	i := t.code[at]
	second := instruction{}
	if at+1 < len(t.code) {
		second = t.code[at+1]
		second.imm = 0
	}
	if i.op != opLoadWide || at+1 == len(t.code) || second != (instruction{}) || i.src != 0 || i.off != 0 {
		t.fault(at, "not a 64-bit load")
	}
	t.checkTarget(at)
}

// checkMemory accepts plain loads and stores of 1, 2, 4 and 8 bytes. It refuses sign-extending
// loads and atomics.
func (t *text) checkMemory(at int) {
	i := t.code[at]
	if i.op&0xe0 != 0x60 {
		t.fault(at, "no such access to memory")
		return
	}
	base := i.dst
	if i.class() == classLoad {
		base = i.src
		t.checkTarget(at)
	} else if i.dst > framePointer {
		t.fault(at, "no such register")
	}
	width := [4]int{4, 2, 1, 8}[i.op>>3&3]
	if base == framePointer && (i.off < -frameBytes || int(i.off)+width > 0) {
		t.fault(at, "outside the function's stack frame")
	}
}

// checkSwap accepts byte swaps, the only instructions of the 32-bit class with the same meaning for
// LLVM and sBPF.
func (t *text) checkSwap(at int) {
	i := t.code[at]
	swap := i.op == opLE || i.op == opBE
	if !swap {
		t.fault(at, "32-bit arithmetic: built for a CPU newer than v2, which sBPF miscomputes")
		return
	}
	if i.imm != 16 && i.imm != 32 && i.imm != 64 || i.off != 0 {
		t.fault(at, "no such byte swap")
	}
	t.checkTarget(at)
}

// checkArithmetic accepts add, sub, mul, div, or, and, lsh, rsh, neg, mod, xor, mov and arsh. It
// refuses an offset, which makes them signed for CPU v4, because sBPF ignores it.
func (t *text) checkArithmetic(at int) {
	i := t.code[at]
	t.checkTarget(at)
	if i.op>>4 > 0xc || i.op == opNegReg || i.off != 0 {
		t.fault(at, "no such arithmetic")
	}
	if i.op&sourceIsRegister == 0 {
		t.checkImmediate(at)
	}
}

func (t *text) checkImmediate(at int) {
	i := t.code[at]
	switch i.op >> 4 {
	case 0x3, 0x9:
		if i.imm == 0 {
			t.fault(at, "division by zero")
		}
	case 0x6, 0x7, 0xc:
		if i.imm < 0 || i.imm > 63 {
			t.fault(at, "shift out of range")
		}
	}
	copied := at > 0 && t.starts[at-1] && t.code[at-1].op == opMovReg &&
		t.code[at-1].src == framePointer && t.code[at-1].dst == i.dst
	if i.op == opAddImm && copied && (i.imm < -frameBytes || i.imm > 0) {
		t.fault(at, "address outside the function's stack frame")
	}
}

func (t *text) checkTarget(at int) {
	if t.code[at].dst >= framePointer {
		t.fault(at, "writes to a register that is read-only")
	}
}

func (t *text) checkJump(at int, syscalls map[uint32]string) {
	i := t.code[at]
	switch {
	case i.op == opExit:
	case i.op == opCallReg:
		t.checkTarget(at)
	case i.op == opCall:
		t.checkCall(at, syscalls)
	case i.op>>4 > 0xd || i.op>>4 == 0x8 || i.op>>4 == 0x9 || i.op == 0x0d:
		t.fault(at, "no such jump")
	case i.dst > framePointer:
		t.fault(at, "no such register")
	case !t.isStart(at + 1 + int(i.off)):
		t.fault(at, "jump out of the code or into an instruction")
	}
}

func (t *text) checkCall(at int, syscalls map[uint32]string) {
	i := t.code[at]
	switch i.src {
	case callSyscall:
		if syscalls[uint32(i.imm)] == "" {
			t.fault(at, "a syscall that the embedded chain does not serve")
		}
	case callInternal:
		if !t.isStart(at + 1 + int(i.imm)) {
			t.fault(at, "call out of the code or into an instruction")
		}
	default:
		t.fault(at, "no such call")
	}
}

func (t *text) isStart(at int) bool {
	return at >= 0 && at < len(t.starts) && t.starts[at]
}
