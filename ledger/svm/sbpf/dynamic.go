package sbpf

// parseDynamic reads PT_DYNAMIC, or SHT_DYNAMIC if that is absent or broken, and the two tables
// that it points to.
func (f *elfFile) parseDynamic() error {
	entries, err := f.dynamicTable()
	if err != nil || entries == nil {
		return err
	}
	for ; len(entries) > 0; entries = entries[dynSize:] {
		tag, value := u64(entries), u64(entries[8:])
		if tag == 0 {
			break
		}
		if tag < dtNum {
			f.dynamic[tag] = value
		}
	}
	if err := f.findRelocs(); err != nil {
		return err
	}
	return f.findSymbols()
}

func (f *elfFile) dynamicTable() ([]byte, error) {
	for i := range f.programCount() {
		p := f.program(i)
		if p.typ != ptDynamic {
			continue
		}
		if at, err := spanOf(p.offset, p.filesz); err == nil {
			if t, err := table(f.raw, at, dynSize); err == nil {
				return t, nil
			}
		}
		break
	}
	for i := range f.sectionCount() {
		if s := f.section(i); s.typ == shtDynamic {
			return f.dynamicSection(s)
		}
	}
	return nil, nil
}

func (f *elfFile) dynamicSection(s shdr) ([]byte, error) {
	at, err := spanOf(s.offset, s.size)
	if err != nil {
		return nil, errInvalidDynamic
	}
	t, err := table(f.raw, at, dynSize)
	if err != nil {
		return nil, errInvalidDynamic
	}
	return t, nil
}

func (f *elfFile) findRelocs() error {
	vaddr := f.dynamic[dtRel]
	if vaddr == 0 {
		return nil
	}
	if f.dynamic[dtRelent] != relSize || f.dynamic[dtRelsz] == 0 {
		return errInvalidDynamic
	}
	offset, err := f.relocOffset(vaddr)
	if err != nil {
		return err
	}
	at, err := spanOf(offset, f.dynamic[dtRelsz])
	if err != nil {
		return err
	}
	if f.relocs, err = table(f.raw, at, relSize); err != nil {
		return errInvalidDynamic
	}
	return nil
}

// relocOffset maps the address of DT_REL to a file offset by segment, or by section for old
// toolchains.
func (f *elfFile) relocOffset(vaddr uint64) (uint64, error) {
	for i := range f.programCount() {
		p := f.program(i)
		at, err := spanOf(p.vaddr, p.memsz)
		if err != nil {
			return 0, err
		}
		if at.has(vaddr) {
			s, err := spanOf(p.offset, vaddr-p.vaddr)
			return s.end, err
		}
	}
	if s, ok := f.sectionAt(vaddr); ok {
		return s.offset, nil
	}
	return 0, errInvalidDynamic
}

func (f *elfFile) sectionAt(vaddr uint64) (shdr, bool) {
	for i := range f.sectionCount() {
		if s := f.section(i); s.addr == vaddr {
			return s, true
		}
	}
	return shdr{}, false
}

func (f *elfFile) findSymbols() error {
	vaddr := f.dynamic[dtSymtab]
	if vaddr == 0 {
		return nil
	}
	s, ok := f.sectionAt(vaddr)
	if !ok {
		return errInvalidDynamic
	}
	if s.typ != shtSymtab && s.typ != shtDynsym {
		return errInvalidSectionHeader
	}
	at, err := spanOf(s.offset, s.size)
	if err != nil {
		return err
	}
	f.symbols, err = table(f.raw, at, symSize)
	return err
}
