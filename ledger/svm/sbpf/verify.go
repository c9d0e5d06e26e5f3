package sbpf

import "fmt"

// verify applies Agave's RequisiteVerifier: known opcodes, registers, jumps, shifts, divisors.
func verify(text []byte, version Version) error {
	if len(text)%insnSize != 0 {
		return verifierError("program length must be a multiple of 8 octets")
	}
	if len(text) == 0 {
		return verifierError("no program set, call prog_set() to load one")
	}
	v := verifier{text: text, version: version, count: len(text) / insnSize}
	for pc := 0; pc < v.count; pc++ {
		skip, err := v.check(pc)
		if err != nil {
			return err
		}
		pc += skip
	}
	return nil
}

type verifier struct {
	text    []byte
	version Version
	count   int
}

func (v *verifier) at(pc int) insn {
	b := v.text[pc*insnSize:]
	return insn{
		op: b[0], dst: b[1] & 15, src: b[1] >> 4,
		off: int32(int16(uint16(b[2]) | uint16(b[3])<<8)), imm: int64(int32(u32(b[4:]))),
	}
}

// check verifies one instruction and returns the number of further slots that it fills.
func (v *verifier) check(pc int) (skip int, err error) {
	in := v.at(pc)
	store := false
	reported := pc
	switch in.op & classMask {
	case classLdx, classSt, classStx:
		store = in.op&classMask != classLdx
		err = v.checkMemory(in, pc)
	case classAlu32, classAlu64:
		err = v.checkALU(in, pc)
	case classJmp64, classJmp32:
		err = v.checkJump(in, pc)
	default:
		skip, err = v.checkLddw(in, pc)
		reported += skip
	}
	if err != nil {
		return 0, err
	}
	return skip, checkRegisters(in, store, reported)
}

func unknownOpcode(in insn, pc int) error {
	return verifierError(fmt.Sprintf("unknown eBPF opcode %#x (insn #%d)", in.op, pc))
}

func (v *verifier) checkLddw(in insn, pc int) (int, error) {
	switch {
	case in.op != opLddw:
		return 0, unknownOpcode(in, pc)
	case pc+1 >= v.count:
		return 0, verifierError("LD_DW instruction cannot be last in program")
	case v.at(pc+1).op != 0:
		return 0, verifierError(fmt.Sprintf("incomplete LD_DW instruction (insn #%d)", pc))
	}
	return 1, nil
}

// checkMemory accepts ldx, st and stx of 1, 2, 4 and 8 bytes.
func (v *verifier) checkMemory(in insn, pc int) error {
	switch in.op &^ classMask {
	case 0x60, 0x68, 0x70, 0x78:
		return nil
	}
	return unknownOpcode(in, pc)
}

func (v *verifier) checkALU(in insn, pc int) error {
	wide := in.op&classMask == classAlu64
	register := in.op&0x08 != 0
	switch in.op & 0xf0 {
	case 0x30, 0x90: // div, mod
		if !register && in.imm == 0 {
			return verifierError(fmt.Sprintf("division by 0 (insn #%d)", pc))
		}
	case 0x60, 0x70, 0xc0: // lsh, rsh, arsh
		if !register {
			return checkShift(in, pc, wide)
		}
	case 0x80: // neg
		if register {
			return unknownOpcode(in, pc)
		}
	case 0xd0: // le, be
		if wide {
			return unknownOpcode(in, pc)
		}
		if in.imm != 16 && in.imm != 32 && in.imm != 64 {
			return verifierError(fmt.Sprintf("unsupported argument for LE/BE (insn #%d)", pc))
		}
	case 0xe0, 0xf0:
		return unknownOpcode(in, pc)
	}
	return nil
}

func checkShift(in insn, pc int, wide bool) error {
	bits := int64(32)
	if wide {
		bits = 64
	}
	if in.imm < 0 || in.imm >= bits {
		return verifierError(fmt.Sprintf("Shift with overflow of %d-bit value by %d (insn #%d)", uint64(in.imm), bits, pc))
	}
	return nil
}

func (v *verifier) checkJump(in insn, pc int) error {
	short := in.op&classMask == classJmp32
	switch in.op {
	case opCall, opExit:
		return nil
	case opCalx:
		return v.checkCallx(in, pc)
	}
	switch in.op & 0xf0 {
	case 0x00:
		if in.op != opJa {
			return unknownOpcode(in, pc)
		}
	case 0x80, 0x90, 0xe0, 0xf0:
		return unknownOpcode(in, pc)
	}
	if short && v.version != V3 {
		return unknownOpcode(in, pc)
	}
	return v.checkTarget(in, pc)
}

func (v *verifier) checkTarget(in insn, pc int) error {
	target := pc + 1 + int(in.off)
	if target < 0 || target >= v.count {
		return verifierError(fmt.Sprintf("jump out of code to #%d (insn #%d)", uint64(target), pc))
	}
	if v.at(target).op == 0 {
		return verifierError(fmt.Sprintf("jump to middle of LD_DW at #%d (insn #%d)", target, pc))
	}
	return nil
}

func (v *verifier) checkCallx(in insn, pc int) error {
	register := in.imm
	if v.version == V3 {
		register = int64(in.dst)
	}
	if register < 0 || register > 9 {
		return verifierError(fmt.Sprintf("Invalid register specified at instruction %d", pc))
	}
	return nil
}

func checkRegisters(in insn, store bool, pc int) error {
	switch {
	case in.src > frameReg:
		return verifierError(fmt.Sprintf("invalid source register (insn #%d)", pc))
	case in.dst < frameReg || in.dst == frameReg && store:
		return nil
	case in.dst == frameReg:
		return verifierError(fmt.Sprintf("cannot write into register r10 (insn #%d)", pc))
	}
	return verifierError(fmt.Sprintf("invalid destination register (insn #%d)", pc))
}
