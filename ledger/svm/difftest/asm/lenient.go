package asm

import (
	"sort"

	"ojud/ledger/svm/sbpf"
)

// section is a section of a v0 file. Its file offset equals its address.
type section struct {
	name       string
	kind       uint32
	flags      uint64
	link       uint32
	entry      uint64
	data       []byte
	offset     uint64
	nameOffset uint32
}

// Kinds of sections and dynamic tags.
const (
	progbits, strtab, dynamic, rel, dynsym = 1, 3, 6, 9, 11
)

// lenient builds v0: sections, relocations for system calls, and data at TextStart plus its offset.
func (m Image) lenient() []byte {
	const textOffset = 64 + 2*56
	rodataOffset := textOffset + uint64(len(m.Text))
	for pc, offset := range m.Refs {
		m.put(pc, sbpf.TextStart+rodataOffset+uint64(offset))
	}
	names, symbols, relocs := m.symbols(textOffset)
	sections := []*section{
		{},
		{name: ".text", kind: progbits, flags: 6, data: m.Text},
		{name: ".rodata", kind: progbits, flags: 2, data: m.Rodata},
		{name: ".dynamic", kind: dynamic, flags: 3, entry: 16},
		{name: ".dynsym", kind: dynsym, flags: 2, link: 5, entry: 24, data: symbols},
		{name: ".dynstr", kind: strtab, flags: 2, data: names},
		{name: ".rel.dyn", kind: rel, flags: 2, link: 4, entry: 16, data: relocs},
		{name: ".shstrtab", kind: strtab},
	}
	sections[3].data = make([]byte, 5*16)
	place(sections, textOffset)
	sections[3].data = dynamicTable(sections)
	return m.write(sections)
}

// symbols lays out the names, symbols and relocations of the system calls.
func (m Image) symbols(textOffset uint64) (names, symbols, relocs []byte) {
	names, symbols = []byte{0}, make([]byte, 24)
	pcs := make([]int, 0, len(m.Calls))
	for pc := range m.Calls {
		pcs = append(pcs, pc)
	}
	sort.Ints(pcs)
	index := map[string]uint64{}
	for _, pc := range pcs {
		name := m.Calls[pc]
		if _, known := index[name]; !known {
			index[name] = uint64(len(symbols) / 24)
			s := make([]byte, 24)
			le.PutUint32(s, uint32(len(names)))
			s[4] = 0x10 // global, no type
			symbols = append(symbols, s...)
			names = append(append(names, name...), 0)
		}
		le.PutUint32(m.Text[8*pc+4:], 0xffffffff)
		relocs = le.AppendUint64(relocs, textOffset+uint64(8*pc))
		relocs = le.AppendUint64(relocs, index[name]<<32|10)
	}
	return names, symbols, relocs
}

func place(sections []*section, offset uint64) {
	var names []byte
	for _, s := range sections {
		s.nameOffset = uint32(len(names))
		names = append(append(names, s.name...), 0)
	}
	sections[len(sections)-1].data = names
	for _, s := range sections[1:] {
		s.offset = offset
		offset = (offset + uint64(len(s.data)) + 7) &^ 7
	}
}

func dynamicTable(sections []*section) (out []byte) {
	relocs, symbols := sections[6], sections[4]
	tags := [][2]uint64{{17, relocs.offset}, {18, uint64(len(relocs.data))}, {19, 16}, {6, symbols.offset}, {0, 0}}
	if len(relocs.data) == 0 {
		tags[0][1] = 0
	}
	for _, t := range tags {
		out = le.AppendUint64(le.AppendUint64(out, t[0]), t[1])
	}
	return out
}

func (m Image) write(sections []*section) []byte {
	out := header(sbpf.V0, sections[1].offset+uint64(8*m.Entry), 2)
	last := sections[len(sections)-1]
	shoff := (last.offset + uint64(len(last.data)) + 7) &^ 7
	le.PutUint64(out[40:], shoff)
	le.PutUint16(out[60:], uint16(len(sections)))
	le.PutUint16(out[62:], uint16(len(sections)-1))
	out = append(out, segment(1, 5, 0, 0, shoff)...)
	out = append(out, segment(2, 6, sections[3].offset, sections[3].offset, uint64(len(sections[3].data)))...)
	for _, s := range sections[1:] {
		out = append(append(out, make([]byte, int(s.offset)-len(out))...), s.data...)
	}
	out = append(out, make([]byte, int(shoff)-len(out))...)
	for _, s := range sections {
		out = append(out, s.header()...)
	}
	return out
}

func (s *section) header() []byte {
	b := make([]byte, 64)
	le.PutUint32(b, s.nameOffset)
	le.PutUint32(b[4:], s.kind)
	addr := s.offset
	for i, v := range []uint64{s.flags, addr, s.offset, uint64(len(s.data))} {
		le.PutUint64(b[8+8*i:], v)
	}
	le.PutUint32(b[40:], s.link)
	le.PutUint64(b[48:], 8)
	le.PutUint64(b[56:], s.entry)
	return b
}
