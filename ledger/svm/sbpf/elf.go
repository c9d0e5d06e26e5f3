package sbpf

import (
	"encoding/binary"
	"math"
)

// Sizes of the ELF64 structures, and the constants of the two parsers.
const (
	ehdrSize = 64
	phdrSize = 56
	shdrSize = 64
	symSize  = 24
	dynSize  = 16
	relSize  = 16

	emBPF, emSBPF       = 247, 263
	etDyn               = 3
	ptLoad, ptDynamic   = 1, 2
	pfX, pfR            = 1, 4
	shtNull, shtSymtab  = 0, 2
	shtStrtab           = 3
	shtDynamic          = 6
	shtNobits           = 8
	shtDynsym           = 11
	shfWrite, shfAlloc  = 1, 2
	sttFunc             = 2
	dtNum               = 35
	dtSymtab            = 6
	dtRel, dtRelsz      = 17, 18
	dtRelent            = 19
	maxSectionName      = 16
	maxSymbolName       = 64
	relNone, rel64      = 0, 1
	relRelative, rel32  = 8, 10
	elfAlign            = 8
	classMarker, evCurr = 2, 1 // ELFCLASS64, EV_CURRENT
	dataLSB             = 1
)

type ehdr struct {
	ident                                               [16]byte
	typ, machine                                        uint16
	version                                             uint32
	entry, phoff, shoff                                 uint64
	ehsize, phentsize, phnum, shentsize, shnum, shstrnd uint16
}

type phdr struct {
	typ, flags                               uint32
	offset, vaddr, paddr, filesz, memsz, aln uint64
}

type shdr struct {
	name, typ                 uint32
	flags, addr, offset, size uint64
}

type sym struct {
	name  uint32
	info  uint8
	value uint64
}

type rel struct{ offset, info uint64 }

func readEhdr(elf []byte) (ehdr, error) {
	if len(elf) < ehdrSize {
		return ehdr{}, ErrValueOutOfBounds
	}
	h := ehdr{
		typ: binary.LittleEndian.Uint16(elf[16:]), machine: binary.LittleEndian.Uint16(elf[18:]), version: binary.LittleEndian.Uint32(elf[20:]),
		entry: binary.LittleEndian.Uint64(elf[24:]), phoff: binary.LittleEndian.Uint64(elf[32:]), shoff: binary.LittleEndian.Uint64(elf[40:]),
		ehsize: binary.LittleEndian.Uint16(elf[52:]), phentsize: binary.LittleEndian.Uint16(elf[54:]), phnum: binary.LittleEndian.Uint16(elf[56:]),
		shentsize: binary.LittleEndian.Uint16(elf[58:]), shnum: binary.LittleEndian.Uint16(elf[60:]), shstrnd: binary.LittleEndian.Uint16(elf[62:]),
	}
	copy(h.ident[:], elf)
	return h, nil
}

func readPhdr(b []byte) phdr {
	return phdr{
		typ: binary.LittleEndian.Uint32(b), flags: binary.LittleEndian.Uint32(b[4:]), offset: binary.LittleEndian.Uint64(b[8:]), vaddr: binary.LittleEndian.Uint64(b[16:]),
		paddr: binary.LittleEndian.Uint64(b[24:]), filesz: binary.LittleEndian.Uint64(b[32:]), memsz: binary.LittleEndian.Uint64(b[40:]), aln: binary.LittleEndian.Uint64(b[48:]),
	}
}

func readShdr(b []byte) shdr {
	return shdr{
		name: binary.LittleEndian.Uint32(b), typ: binary.LittleEndian.Uint32(b[4:]), flags: binary.LittleEndian.Uint64(b[8:]),
		addr: binary.LittleEndian.Uint64(b[16:]), offset: binary.LittleEndian.Uint64(b[24:]), size: binary.LittleEndian.Uint64(b[32:]),
	}
}

func readSym(b []byte) sym {
	return sym{name: binary.LittleEndian.Uint32(b), info: b[4], value: binary.LittleEndian.Uint64(b[8:])}
}

func readRel(b []byte) rel {
	return rel{offset: binary.LittleEndian.Uint64(b), info: binary.LittleEndian.Uint64(b[8:])}
}

// span is a half-open range of file offsets or addresses.
type span struct{ start, end uint64 }

func (s span) has(x uint64) bool { return s.start <= x && x < s.end }

// saturatingAdd is Rust's u64::saturating_add.
func saturatingAdd(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// spanOf returns start..start+size, or ErrValueOutOfBounds on overflow.
func spanOf(start, size uint64) (span, error) {
	if start > math.MaxUint64-size {
		return span{}, ErrValueOutOfBounds
	}
	return span{start, start + size}, nil
}

// cut returns the bytes of a range, or false if the range is not wholly inside.
func cut(b []byte, s span) ([]byte, bool) {
	if s.start > s.end || s.end > uint64(len(b)) {
		return nil, false
	}
	return b[s.start:s.end:s.end], true
}

// table returns the bytes of an array of structures of the given size.
func table(elf []byte, s span, size uint64) ([]byte, error) {
	length := uint64(0)
	if s.end > s.start {
		length = s.end - s.start
	}
	if length%size != 0 {
		return nil, errInvalidSize
	}
	b, ok := cut(elf, s)
	if !ok {
		return nil, ErrValueOutOfBounds
	}
	if s.start%elfAlign != 0 {
		return nil, errInvalidAlignment
	}
	return b, nil
}

// fileRange returns the section's place in the file. A section without bytes is an empty range at
// 0.
func (s shdr) fileRange() span {
	if s.typ == shtNobits {
		return span{}
	}
	return span{s.offset, saturatingAdd(s.offset, s.size)}
}

func (s shdr) vmRange() span { return span{s.addr, saturatingAdd(s.addr, s.size)} }

func (s shdr) writable() bool { return s.flags&(shfAlloc|shfWrite) == shfAlloc|shfWrite }

func u64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
