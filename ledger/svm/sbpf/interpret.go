package sbpf

import (
	"encoding/binary"
	"math/bits"
)

// interpret is the instruction loop. The opcodes are written out (class, operation, source),
// because a dense switch makes it fast. Agave: sbpf interpreter.rs. The sign extension of 32-bit
// add, sub and mul is intended.
func (m *Machine) interpret(p *Program, r *[16]uint64) (uint64, error) {
	var (
		code  = p.code
		mem   = m.Memory
		left  = m.Meter.Remaining
		depth = 0
		pc    int
		step  = uint64(frameSize)
		fault error
	)
	if p.version == V0 {
		step *= 2
	}
	pc = p.entry
	for {
		if left == 0 {
			fault = FaultExceededInstructions
			break
		}
		left--
		if uint(pc) >= uint(len(code)) {
			fault = FaultExecutionOverrun
			break
		}
		in := &code[pc]
		pc++
		d, s, imm := in.dst&15, in.src&15, uint64(in.imm)
		switch in.op {
		case opLddw:
			r[d] = imm
			pc++

		case 0x71:
			addr := r[s] + uint64(int64(in.off))
			b := mem.view(addr, 1)
			if b == nil {
				b = mem.viewSlow(addr, 1, false)
			}
			if b != nil {
				r[d] = uint64(b[0])
				continue
			}
			fault = mem.violation(addr, 1, false)
		case 0x69:
			addr := r[s] + uint64(int64(in.off))
			b := mem.view(addr, 2)
			if b == nil {
				b = mem.viewSlow(addr, 2, false)
			}
			if b != nil {
				r[d] = uint64(binary.LittleEndian.Uint16(b))
				continue
			}
			fault = mem.violation(addr, 2, false)
		case 0x61:
			addr := r[s] + uint64(int64(in.off))
			b := mem.view(addr, 4)
			if b == nil {
				b = mem.viewSlow(addr, 4, false)
			}
			if b != nil {
				r[d] = uint64(binary.LittleEndian.Uint32(b))
				continue
			}
			fault = mem.violation(addr, 4, false)
		case 0x79:
			addr := r[s] + uint64(int64(in.off))
			b := mem.view(addr, 8)
			if b == nil {
				b = mem.viewSlow(addr, 8, false)
			}
			if b != nil {
				r[d] = binary.LittleEndian.Uint64(b)
				continue
			}
			fault = mem.violation(addr, 8, false)

		case 0x72, 0x73:
			value, addr := imm, r[d]+uint64(int64(in.off))
			if in.op == 0x73 {
				value = r[s]
			}
			b := mem.viewWrite(addr, 1)
			if b == nil {
				b = mem.viewSlow(addr, 1, true)
			}
			if b != nil {
				b[0] = byte(value)
				continue
			}
			fault = mem.violation(addr, 1, true)
		case 0x6a, 0x6b:
			value, addr := imm, r[d]+uint64(int64(in.off))
			if in.op == 0x6b {
				value = r[s]
			}
			b := mem.viewWrite(addr, 2)
			if b == nil {
				b = mem.viewSlow(addr, 2, true)
			}
			if b != nil {
				binary.LittleEndian.PutUint16(b, uint16(value))
				continue
			}
			fault = mem.violation(addr, 2, true)
		case 0x62, 0x63:
			value, addr := imm, r[d]+uint64(int64(in.off))
			if in.op == 0x63 {
				value = r[s]
			}
			b := mem.viewWrite(addr, 4)
			if b == nil {
				b = mem.viewSlow(addr, 4, true)
			}
			if b != nil {
				binary.LittleEndian.PutUint32(b, uint32(value))
				continue
			}
			fault = mem.violation(addr, 4, true)
		case 0x7a, 0x7b:
			value, addr := imm, r[d]+uint64(int64(in.off))
			if in.op == 0x7b {
				value = r[s]
			}
			b := mem.viewWrite(addr, 8)
			if b == nil {
				b = mem.viewSlow(addr, 8, true)
			}
			if b != nil {
				binary.LittleEndian.PutUint64(b, value)
				continue
			}
			fault = mem.violation(addr, 8, true)

		case 0x04:
			r[d] = uint64(int64(int32(r[d]) + int32(imm)))
		case 0x0c:
			r[d] = uint64(int64(int32(r[d]) + int32(r[s])))
		case 0x14:
			r[d] = uint64(int64(int32(r[d]) - int32(imm)))
		case 0x1c:
			r[d] = uint64(int64(int32(r[d]) - int32(r[s])))
		case 0x24:
			r[d] = uint64(int64(int32(r[d]) * int32(imm)))
		case 0x2c:
			r[d] = uint64(int64(int32(r[d]) * int32(r[s])))
		case 0x34:
			r[d] = uint64(uint32(r[d]) / uint32(imm))
		case 0x3c:
			if uint32(r[s]) == 0 {
				fault = FaultDivideByZero
				break
			}
			r[d] = uint64(uint32(r[d]) / uint32(r[s]))
		case 0x44:
			r[d] = uint64(uint32(r[d]) | uint32(imm))
		case 0x4c:
			r[d] = uint64(uint32(r[d]) | uint32(r[s]))
		case 0x54:
			r[d] = uint64(uint32(r[d]) & uint32(imm))
		case 0x5c:
			r[d] = uint64(uint32(r[d]) & uint32(r[s]))
		case 0x64:
			r[d] = uint64(uint32(r[d]) << (imm & 31))
		case 0x6c:
			r[d] = uint64(uint32(r[d]) << (r[s] & 31))
		case 0x74:
			r[d] = uint64(uint32(r[d]) >> (imm & 31))
		case 0x7c:
			r[d] = uint64(uint32(r[d]) >> (r[s] & 31))
		case 0x84:
			r[d] = uint64(-uint32(r[d]))
		case 0x94:
			r[d] = uint64(uint32(r[d]) % uint32(imm))
		case 0x9c:
			if uint32(r[s]) == 0 {
				fault = FaultDivideByZero
				break
			}
			r[d] = uint64(uint32(r[d]) % uint32(r[s]))
		case 0xa4:
			r[d] = uint64(uint32(r[d]) ^ uint32(imm))
		case 0xac:
			r[d] = uint64(uint32(r[d]) ^ uint32(r[s]))
		case 0xb4:
			r[d] = uint64(uint32(imm))
		case 0xbc:
			r[d] = uint64(uint32(r[s]))
		case 0xc4:
			r[d] = uint64(uint32(int32(r[d]) >> (imm & 31)))
		case 0xcc:
			r[d] = uint64(uint32(int32(r[d]) >> (r[s] & 31)))
		case opLe:
			r[d] = truncate(r[d], imm)
		case opBe:
			r[d] = truncate(bits.ReverseBytes64(r[d])>>(64-imm), imm)

		case 0x07:
			r[d] += imm
		case 0x0f:
			r[d] += r[s]
		case 0x17:
			r[d] -= imm
		case 0x1f:
			r[d] -= r[s]
		case 0x27:
			r[d] *= imm
		case 0x2f:
			r[d] *= r[s]
		case 0x37:
			r[d] /= imm
		case 0x3f:
			if r[s] == 0 {
				fault = FaultDivideByZero
				break
			}
			r[d] /= r[s]
		case 0x47:
			r[d] |= imm
		case 0x4f:
			r[d] |= r[s]
		case 0x57:
			r[d] &= imm
		case 0x5f:
			r[d] &= r[s]
		case 0x67:
			r[d] <<= imm & 63
		case 0x6f:
			r[d] <<= r[s] & 63
		case 0x77:
			r[d] >>= imm & 63
		case 0x7f:
			r[d] >>= r[s] & 63
		case 0x87:
			r[d] = -r[d]
		case 0x97:
			r[d] %= imm
		case 0x9f:
			if r[s] == 0 {
				fault = FaultDivideByZero
				break
			}
			r[d] %= r[s]
		case 0xa7:
			r[d] ^= imm
		case 0xaf:
			r[d] ^= r[s]
		case 0xb7:
			r[d] = imm
		case 0xbf:
			r[d] = r[s]
		case 0xc7:
			r[d] = uint64(int64(r[d]) >> (imm & 63))
		case 0xcf:
			r[d] = uint64(int64(r[d]) >> (r[s] & 63))

		case opJa:
			pc = int(in.off)
		case 0x15, 0x1d, 0x25, 0x2d, 0x35, 0x3d, 0x45, 0x4d, 0x55, 0x5d, 0x65, 0x6d, 0x75, 0x7d,
			0xa5, 0xad, 0xb5, 0xbd, 0xc5, 0xcd, 0xd5, 0xdd:
			b := imm
			if in.op&8 != 0 {
				b = r[s]
			}
			if taken(in.op, r[d], b) {
				pc = int(in.off)
			}
		case 0x16, 0x1e, 0x26, 0x2e, 0x36, 0x3e, 0x46, 0x4e, 0x56, 0x5e, 0x66, 0x6e, 0x76, 0x7e,
			0xa6, 0xae, 0xb6, 0xbe, 0xc6, 0xce, 0xd6, 0xde:
			b := imm
			if in.op&8 != 0 {
				b = r[s]
			}
			// Sign-extending both sides keeps every comparison of the low 32 bits, signed and
			// unsigned.
			if taken(in.op, uint64(int64(int32(r[d]))), uint64(int64(int32(b)))) {
				pc = int(in.off)
			}

		case opSyscall:
			m.Meter.Remaining = left
			value, err := p.env.calls[in.off](m, r[1], r[2], r[3], r[4], r[5])
			if err != nil {
				return 0, &SyscallError{err}
			}
			left = m.Meter.Remaining
			r[0] = value
		case opInternal, opCalx:
			target := int(in.off)
			if in.op == opCalx {
				target = int((r[d] - p.textAddr) / insnSize)
			}
			if depth == maxCallDepth-1 {
				fault = FaultCallDepthExceeded
				break
			}
			m.push(depth, r, pc)
			depth++
			r[frameReg] += step
			if uint(target) >= uint(len(code)) {
				fault = FaultCallOutsideText
				break
			}
			pc = target
		case opExit:
			if depth == 0 {
				m.Meter.Remaining = left
				return r[0], nil
			}
			depth--
			pc = m.pop(depth, r)
		default:
			fault = FaultUnsupportedInstruction
		}
		if fault != nil {
			break
		}
	}
	m.Meter.Remaining = left
	return 0, fault
}

