package meter

import (
	"bytes"
	"errors"
	"fmt"
)

// The types of values that the rewriter writes.
const i32, i64, f32, f64, v128 = 0x7f, 0x7e, 0x7d, 0x7c, 0x7b

// The instructions that the rewriter writes or treats in a way of their own.
const (
	opUnreachable, opBlock, opLoop, opIf, opElse, opEnd = 0x00, 0x02, 0x03, 0x04, 0x05, 0x0b
	opBr, opBrIf, opBrTable, opReturn                   = 0x0c, 0x0d, 0x0e, 0x0f
	opCall, opCallIndirect, opSelect, opSelectTyped     = 0x10, 0x11, 0x1b, 0x1c
	opLocalGet, opLocalSet, opGlobalGet, opGlobalSet    = 0x20, 0x21, 0x23, 0x24
	opMemorySize, opMemoryGrow                          = 0x3f, 0x40
	opI32Const, opI64Const, opF32Const, opF64Const      = 0x41, 0x42, 0x43, 0x44
	opI32LtS, opI64LtS, opF32Eq, opF64Eq                = 0x48, 0x53, 0x5b, 0x61
	opI32Add, opI32Sub, opI64Sub, opI64Mul, opI64DivU   = 0x6a, 0x6b, 0x7d, 0x7e, 0x80
	opI64ExtendI32U, opRefNull, opRefFunc               = 0xad, 0xd0, 0xd2
	opBulk, opVector                                    = 0xfc, 0xfd
)

// The instructions behind the prefix 0xfd that the rewriter writes.
const vectorConst, vectorF32Eq, vectorF64Eq, vectorSelect = 0x0c, 0x41, 0x47, 0x52

// body rewrites one function.
//
// The instructions of a straight run are charged together before the run begins. A run ends with an
// instruction that may go elsewhere, or at a place to which others go.
type body struct {
	m    *rewriter
	in   reader
	kind signature

	out    []byte
	run    []byte // the instructions of the current run
	price  uint64 // and what they cost
	nest   int    // open blocks
	steps  int    // instructions so far
	calls  bool
	floats bool // needs locals for NaN
	lanes  bool // and one for vectors of floats
	locals uint64
}

func (b *body) rewrite() ([]byte, error) {
	declared, err := b.readLocals()
	if err != nil {
		return nil, err
	}
	b.price = b.locals / localsOfUnit
	for b.nest = 1; b.nest > 0; {
		if b.in.at >= len(b.in.raw) {
			return nil, errCut
		}
		if err := b.instruction(); err != nil {
			return nil, err
		}
		b.steps++
		if b.in.failed {
			return nil, errCut
		}
	}
	if b.in.at != len(b.in.raw) {
		return nil, errors.New("there is code after its end")
	}
	return b.wrap(declared), nil
}

// readLocals counts the locals and returns their declarations without their number.
func (b *body) readLocals() (groups [][]byte, err error) {
	for range b.in.count() {
		from := b.in.at
		b.locals += b.in.uint()
		b.in.byte()
		if b.in.failed || b.locals > 1<<16 {
			return nil, errors.New("it has too many locals, or is cut")
		}
		groups = append(groups, b.in.raw[from:b.in.at])
	}
	b.locals += uint64(b.kind.params)
	return groups, nil
}

// wrap puts the code that counts depth around the function. The original is a block in it, so that
// all its ways out lead past the end of the block. A function that calls nothing needs no count.
func (b *body) wrap(groups [][]byte) []byte {
	many := uint64(len(groups))
	if b.floats {
		many += 2
	}
	if b.lanes {
		many++
	}
	code := appendUint(nil, many)
	for _, g := range groups {
		code = append(code, g...)
	}
	if b.floats {
		code = append(code, 1, f32, 1, f64)
	}
	if b.lanes {
		code = append(code, 1, v128)
	}
	if !b.calls {
		return append(code, b.out...)
	}
	weight := 1 + int64(b.locals+uint64(b.steps))/slotsOfFrame
	depth := b.m.globals + 1
	move := func(op byte) {
		code = appendUint(append(code, opGlobalGet), uint64(depth))
		code = append(appendInt(append(code, opI32Const), weight), op)
		code = appendUint(append(code, opGlobalSet), uint64(depth))
	}
	move(opI32Sub)
	code = b.m.trapBelow(code, depth, true)
	code = append(append(code, opBlock), b.m.blockOf(b.kind.results)...)
	code = append(code, b.out...)
	move(opI32Add)
	return append(code, opEnd)
}

