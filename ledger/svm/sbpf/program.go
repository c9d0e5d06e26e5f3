package sbpf

// Program is a loaded and verified program, ready to run. It is immutable and safe for concurrent
// use.
type Program struct {
	version  Version
	env      *Environment
	text     []byte
	textAddr uint64
	rodata   []byte
	entry    int
	code     []insn
}

// Load parses, relocates and verifies an ELF file. The error is an ElfError or a VerifierError with
// Agave's text.
func Load(elf []byte, env *Environment) (*Program, error) {
	version, err := readVersion(elf)
	if err != nil {
		return nil, err
	}
	var p *Program
	var funcs map[uint32]int
	if version == V3 {
		p, err = loadStrict(elf)
	} else {
		p, funcs, err = loadLenient(elf, env)
	}
	if err != nil {
		return nil, err
	}
	if err := verify(p.text, version); err != nil {
		return nil, err
	}
	p.env = env
	p.code = decode(p.text, version, env, funcs)
	return p, nil
}

// Version is the sBPF version of the program.
func (p *Program) Version() Version { return p.version }

// TextSize is the number of bytes of code.
func (p *Program) TextSize() int { return len(p.text) }

func loadLenient(elf []byte, env *Environment) (*Program, map[uint32]int, error) {
	f, err := parseLenient(elf)
	if err != nil {
		return nil, nil, err
	}
	text, err := f.validate()
	if err != nil {
		return nil, nil, err
	}
	textAddr := saturatingAdd(text.addr, regionSize)
	if env.strict && text.addr != text.offset || textAddr > StackStart {
		return nil, nil, ErrValueOutOfBounds
	}
	r := newRelocator(f, text, env)
	if err := r.run(); err != nil {
		return nil, nil, err
	}
	entry, err := r.entrypoint(f.header.entry)
	if err != nil {
		return nil, nil, err
	}
	ro, err := r.roSections()
	if err != nil {
		return nil, nil, err
	}
	return lenientProgram(text, textAddr, entry, ro), r.funcs, nil
}

func lenientProgram(text shdr, textAddr uint64, entry int, ro []byte) *Program {
	p := &Program{version: V0, textAddr: textAddr, rodata: ro, entry: entry}
	if at := text.fileRange(); at.end > at.start {
		p.text = ro[text.addr : text.addr+(at.end-at.start)]
	}
	return p
}

// entrypoint turns e_entry into an instruction index and registers it. It replaces a symbol of that
// name.
func (r *relocator) entrypoint(entry uint64) (int, error) {
	offset := saturatingSub(entry, r.text.addr)
	if offset%insnSize != 0 {
		return 0, ErrInvalidEntrypoint
	}
	pc := int(offset / insnSize)
	delete(r.funcs, HashName("entrypoint"))
	_, err := r.register("entrypoint", pc)
	return pc, err
}

// decode turns verified text into instructions with absolute jump targets and resolved calls.
func decode(text []byte, version Version, env *Environment, funcs map[uint32]int) []insn {
	code := make([]insn, len(text)/insnSize)
	for pc := range code {
		b := text[pc*insnSize:]
		in := insn{op: b[0], dst: b[1] & 15, src: b[1] >> 4, imm: int64(int32(u32(b[4:])))}
		in.off = int32(int16(uint16(b[2]) | uint16(b[3])<<8))
		class := in.op & classMask
		switch {
		case in.op == opLddw:
			in.imm = int64(uint64(uint32(in.imm)) | uint64(u32(b[12:]))<<32)
		case in.op == opCall:
			in = resolveCall(in, pc, len(code), version, env, funcs)
		case in.op == opCalx && version == V0:
			in.dst = uint8(in.imm)
		case class == classJmp64 || class == classJmp32:
			in.off += int32(pc) + 1
		}
		code[pc] = in
	}
	return code
}

// resolveCall finds the target of a call. An unknown call stays opCall and faults when it runs, as
// in Agave.
func resolveCall(in insn, pc, count int, version Version, env *Environment, funcs map[uint32]int) insn {
	hash := uint32(in.imm)
	if version == V0 || in.src == 0 {
		if i, ok := env.lookup(hash); ok {
			in.op, in.off = opSyscall, int32(i)
			return in
		}
	}
	if version == V0 {
		if target, ok := funcs[hash]; ok {
			in.op, in.off = opInternal, int32(target)
		}
		return in
	}
	if target := int64(pc) + 1 + in.imm; in.src == 1 && target >= 0 && target < int64(count) {
		in.op, in.off = opInternal, int32(target)
	}
	return in
}
