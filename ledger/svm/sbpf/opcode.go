package sbpf

// Instruction classes, sizes and sources. An opcode is their sum (Agave sbpf ebpf.rs).
const (
	opLddw = 0x18
	opLe   = 0xd4
	opBe   = 0xdc
	opJa   = 0x05
	opCall = 0x85
	opCalx = 0x8d
	opExit = 0x95

	// Our own codes for calls that are resolved at load. No verified text has them.
	opSyscall  = 0xe5
	opInternal = 0xf5

	classMask  = 0x07
	classLdx   = 1
	classSt    = 2
	classStx   = 3
	classAlu32 = 4
	classJmp64 = 5
	classJmp32 = 6
	classAlu64 = 7

	insnSize     = 8
	frameReg     = 10
	firstSaved   = 6
	savedRegs    = 4
	maxCallDepth = 64
	frameSize    = 4096
)

// insn is a decoded instruction. off is the target instruction of a jump or internal call, and the
// index of a system call. A lddw has its whole constant in imm.
type insn struct {
	op, dst, src uint8
	off          int32
	imm          int64
}
