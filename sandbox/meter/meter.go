// Package meter rewrites a WebAssembly module so that a run of it is the same on every machine, and
// bounded. The rewritten module counts the instructions that it executes and the depth of its
// calls, and traps if a number is used up. Every NaN that arithmetic makes is the canonical one.
// It contains the functions, memory and data of the original, and no custom section
// (docs/adr/0041-programs-as-evidence.md).
//
// A module has to be valid before it is rewritten: this package trusts the types of its operands.
package meter

import (
	"errors"
	"fmt"
	"slices"
)

// The names under which a rewritten module exports its two counters. Both count down, and the
// module traps when one is below zero. Both begin with zero, so that nothing runs before a host
// sets them.
const (
	Fuel  = "ojud.fuel"  // an i64: the price of what may still be executed
	Depth = "ojud.depth" // an i32: how much deeper calls may still go
)

// What instructions cost. Others cost one, and those that only open a block nothing.
const (
	priceCall     = 5
	priceIndirect = 7
	priceHost     = 1_000 // a call of a function of the host, which does at most a few kilobytes of work
	priceSlow     = 5     // division, remainder and square root
	priceGrow     = 1_000
	pricePage     = 8_192 // a page of memory that is asked for
	bytesOfUnit   = 8     // of a bulk operation
	localsOfUnit  = 4     // locals are zeroed when a function is entered
)

// slotsOfFrame says how large a frame counts as one deep. A compiled frame has at most a slot of 16
// bytes for each local and each instruction, so a depth of 1,000 needs at most 128 MiB of stack.
const slotsOfFrame = 8_192

// The limits of what is rewritten.
const (
	maxTable = 1 << 20 // elements that a table begins with
	maxNest  = 1_000   // blocks in blocks
)

var errCut = errors.New("the module ends too early")

// The numbers of sections, in the order in which a module has them.
const (
	customSection, typeSection, importSection, functionSection, tableSection, memorySection = 0, 1, 2, 3, 4, 5
	globalSection, exportSection, startSection, elementSection, codeSection, dataSection    = 6, 7, 8, 9, 10, 11
	dataCountSection                                                                        = 12
)

var order = []byte{
	typeSection, importSection, functionSection, tableSection, memorySection, globalSection, exportSection,
	startSection, elementSection, dataCountSection, codeSection, dataSection,
}

const magic = "\x00asm\x01\x00\x00\x00"

// rewriter holds what is known of a module.
type rewriter struct {
	sections map[byte][]byte
	types    []signature
	made     [][]byte // further types
	imported int      // functions of the host
	own      []uint32 // the types of functions of the module
	globals  uint32   // and the indices of the two counters are the next ones
}

// signature is a type of functions.
type signature struct {
	params  int
	results []byte
}

// Rewrite returns the module with its counters. It refuses a module that does what cannot be
// counted, or what machines do differently; the error names it.
func Rewrite(raw []byte) ([]byte, error) {
	m := &rewriter{sections: map[byte][]byte{}}
	for _, step := range []func() error{func() error { return m.split(raw) }, m.readTypes, m.readImports, m.readFunctions, m.checkTables, m.readGlobals, m.addExports} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	code, err := m.rewriteCode()
	if err != nil {
		return nil, err
	}
	m.sections[codeSection] = code
	m.addTypes()
	out := []byte(magic)
	for _, id := range order {
		if body, ok := m.sections[id]; ok {
			out = append(out, id)
			out = appendUint(out, uint64(len(body)))
			out = append(out, body...)
		}
	}
	return out, nil
}

// split finds the sections.
func (m *rewriter) split(raw []byte) error {
	if len(raw) < len(magic) || string(raw[:len(magic)]) != magic {
		return errors.New("this is not a WebAssembly module of version 1")
	}
	r := reader{raw: raw, at: len(magic)}
	last := -1
	for r.at < len(raw) {
		id := r.byte()
		body := r.bytes(r.uint())
		if r.failed {
			return errCut
		}
		if id == customSection {
			continue
		}
		place := slices.Index(order, id)
		switch {
		case place < 0:
			return fmt.Errorf("section %d is not known", id)
		case place <= last:
			return fmt.Errorf("section %d is not in its place", id)
		case id == startSection:
			return errors.New("the module has a start section; export _start or _initialize instead")
		}
		last = place
		m.sections[id] = body
	}
	for _, need := range []byte{typeSection, functionSection, codeSection} {
		if m.sections[need] == nil {
			return errors.New("the module has no function")
		}
	}
	return nil
}

func (m *rewriter) readTypes() error {
	r := reader{raw: m.sections[typeSection]}
	for range r.count() {
		if form := r.byte(); form != 0x60 {
			return fmt.Errorf("a type has the form %#x; only functions are known", form)
		}
		params := len(r.bytes(r.uint()))
		m.types = append(m.types, signature{params, r.bytes(r.uint())})
	}
	return r.done("type")
}

func (m *rewriter) readImports() error {
	r := reader{raw: m.sections[importSection]}
	for range r.count() {
		module, name := r.bytes(r.uint()), r.bytes(r.uint())
		if kind := r.byte(); kind != 0 {
			return fmt.Errorf("the module imports %.40q from %.40q, which is no function", name, module)
		}
		r.uint()
		m.imported++
	}
	return r.done("import")
}

func (m *rewriter) readFunctions() error {
	r := reader{raw: m.sections[functionSection]}
	for range r.count() {
		kind := r.uint()
		if kind >= uint64(len(m.types)) {
			return fmt.Errorf("a function has the type %d; there are %d", kind, len(m.types))
		}
		m.own = append(m.own, uint32(kind))
	}
	return r.done("function")
}

