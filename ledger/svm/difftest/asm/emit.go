package asm

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ojud/ledger/svm/sbpf"
)

// Operations by name; the value is the upper half of the opcode.
var (
	aluOps = map[string]byte{
		"add": 0x00, "sub": 0x10, "mul": 0x20, "div": 0x30, "or": 0x40, "and": 0x50, "lsh": 0x60, "rsh": 0x70,
		"neg": 0x80, "mod": 0x90, "xor": 0xa0, "mov": 0xb0, "arsh": 0xc0,
	}
	jumpOps = map[string]byte{
		"jeq": 0x10, "jgt": 0x20, "jge": 0x30, "jset": 0x40, "jne": 0x50, "jsgt": 0x60, "jsge": 0x70,
		"jlt": 0xa0, "jle": 0xb0, "jslt": 0xc0, "jsle": 0xd0,
	}
	sizes = map[string]byte{"b": 0x70, "h": 0x68, "w": 0x60, "dw": 0x78}
)

func (a *assembler) emit(s statement) error {
	switch s.op {
	case "exit":
		a.put(0x95, 0, 0, 0, 0)
		return nil
	case "ja":
		return a.jump(0x05, 0, 0, 0, s.args[0])
	case "call":
		return a.call(s.args[0])
	case "callx":
		return a.callx(s.args[0])
	case "lddw":
		return a.lddw(s.args)
	}
	for _, prefix := range []string{"stx", "ldx", "st", "le", "be"} {
		if rest, ok := strings.CutPrefix(s.op, prefix); ok {
			return a.access(prefix, rest, s.args)
		}
	}
	if base, ok := strings.CutSuffix(s.op, "32"); ok {
		return a.operate(base, 0x04, 0x06, s.args)
	}
	return a.operate(strings.TrimSuffix(s.op, "64"), 0x07, 0x05, s.args)
}

// operate emits an ALU operation or a conditional jump.
func (a *assembler) operate(name string, alu, jump byte, args []string) error {
	if op, ok := jumpOps[name]; ok && len(args) == 3 {
		dst, err := register(args[0])
		if err != nil {
			return err
		}
		if src, err := register(args[1]); err == nil {
			return a.jump(op|jump|8, dst, src, 0, args[2])
		}
		imm, err := constant(args[1])
		if err != nil {
			return err
		}
		return a.jump(op|jump, dst, 0, imm, args[2])
	}
	op, ok := aluOps[name]
	if !ok || len(args) == 0 {
		return fmt.Errorf("unknown instruction")
	}
	dst, err := register(args[0])
	if err != nil {
		return err
	}
	if len(args) == 1 {
		a.put(op|alu, dst, 0, 0, 0)
		return nil
	}
	if src, err := register(args[1]); err == nil {
		a.put(op|alu|8, dst, src, 0, 0)
		return nil
	}
	imm, err := constant(args[1])
	a.put(op|alu, dst, 0, 0, imm)
	return err
}

// jump emits a jump to a label or, with +n, over n instructions.
func (a *assembler) jump(op, dst, src byte, imm int32, label string) error {
	if over, ok := strings.CutPrefix(label, "+"); ok {
		off, err := strconv.ParseInt(over, 10, 16)
		a.put(op, dst, src, int16(off), imm)
		return err
	}
	target, ok := a.labels[label]
	if !ok {
		return fmt.Errorf("no label %s", label)
	}
	a.put(op, dst, src, int16(target-a.pc()-1), imm)
	return nil
}

func (a *assembler) call(name string) error {
	if target, ok := a.labels[name]; ok {
		src := byte(0)
		if a.version == sbpf.V3 {
			src = 1
		}
		a.put(0x85, 0, src, 0, int32(target-a.pc()-1))
		return nil
	}
	a.image.Calls[a.pc()] = name
	a.put(0x85, 0, 0, 0, 0)
	return nil
}

func (a *assembler) callx(arg string) error {
	r, err := register(arg)
	if a.version == sbpf.V3 {
		a.put(0x8d, r, 0, 0, 0)
	} else {
		a.put(0x8d, 0, 0, 0, int32(r))
	}
	return err
}

func (a *assembler) lddw(args []string) error {
	dst, err := register(args[0])
	if err != nil {
		return err
	}
	var value uint64
	if name, ok := strings.CutPrefix(args[1], "&"); ok {
		offset, known := a.data[name]
		if !known {
			return fmt.Errorf("no data %s", name)
		}
		a.image.Refs[a.pc()] = offset
	} else if value, err = strconv.ParseUint(args[1], 0, 64); err != nil {
		return err
	}
	a.put(0x18, dst, 0, 0, int32(uint32(value)))
	a.put(0, 0, 0, 0, int32(value>>32))
	return nil
}

// access emits a load, a store or a byte swap.
func (a *assembler) access(prefix, suffix string, args []string) error {
	if prefix == "le" || prefix == "be" {
		bits, err := strconv.ParseInt(suffix, 10, 32)
		if err != nil {
			return err
		}
		dst, err := register(args[0])
		a.put(map[string]byte{"le": 0xd4, "be": 0xdc}[prefix], dst, 0, 0, int32(bits))
		return err
	}
	size, ok := sizes[suffix]
	if !ok || len(args) != 2 {
		return fmt.Errorf("unknown instruction")
	}
	if prefix == "ldx" {
		args[0], args[1] = args[1], args[0]
	}
	base, off, err := address(args[0])
	if err != nil {
		return err
	}
	if prefix == "st" {
		imm, err := constant(args[1])
		a.put(size|2, base, 0, off, imm)
		return err
	}
	other, err := register(args[1])
	if prefix == "ldx" {
		a.put(size|1, other, base, off, 0)
	} else {
		a.put(size|3, base, other, off, 0)
	}
	return err
}

// address reads [r1+8].
func address(s string) (byte, int16, error) {
	inner := strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")
	i := strings.IndexAny(inner, "+-")
	if i < 0 {
		r, err := register(inner)
		return r, 0, err
	}
	r, err := register(inner[:i])
	if err != nil {
		return 0, 0, err
	}
	off, err := strconv.ParseInt(inner[i:], 0, 16)
	return r, int16(off), err
}

func register(s string) (byte, error) {
	n, ok := strings.CutPrefix(s, "r")
	if !ok {
		return 0, fmt.Errorf("%s is no register", s)
	}
	r, err := strconv.ParseUint(n, 10, 4)
	return byte(r), err
}

// constant reads 32 bits, signed or not.
func constant(s string) (int32, error) {
	v, err := strconv.ParseInt(s, 0, 64)
	if err == nil && (v < math.MinInt32 || v > math.MaxUint32) {
		err = fmt.Errorf("%s does not fit 32 bits", s)
	}
	return int32(uint32(v)), err
}
