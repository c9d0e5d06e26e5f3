package sbpf

import (
	"bytes"
)

// elfFile is a parsed v0 file. Tables stay bytes and are read on use, so a hostile count costs
// nothing.
type elfFile struct {
	raw      []byte
	header   ehdr
	programs []byte // phdrs
	sections []byte // shdrs
	names    shdr   // .shstrtab
	dynstr   *shdr
	symbols  []byte // .dynsym, nil when absent
	relocs   []byte // DT_REL, nil when absent
	dynamic  [dtNum]uint64
}

func parseLenient(elf []byte) (*elfFile, error) {
	h, err := readEhdr(elf)
	if err != nil {
		return nil, err
	}
	f := &elfFile{raw: elf, header: h}
	for _, step := range []func() error{
		f.checkHeader, f.findTables, f.findNames, f.nameSections, f.parseDynamic,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *elfFile) checkHeader() error {
	h := f.header
	ok := bytes.Equal(h.ident[:4], []byte("\x7fELF")) && h.ident[4] == classMarker && h.ident[5] == dataLSB &&
		h.ident[6] == evCurr && h.version == evCurr && h.ehsize == ehdrSize && h.phentsize == phdrSize &&
		h.shentsize == shdrSize && h.shstrnd < h.shnum
	if !ok {
		return errInvalidFileHeader
	}
	return nil
}

func (f *elfFile) findTables() error {
	file := span{0, ehdrSize}
	programs, err := f.tableSpan(f.header.phoff, phdrSize, f.header.phnum, file)
	if err != nil {
		return err
	}
	if f.programs, err = table(f.raw, programs, phdrSize); err != nil {
		return err
	}
	sections, err := f.tableSpan(f.header.shoff, shdrSize, f.header.shnum, file, programs)
	if err != nil {
		return err
	}
	if f.sections, err = table(f.raw, sections, shdrSize); err != nil {
		return err
	}
	return f.checkLayout(file, programs, sections)
}

func (f *elfFile) tableSpan(offset, size uint64, count uint16, others ...span) (span, error) {
	s, err := spanOf(offset, size*uint64(count))
	if err != nil {
		return span{}, err
	}
	for _, o := range others {
		if !disjoint(o, s) {
			return span{}, errOverlap
		}
	}
	return s, nil
}

// disjoint is Agave's check. Two empty ranges at one place are disjoint.
func disjoint(a, b span) bool { return a.end <= b.start || b.end <= a.start }

// checkLayout requires a null section first, ascending segments, and sections in order beside the
// tables.
func (f *elfFile) checkLayout(file, programs, sections span) error {
	if len(f.sections) == 0 || f.section(0).typ != shtNull {
		return errInvalidSectionHeader
	}
	if err := f.checkLoadSegments(); err != nil {
		return err
	}
	offset := uint64(0)
	for i := range f.sectionCount() {
		s := f.section(i)
		if s.typ == shtNobits {
			continue
		}
		at, err := spanOf(s.offset, s.size)
		if err != nil {
			return err
		}
		if !disjoint(at, file) || !disjoint(at, programs) || !disjoint(at, sections) {
			return errOverlap
		}
		if at.start < offset {
			return errSectionNotInOrder
		}
		if offset = at.end; offset > uint64(len(f.raw)) {
			return ErrValueOutOfBounds
		}
	}
	return nil
}

func (f *elfFile) checkLoadSegments() error {
	vaddr := uint64(0)
	for i := range f.programCount() {
		p := f.program(i)
		if p.typ != ptLoad {
			continue
		}
		if p.vaddr < vaddr {
			return ErrInvalidProgramHeader
		}
		at, err := spanOf(p.offset, p.filesz)
		if err != nil {
			return err
		}
		if at.end > uint64(len(f.raw)) {
			return ErrValueOutOfBounds
		}
		vaddr = p.vaddr
	}
	return nil
}

func (f *elfFile) findNames() error {
	if f.header.shstrnd == 0 {
		return errNoSectionNames
	}
	f.names = f.section(int(f.header.shstrnd))
	return nil
}

// nameSections finds .dynstr, and requires that each of the three tables occurs at most once.
func (f *elfFile) nameSections() error {
	seen := map[string]bool{}
	for i := range f.sectionCount() {
		s := f.section(i)
		name, err := f.sectionName(s)
		if err != nil {
			return err
		}
		switch name {
		case ".symtab", ".strtab", ".dynstr":
			if seen[name] {
				return errInvalidSectionHeader
			}
			seen[name] = true
			if name == ".dynstr" {
				f.dynstr = &s
			}
		}
	}
	return nil
}

func (f *elfFile) sectionCount() int  { return len(f.sections) / shdrSize }
func (f *elfFile) section(i int) shdr { return readShdr(f.sections[i*shdrSize:]) }
func (f *elfFile) programCount() int  { return len(f.programs) / phdrSize }
func (f *elfFile) program(i int) phdr { return readPhdr(f.programs[i*phdrSize:]) }
func (f *elfFile) relocCount() int    { return len(f.relocs) / relSize }
func (f *elfFile) reloc(i int) rel    { return readRel(f.relocs[i*relSize:]) }
func (f *elfFile) sectionName(s shdr) (string, error) {
	return f.stringIn(f.names, s.name, maxSectionName)
}

// symbol returns the dynamic symbol with that index.
func (f *elfFile) symbol(index uint64) (sym, bool) {
	if index >= uint64(len(f.symbols)/symSize) {
		return sym{}, false
	}
	return readSym(f.symbols[index*symSize:]), true
}

func (f *elfFile) stringIn(s shdr, offset uint32, limit uint64) (string, error) {
	if s.typ != shtStrtab {
		return "", errInvalidSectionHeader
	}
	start, err := spanOf(s.offset, uint64(offset))
	if err != nil {
		return "", err
	}
	section, err := spanOf(s.offset, s.size)
	if err != nil {
		return "", err
	}
	longest, err := spanOf(start.end, limit)
	if err != nil {
		return "", err
	}
	b, ok := cut(f.raw, span{start.end, min(section.end, longest.end)})
	if !ok {
		return "", ErrValueOutOfBounds
	}
	n := bytes.IndexByte(b, 0)
	if n < 0 {
		return "", errStringTooLong(lossy(b), int(limit))
	}
	return string(b[:n]), nil
}
