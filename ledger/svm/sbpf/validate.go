package sbpf

import "strings"

// validate makes Agave's checks of a v0 file after parsing, and returns its one .text section.
func (f *elfFile) validate() (shdr, error) {
	if err := f.checkKind(); err != nil {
		return shdr{}, err
	}
	text, err := f.textSection()
	if err != nil {
		return shdr{}, err
	}
	if err := f.checkReadOnly(); err != nil {
		return shdr{}, err
	}
	for i := range f.sectionCount() {
		s := f.section(i)
		at, err := spanOf(s.offset, s.size)
		if err != nil {
			return shdr{}, err
		}
		if _, ok := cut(f.raw, at); !ok {
			return shdr{}, ErrValueOutOfBounds
		}
	}
	if !text.vmRange().has(f.header.entry) {
		return shdr{}, ErrEntrypointOutOfBounds
	}
	return text, nil
}

func (f *elfFile) checkKind() error {
	h := f.header
	switch {
	case h.ident[4] != classMarker:
		return ErrWrongClass
	case h.ident[5] != dataLSB:
		return ErrWrongEndianness
	case h.ident[7] != 0:
		return ErrWrongABI
	case h.machine != emBPF && h.machine != emSBPF:
		return ErrWrongMachine
	case h.typ != etDyn:
		return ErrWrongType
	}
	return nil
}

func (f *elfFile) textSection() (text shdr, err error) {
	count := 0
	for i := range f.sectionCount() {
		s := f.section(i)
		name, err := f.sectionName(s)
		if err == nil && name == ".text" {
			text, count = s, count+1
		}
	}
	if count != 1 {
		return shdr{}, ErrNotOneTextSection
	}
	return text, nil
}

func (f *elfFile) checkReadOnly() error {
	for i := range f.sectionCount() {
		s := f.section(i)
		name, err := f.sectionName(s)
		if err != nil {
			return err
		}
		data := strings.HasPrefix(name, ".data") && !strings.HasPrefix(name, ".data.rel")
		if strings.HasPrefix(name, ".bss") || s.writable() && data {
			return errWritableSection(lossy([]byte(name)))
		}
	}
	return nil
}
