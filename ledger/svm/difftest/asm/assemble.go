package asm

import (
	"fmt"
	"strconv"
	"strings"

	"ojud/ledger/svm/sbpf"
)

// Assemble translates a program. One statement a line, comments after ';':
//
//	.string text "bytes"      read-only data; .bytes text 00ff for hexadecimal
//	label:
//	mov64 r1, 5               any ALU operation with 64 or 32, register or constant
//	lddw r1, 0x1122334455     or lddw r1, &text for the address of data
//	ldxdw r2, [r1+8]          ldx, st and stx with b, h, w and dw
//	jeq r1, r2, label         any jump, with 32 in v3; ja label; +2 jumps over two slots
//	call label                or call sol_log_, a system call; callx r3; exit
//	le16 r1                   le, be with 16, 32 and 64; neg64 r1
func Assemble(source string, version sbpf.Version) (Image, error) {
	a := &assembler{
		version: version, labels: map[string]int{}, data: map[string]int{},
		image: Image{Calls: map[int]string{}, Refs: map[int]int{}},
	}
	var statements []statement
	for n, line := range strings.Split(source, "\n") {
		s, err := a.scan(line)
		if err != nil {
			return Image{}, fmt.Errorf("asm: line %d: %q: %w", n+1, strings.TrimSpace(line), err)
		}
		if s != nil {
			statements = append(statements, *s)
		}
	}
	for _, s := range statements {
		if err := a.emit(s); err != nil {
			return Image{}, fmt.Errorf("asm: %s %s: %w", s.op, strings.Join(s.args, ", "), err)
		}
	}
	return a.image, nil
}

// MustELF assembles and builds. It panics on a mistake in the text, which is a mistake in the test.
func MustELF(source string, version sbpf.Version) []byte {
	image, err := Assemble(source, version)
	if err != nil {
		panic(err)
	}
	return image.ELF(version)
}

type statement struct {
	op   string
	args []string
}

type assembler struct {
	version sbpf.Version
	labels  map[string]int
	data    map[string]int
	image   Image
	slots   int
}

// scan notes labels and data and returns the instruction of a line, if it has one.
func (a *assembler) scan(line string) (*statement, error) {
	if i := strings.IndexByte(line, ';'); i >= 0 {
		line = line[:i]
	}
	line = strings.TrimSpace(line)
	if name, ok := strings.CutSuffix(line, ":"); ok {
		a.labels[name] = a.slots
		return nil, nil
	}
	op, rest, _ := strings.Cut(line, " ")
	switch {
	case line == "":
		return nil, nil
	case strings.HasPrefix(op, "."):
		return nil, a.define(op, strings.TrimSpace(rest))
	}
	s := &statement{op: op}
	if rest = strings.TrimSpace(rest); rest != "" {
		for _, arg := range strings.Split(rest, ",") {
			s.args = append(s.args, strings.TrimSpace(arg))
		}
	}
	a.slots++
	if op == "lddw" {
		a.slots++
	}
	return s, nil
}

func (a *assembler) define(kind, rest string) error {
	name, value, ok := strings.Cut(rest, " ")
	if !ok {
		return fmt.Errorf("no value")
	}
	for len(a.image.Rodata)%8 != 0 {
		a.image.Rodata = append(a.image.Rodata, 0)
	}
	a.data[name] = len(a.image.Rodata)
	switch kind {
	case ".string":
		text, err := strconv.Unquote(value)
		a.image.Rodata = append(a.image.Rodata, text...)
		return err
	case ".bytes":
		for i := 0; i+1 < len(value); i += 2 {
			b, err := strconv.ParseUint(value[i:i+2], 16, 8)
			if err != nil {
				return err
			}
			a.image.Rodata = append(a.image.Rodata, byte(b))
		}
		return nil
	}
	return fmt.Errorf("unknown directive")
}

func (a *assembler) pc() int { return len(a.image.Text) / 8 }

// put appends one instruction.
func (a *assembler) put(op, dst, src byte, off int16, imm int32) {
	b := []byte{op, dst | src<<4, byte(off), byte(uint16(off) >> 8), 0, 0, 0, 0}
	le.PutUint32(b[4:], uint32(imm))
	a.image.Text = append(a.image.Text, b...)
}
