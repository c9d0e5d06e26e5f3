package sbpf

import (
	"encoding/binary"
)

// relocator rewrites a copy of a v0 file: calls become hashes, addresses move above TextStart.
type relocator struct {
	file  *elfFile
	text  shdr
	image []byte
	env   *Environment
	funcs map[uint32]int
}

func newRelocator(f *elfFile, text shdr, env *Environment) *relocator {
	return &relocator{file: f, text: text, image: append([]byte(nil), f.raw...), env: env, funcs: map[uint32]int{}}
}

func (r *relocator) run() error {
	if err := r.hashCalls(); err != nil {
		return err
	}
	for i := range r.file.relocCount() {
		if err := r.apply(r.file.reloc(i)); err != nil {
			return err
		}
	}
	return nil
}

// hashCalls registers the target of every relative call and writes its hash into the call.
func (r *relocator) hashCalls() error {
	text, ok := cut(r.image, r.text.fileRange())
	if !ok {
		return ErrValueOutOfBounds
	}
	count := len(text) / insnSize
	for pc := range count {
		at := text[pc*insnSize:]
		imm := int32(u32(at[4:]))
		if at[0] != opCall || imm == -1 {
			continue
		}
		target := pc + 1 + int(imm)
		if target < 0 || target >= count {
			return errJumpOutOfBounds(pc)
		}
		key, err := r.register("", target)
		if err != nil {
			return err
		}
		binary.LittleEndian.PutUint32(at[4:], key)
	}
	return nil
}

// register adds a function under the hash of its address (or of its name, for "entrypoint" alone).
func (r *relocator) register(name string, pc int) (uint32, error) {
	key := hashPC(pc)
	if name == "entrypoint" {
		key = HashName(name)
	}
	if _, taken := r.env.lookup(key); taken {
		return 0, errHashCollision(key)
	}
	if old, taken := r.funcs[key]; taken && old != pc {
		return 0, errHashCollision(key)
	}
	r.funcs[key] = pc
	return key, nil
}

func (r *relocator) apply(at rel) error {
	switch kind := uint32(at.info); kind {
	case rel64:
		return r.applySymbol(at)
	case relRelative:
		return r.applyRelative(at)
	case rel32:
		return r.applyCall(at)
	default:
		return errUnknownRelocation(kind)
	}
}

// word returns the n bytes of the image at an offset.
func (r *relocator) word(offset, n uint64) ([]byte, error) {
	b, ok := cut(r.image, span{offset, saturatingAdd(offset, n)})
	if !ok {
		return nil, ErrValueOutOfBounds
	}
	return b, nil
}

// halves returns the two immediates of the lddw at an offset.
func (r *relocator) halves(offset uint64) (low, high []byte, err error) {
	imm := saturatingAdd(offset, 4)
	if low, err = r.word(imm, 4); err != nil {
		return nil, nil, err
	}
	high, err = r.word(saturatingAdd(imm, insnSize), 4)
	return low, high, err
}

func putHalves(low, high []byte, addr uint64) {
	binary.LittleEndian.PutUint32(low, uint32(addr))
	binary.LittleEndian.PutUint32(high, uint32(addr>>32))
}

func rebase(addr uint64) uint64 {
	if addr < regionSize {
		return addr + regionSize
	}
	return addr
}

func (r *relocator) symbolOf(at rel) (sym, error) {
	s, ok := r.file.symbol(at.info >> 32)
	if !ok {
		return sym{}, errUnknownSymbol(at.info >> 32)
	}
	return s, nil
}

// applySymbol applies R_BPF_64_64: symbol plus addend into a lddw.
func (r *relocator) applySymbol(at rel) error {
	low, err := r.word(saturatingAdd(at.offset, 4), 4)
	if err != nil {
		return err
	}
	s, err := r.symbolOf(at)
	if err != nil {
		return err
	}
	addr := rebase(saturatingAdd(s.value, uint64(u32(low))))
	low, high, err := r.halves(at.offset)
	if err != nil {
		return err
	}
	putHalves(low, high, addr)
	return nil
}

// applyRelative applies R_BPF_64_RELATIVE: an address in a lddw, or outside of the text in eight
// bytes. Old toolchains wrote the low half of those four bytes late.
func (r *relocator) applyRelative(at rel) error {
	if !r.text.fileRange().has(at.offset) {
		return r.applyData(at)
	}
	low, high, err := r.halves(at.offset)
	if err != nil {
		return err
	}
	addr := uint64(u32(high))<<32 | uint64(u32(low))
	if addr == 0 {
		return errInvalidVirtualAddress(addr)
	}
	putHalves(low, high, rebase(addr))
	return nil
}

func (r *relocator) applyData(at rel) error {
	low, err := r.word(saturatingAdd(at.offset, 4), 4)
	if err != nil {
		return err
	}
	addr := regionSize + uint64(u32(low))
	all, err := r.word(at.offset, 8)
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(all, addr)
	return nil
}

// applyCall applies R_BPF_64_32: a call of a defined function, or of a system call by name.
func (r *relocator) applyCall(at rel) error {
	s, err := r.symbolOf(at)
	if err != nil {
		return err
	}
	if r.file.dynstr == nil {
		return errUnknownSymbol(uint64(s.name))
	}
	name, err := r.file.stringIn(*r.file.dynstr, s.name, maxSymbolName)
	if err != nil {
		return errUnknownSymbol(uint64(s.name))
	}
	key, err := r.callKey(s, name, at.offset)
	if err != nil {
		return err
	}
	imm, err := r.word(saturatingAdd(at.offset, 4), 4)
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(imm, key)
	return nil
}

func (r *relocator) callKey(s sym, name string, offset uint64) (uint32, error) {
	if s.info&0xf == sttFunc && s.value != 0 {
		if !r.text.vmRange().has(s.value) {
			return 0, ErrValueOutOfBounds
		}
		return r.register(name, int((s.value-r.text.addr)/insnSize))
	}
	key := HashName(name)
	if _, known := r.env.lookup(key); r.env.strict && !known {
		return 0, errUnresolvedSymbol(lossy([]byte(name)), offset/insnSize, offset)
	}
	return key, nil
}
