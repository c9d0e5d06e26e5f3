package asm

import (
	"encoding/binary"

	"ojud/ledger/svm/sbpf"
)

// Image is machine code and data before it becomes an ELF file.
type Image struct {
	Text   []byte
	Rodata []byte
	Entry  int            // instruction
	Calls  map[int]string // instruction -> name of the system call
	Refs   map[int]int    // lddw instruction -> offset in Rodata
}

var le = binary.LittleEndian

// ELF builds the file that a loader takes.
func (m Image) ELF(version sbpf.Version) []byte {
	m.Text = append([]byte(nil), m.Text...)
	if version == sbpf.V3 {
		return m.strict()
	}
	return m.lenient()
}

// put writes the address of a piece of read-only data into a lddw.
func (m Image) put(pc int, addr uint64) {
	le.PutUint32(m.Text[8*pc+4:], uint32(addr))
	le.PutUint32(m.Text[8*pc+12:], uint32(addr>>32))
}

func header(version sbpf.Version, entry uint64, phnum int) []byte {
	h := make([]byte, 64)
	copy(h, "\x7fELF\x02\x01\x01")
	le.PutUint16(h[16:], 3)   // ET_DYN
	le.PutUint16(h[18:], 247) // EM_BPF
	le.PutUint32(h[20:], 1)
	le.PutUint64(h[24:], entry)
	le.PutUint64(h[32:], 64)
	le.PutUint32(h[48:], uint32(version))
	le.PutUint16(h[52:], 64)
	le.PutUint16(h[54:], 56)
	le.PutUint16(h[56:], uint16(phnum))
	le.PutUint16(h[58:], 64)
	return h
}

func segment(kind, flags uint32, offset, vaddr, size uint64) []byte {
	b := make([]byte, 56)
	le.PutUint32(b, kind)
	le.PutUint32(b[4:], flags)
	for i, v := range []uint64{offset, vaddr, vaddr, size, size, 8} {
		le.PutUint64(b[8+8*i:], v)
	}
	return b
}

func align(b []byte) []byte {
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

// strict builds v3: only program headers, and system calls by hash.
func (m Image) strict() []byte {
	for pc, name := range m.Calls {
		le.PutUint32(m.Text[8*pc+4:], sbpf.HashName(name))
	}
	for pc, offset := range m.Refs {
		m.put(pc, sbpf.RodataStart+uint64(offset))
	}
	rodata := align(append([]byte(nil), m.Rodata...))
	segments := 1
	if len(rodata) > 0 {
		segments = 2
	}
	start := uint64(64 + 56*segments)
	out := header(sbpf.V3, sbpf.TextStart+uint64(8*m.Entry), segments)
	if segments == 2 {
		out = append(out, segment(1, 4, start, sbpf.RodataStart, uint64(len(rodata)))...)
	}
	out = append(out, segment(1, 1, start+uint64(len(rodata)), sbpf.TextStart, uint64(len(m.Text)))...)
	return append(append(out, rodata...), m.Text...)
}