// checkTables bounds tables, which grow in the memory of the host.
func (m *rewriter) checkTables() error {
	r := reader{raw: m.sections[tableSection]}
	for range r.count() {
		r.byte()
		flags, least := r.uint(), r.uint()
		if flags&1 != 0 {
			r.uint()
		}
		if least > maxTable {
			return fmt.Errorf("a table has %d elements; at most %d are allowed", least, maxTable)
		}
	}
	return r.done("table")
}

// readGlobals counts the globals and adds the counters.
func (m *rewriter) readGlobals() error {
	r := reader{raw: m.sections[globalSection]}
	many := r.count()
	m.globals = uint32(many)
	body := appendUint(nil, many+2)
	body = append(body, r.raw[r.at:]...)
	body = append(body, i64, 1, opI64Const, 0, opEnd)
	m.sections[globalSection] = append(body, i32, 1, opI32Const, 0, opEnd)
	if r.failed {
		return errCut
	}
	return nil
}

func (m *rewriter) addExports() error {
	r := reader{raw: m.sections[exportSection]}
	many := r.count()
	body := append(appendUint(nil, many+2), r.raw[r.at:]...)
	for i, name := range []string{Fuel, Depth} {
		body = append(appendUint(body, uint64(len(name))), name...)
		body = appendUint(append(body, 3), uint64(m.globals)+uint64(i))
	}
	m.sections[exportSection] = body
	for range many {
		if name := string(r.bytes(r.uint())); name == Fuel || name == Depth {
			return fmt.Errorf("the module exports %q, which is the name of a counter", name)
		}
		r.byte()
		r.uint()
	}
	return r.done("export")
}

// The two helpers are functions that take a size, charge for it and return it.
const ofBytes, ofPages, helpers = 0, 1, 2

// helpers is the index of the first helper.
func (m *rewriter) helpers() uint64 { return uint64(m.imported) + uint64(len(m.own)) }

// helper returns the code of a helper, which charges for its argument times or through a number.
func (m *rewriter) helper(op byte, number int64) []byte {
	code := appendUint([]byte{0, opGlobalGet}, uint64(m.globals))
	code = appendInt(append(code, opLocalGet, 0, opI64ExtendI32U, opI64Const), number)
	code = appendUint(append(code, op, opI64Sub, opGlobalSet), uint64(m.globals))
	return append(m.trapBelow(code, m.globals, false), opLocalGet, 0, opEnd)
}

// addTypes writes the type section with the further types, and adds the helpers to the functions.
func (m *rewriter) addTypes() {
	kind := m.typeOf([]byte{0x60, 1, i32, 1, i32})
	r := reader{raw: m.sections[typeSection]}
	many := r.count()
	types := append(appendUint(nil, many+uint64(len(m.made))), r.raw[r.at:]...)
	m.sections[typeSection] = append(types, slices.Concat(m.made...)...)
	r = reader{raw: m.sections[functionSection]}
	many = r.count()
	functions := append(appendUint(nil, many+helpers), r.raw[r.at:]...)
	m.sections[functionSection] = appendUint(appendUint(functions, kind), kind)
}

// typeOf returns the index of a further type.
func (m *rewriter) typeOf(form []byte) uint64 {
	at := slices.IndexFunc(m.made, func(known []byte) bool { return slices.Equal(known, form) })
	if at < 0 {
		at = len(m.made)
		m.made = append(m.made, form)
	}
	return uint64(len(m.types) + at)
}

// blockOf returns the type of a block with the results of a function.
func (m *rewriter) blockOf(results []byte) []byte {
	switch len(results) {
	case 0:
		return []byte{0x40}
	case 1:
		return results
	}
	form := appendUint([]byte{0x60, 0}, uint64(len(results)))
	return appendInt(nil, int64(m.typeOf(append(form, results...))))
}

// rewriteCode rewrites each function, and adds the helpers.
func (m *rewriter) rewriteCode() ([]byte, error) {
	r := reader{raw: m.sections[codeSection]}
	if many := r.count(); many != uint64(len(m.own)) {
		return nil, fmt.Errorf("there are %d functions and the code of %d", len(m.own), many)
	}
	out := appendUint(nil, uint64(len(m.own))+helpers)
	for i, kind := range m.own {
		raw := r.bytes(r.uint())
		if r.failed {
			return nil, errCut
		}
		b := body{m: m, in: reader{raw: raw}, kind: m.types[kind]}
		code, err := b.rewrite()
		if err != nil {
			return nil, fmt.Errorf("function %d: %w", m.imported+i, err)
		}
		out = append(appendUint(out, uint64(len(code))), code...)
	}
	if err := r.done("code"); err != nil {
		return nil, err
	}
	for _, helper := range [helpers][]byte{ofBytes: m.helper(opI64DivU, bytesOfUnit), ofPages: m.helper(opI64Mul, pricePage)} {
		out = append(appendUint(out, uint64(len(helper))), helper...)
	}
	return out, nil
}

// trapBelow appends a trap if a counter is below zero.
func (m *rewriter) trapBelow(out []byte, counter uint32, narrow bool) []byte {
	out = appendUint(append(out, opGlobalGet), uint64(counter))
	if narrow {
		out = append(out, opI32Const, 0, opI32LtS)
	} else {
		out = append(out, opI64Const, 0, opI64LtS)
	}
	return append(out, opIf, 0x40, opUnreachable, opEnd)
}