// flush writes the charge for the current run, and the run.
func (b *body) flush() {
	if b.price > 0 {
		fuel := uint64(b.m.globals)
		b.out = appendUint(append(b.out, opGlobalGet), fuel)
		b.out = append(appendInt(append(b.out, opI64Const), int64(b.price)), opI64Sub)
		b.out = appendUint(append(b.out, opGlobalSet), fuel)
		b.out = b.m.trapBelow(b.out, b.m.globals, false)
	}
	b.out = append(b.out, b.run...)
	b.run, b.price = b.run[:0], 0
}

// take adds an instruction to the run, and ends the run if it may go elsewhere.
func (b *body) take(from int, price uint64, ends bool) {
	b.price += price
	b.run = append(b.run, b.in.raw[from:b.in.at]...)
	if ends {
		b.flush()
	}
}

// instruction rewrites the next instruction.
func (b *body) instruction() error {
	from := b.in.at
	op := b.in.byte()
	switch {
	case op == opUnreachable:
		b.take(from, 1, true)
	case op == 0x01 || op == 0x1a || op == opSelect || op >= 0x45 && op <= 0xc4 || op == 0xd1:
		b.take(from, priceOf(op), false)
		b.canonical(op)
	case op >= opBlock && op <= opIf:
		return b.open(op, from)
	case op == opElse:
		b.take(from, 1, true)
	case op == opEnd:
		b.nest--
		b.take(from, 0, true)
	case op == opBr || op == opBrIf:
		b.in.uint()
		b.take(from, 1, true)
	case op == opBrTable:
		b.in.skip(int(b.in.count()) + 1)
		b.take(from, 1, true)
	case op == opReturn:
		b.price++
		b.run = appendUint(append(b.run, opBr), uint64(b.nest-1))
		b.flush()
	case op == opCall || op == opCallIndirect:
		b.call(op, from)
	default:
		return b.plain(op, from)
	}
	return nil
}

// open begins a block. Blocks and loops cost nothing to enter: a charge there would stand between
// the blocks of a jump table. A loop is a place to which others go.
func (b *body) open(op byte, from int) error {
	if b.nest++; b.nest > maxNest {
		return fmt.Errorf("blocks are nested deeper than %d", maxNest)
	}
	b.in.uint() // a type of values is a number of one byte, too
	if op == opIf {
		b.take(from, 1, true)
	} else {
		b.take(from, 0, op == opLoop)
	}
	return nil
}

func (b *body) call(op byte, from int) {
	b.calls = true
	if op == opCallIndirect {
		b.in.skip(2)
		b.take(from, priceIndirect, false)
		return
	}
	price := uint64(priceCall)
	if b.in.uint() < uint64(b.m.imported) {
		price = priceHost
	}
	b.take(from, price, false)
}

// plain rewrites an instruction with immediates that goes nowhere else.
func (b *body) plain(op byte, from int) error {
	switch {
	case op == opSelectTyped:
		b.in.skip(int(b.in.count()))
	case op >= 0x20 && op <= 0x26, op == opRefFunc, op == opI32Const, op == opI64Const:
		b.in.uint()
	case op >= 0x28 && op <= 0x3e:
		b.memarg()
	case op == opMemorySize, op == opRefNull:
		b.in.byte()
	case op == opMemoryGrow:
		b.in.byte()
		b.charge(ofPages)
		b.take(from, priceGrow, false)
		return nil
	case op == opF32Const:
		b.in.bytes(4)
	case op == opF64Const:
		b.in.bytes(8)
	case op == opBulk:
		return b.bulk(from)
	case op == opVector:
		return b.vector(from)
	default:
		return fmt.Errorf("the instruction %#x at byte %d is not allowed", op, from)
	}
	b.take(from, 1, false)
	return nil
}

// memarg reads the alignment and offset of an access. A flag in the alignment would name another
// memory; there is only one.
func (b *body) memarg() {
	if b.in.uint() >= 64 {
		b.in.failed = true
	}
	b.in.uint()
}

// charge takes fuel for the size on top of the stack: of bytes, or of pages of memory.
func (b *body) charge(helper uint64) {
	b.run = appendUint(append(b.run, opCall), b.m.helpers()+helper)
}