func (m *Machine) push(depth int, r *[16]uint64, ret int) {
	f := &m.frames[depth]
	copy(f.saved[:], r[firstSaved:firstSaved+savedRegs])
	f.fp, f.ret = r[frameReg], ret
}

func (m *Machine) pop(depth int, r *[16]uint64) int {
	f := &m.frames[depth]
	copy(r[firstSaved:firstSaved+savedRegs], f.saved[:])
	r[frameReg] = f.fp
	return f.ret
}

func truncate(v, bits uint64) uint64 {
	switch bits {
	case 16:
		return uint64(uint16(v))
	case 32:
		return uint64(uint32(v))
	}
	return v
}

// taken decides a conditional jump by the operation in the upper half of its opcode.
func taken(op uint8, a, b uint64) bool {
	switch op >> 4 {
	case 0x1:
		return a == b
	case 0x2:
		return a > b
	case 0x3:
		return a >= b
	case 0x4:
		return a&b != 0
	case 0x5:
		return a != b
	case 0x6:
		return int64(a) > int64(b)
	case 0x7:
		return int64(a) >= int64(b)
	case 0xa:
		return a < b
	case 0xb:
		return a <= b
	case 0xc:
		return int64(a) < int64(b)
	default:
		return int64(a) <= int64(b)
	}
}
