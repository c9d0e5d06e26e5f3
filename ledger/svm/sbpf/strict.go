package sbpf

// loadStrict reads a v3 file. It has only program headers, and nothing is relocated.
func loadStrict(elf []byte) (*Program, error) {
	h, err := readEhdr(elf)
	if err != nil {
		return nil, err
	}
	tableEnd := uint64(ehdrSize) + phdrSize*uint64(h.phnum)
	if !strictHeader(h) || tableEnd > uint64(len(elf)) {
		return nil, errInvalidFileHeader
	}
	first := readPhdr(elf[ehdrSize:])
	expected := []phdr{{flags: pfR, vaddr: RodataStart}, {flags: pfX, vaddr: TextStart}}
	if first.flags != pfR {
		expected = expected[1:]
	} else if h.phnum < 2 {
		return nil, errInvalidFileHeader
	}
	offset := tableEnd
	for i, want := range expected {
		got := readPhdr(elf[ehdrSize+i*phdrSize:])
		if !strictSegment(got, want, offset, uint64(len(elf))) {
			return nil, ErrInvalidProgramHeader
		}
		offset += got.filesz
		expected[i] = got
	}
	return strictProgram(elf, h, expected)
}

func strictHeader(h ehdr) bool {
	return h.ident == [16]byte{0x7f, 'E', 'L', 'F', classMarker, dataLSB, evCurr} && h.machine == emBPF &&
		h.version == evCurr && h.phoff == ehdrSize && h.ehsize == ehdrSize && h.phentsize == phdrSize && h.phnum != 0
}

func strictSegment(got, want phdr, offset, size uint64) bool {
	return got.typ == ptLoad && got.flags == want.flags && got.offset == offset && offset < size &&
		offset%insnSize == 0 && got.vaddr == want.vaddr && got.paddr == want.vaddr && got.filesz == got.memsz &&
		got.filesz <= size-offset && got.filesz%insnSize == 0 && got.memsz < regionSize
}

func strictProgram(elf []byte, h ehdr, segments []phdr) (*Program, error) {
	text := segments[len(segments)-1]
	code := span{text.vaddr, text.vaddr + text.memsz}
	if !code.has(saturatingAdd(h.entry, insnSize)-1) || h.entry%insnSize != 0 {
		return nil, errInvalidFileHeader
	}
	p := &Program{
		version: V3, textAddr: text.vaddr, entry: int((saturatingSub(h.entry, text.vaddr)) / insnSize),
		text: append([]byte(nil), elf[text.offset:text.offset+text.filesz]...),
	}
	if len(segments) == 2 {
		ro := segments[0]
		p.rodata = append([]byte(nil), elf[ro.offset:ro.offset+ro.filesz]...)
	}
	return p, nil
}

func saturatingSub(a, b uint64) uint64 {
	if a < b {
		return 0
	}
	return a - b
}