// bulk rewrites the instructions behind the prefix 0xfc. Those that take a size are charged for it.
func (b *body) bulk(from int) error {
	kind := b.in.uint()
	sized := false
	switch kind {
	case 0, 1, 2, 3, 4, 5, 6, 7: // conversions that do not trap
	case 8, 10, 12, 14: // memory.init, memory.copy, table.init, table.copy
		b.in.skip(2)
		sized = true
	case 11, 17: // memory.fill, table.fill
		b.in.skip(1)
		sized = true
	case 15:
		return fmt.Errorf("table.grow at byte %d is not allowed", from)
	case 9, 13, 16: // data.drop, elem.drop, table.size
		b.in.skip(1)
	default:
		return fmt.Errorf("the instruction 0xfc %d at byte %d is not allowed", kind, from)
	}
	if sized {
		b.charge(ofBytes)
	}
	b.take(from, 1, false)
	return nil
}

// priceOf returns the price of an instruction without immediates.
func priceOf(op byte) uint64 {
	switch {
	case op >= 0x6d && op <= 0x70, op >= 0x7f && op <= 0x82: // division of integers
		return priceSlow
	case op == 0x91, op == 0x95, op == 0x9f, op == 0xa3: // square root, division
		return priceSlow
	}
	return 1
}

// canonical makes the canonical NaN of any other behind an instruction that computes with floats.
// Machines differ in the sign and the payload of the NaN that they make.
func (b *body) canonical(op byte) {
	var local uint64
	var equal, constant byte
	var nan []byte
	switch {
	case op >= 0x8d && op <= 0x97, op == 0xb6:
		local, equal, constant, nan = b.locals, opF32Eq, opF32Const, []byte{0, 0, 0xc0, 0x7f}
	case op >= 0x9b && op <= 0xa5, op == 0xbb:
		local, equal, constant, nan = b.locals+1, opF64Eq, opF64Const, []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}
	default:
		return
	}
	b.floats = true
	b.run = appendUint(append(b.run, opLocalSet), local)
	b.run = appendUint(append(b.run, opLocalGet), local)
	b.run = append(append(b.run, constant), nan...)
	b.run = appendUint(append(b.run, opLocalGet), local)
	b.run = appendUint(append(b.run, opLocalGet), local)
	b.run = append(b.run, equal, opSelect)
	b.price++
}

// vector rewrites the instructions behind the prefix 0xfd. It refuses the relaxed ones, because
// machines answer them differently.
func (b *body) vector(from int) error {
	kind := b.in.uint()
	switch {
	case kind > 0xff:
		return fmt.Errorf("the instruction 0xfd %#x at byte %d is relaxed or unknown", kind, from)
	case kind <= 11, kind == 92, kind == 93:
		b.memarg()
	case kind == 12, kind == 13:
		b.in.bytes(16)
	case kind >= 21 && kind <= 34:
		b.in.byte()
	case kind >= 84 && kind <= 91:
		b.memarg()
		b.in.byte()
	}
	b.take(from, 1, false)
	b.canonicalLanes(kind)
	return nil
}

// canonicalLanes does for the lanes of a vector what canonical does for a float.
func (b *body) canonicalLanes(kind uint64) {
	var equal byte
	var nan []byte
	switch lane(kind) {
	case f32:
		equal, nan = vectorF32Eq, []byte{0, 0, 0xc0, 0x7f}
	case f64:
		equal, nan = vectorF64Eq, []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}
	default:
		return
	}
	b.floats, b.lanes = true, true
	local := b.locals + 2
	b.run = appendUint(append(b.run, opLocalSet), local)
	b.run = appendUint(append(b.run, opLocalGet), local)
	b.run = append(append(b.run, opVector, vectorConst), bytes.Repeat(nan, 16/len(nan))...)
	b.run = appendUint(append(b.run, opLocalGet), local)
	b.run = appendUint(append(b.run, opLocalGet), local)
	b.run = append(b.run, opVector, equal, opVector, vectorSelect)
	b.price++
}

// lane is the type of the lanes of a vector instruction that may make a NaN. Comparisons,
// conversions from integers, absolute value, negation and the pseudo-minimum and -maximum do not.
func lane(kind uint64) byte {
	switch {
	case kind == 0x5e, kind >= 0x67 && kind <= 0x6a, kind >= 0xe3 && kind <= 0xe9:
		return f32
	case kind == 0x5f, kind == 0x74, kind == 0x75, kind == 0x7a, kind == 0x94, kind >= 0xef && kind <= 0xf5:
		return f64
	}
	return 0
}
