package difftest_test

import (
	"encoding/binary"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/sbpf"
)

// scriptSource is a program that follows its instruction data. It copies the data to the heap and
// runs its operations in order, 48 bytes each (code and five arguments).
const scriptSource = `
	ldxdw r3, [r2-8]
	lddw r1, 0x300000000
	call sol_memcpy_
	lddw r7, 0x300000000
next:
	mov64 r6, r7
	add64 r7, 48
	ldxdw r0, [r6]
	ldxdw r1, [r6+8]
	ldxdw r2, [r6+16]
	ldxdw r3, [r6+24]
	ldxdw r4, [r6+32]
	ldxdw r5, [r6+40]
	jeq r0, 0, end
	jeq r0, 1, invoke_c
	jeq r0, 2, invoke_rust
	jeq r0, 3, log_data
	jeq r0, 4, store
	jeq r0, 5, return_data
	jeq r0, 6, get_return
	jeq r0, 7, sibling
	jeq r0, 8, burn
	jeq r0, 9, copy
	jeq r0, 10, height
	jeq r0, 11, create
	ja next
invoke_c:
	call sol_invoke_signed_c
	ja next
invoke_rust:
	call sol_invoke_signed_rust
	ja next
log_data:
	call sol_log_data
	ja next
store:
	stxdw [r1], r2
	ja next
return_data:
	call sol_set_return_data
	ja next
get_return:
	call sol_get_return_data
	ja next
sibling:
	call sol_get_processed_sibling_instruction
	ja next
burn:
	sub64 r1, 1
	jne r1, 0, burn
	ja next
copy:
	call sol_memmove_
	ja next
height:
	call sol_get_stack_height
	mov64 r1, r0
	call sol_log_64_
	ja next
create:
	call sol_create_program_address
	ja next
end:
	mov64 r0, r1
	exit
`

// Codes of operations.
const (
	opEnd = iota
	opInvokeC
	opInvokeRust
	opLogData
	opStore
	opReturnData
	opGetReturn
	opSibling
	opBurn
	opCopy
	opHeight
)

const scriptOps = 16

// script builds the instruction data of a script.
type script struct {
	ops  [][6]uint64
	data []byte
}

func (s *script) op(code uint64, args ...uint64) *script {
	var o [6]uint64
	o[0] = code
	copy(o[1:], args)
	s.ops = append(s.ops, o)
	return s
}

// put stores bytes and returns their later address.
func (s *script) put(b []byte) uint64 {
	for len(s.data)%8 != 0 {
		s.data = append(s.data, 0)
	}
	addr := sbpf.HeapStart + 48*scriptOps + uint64(len(s.data))
	s.data = append(s.data, b...)
	return addr
}

// words stores 64-bit integers.
func (s *script) words(list ...uint64) uint64 {
	var b []byte
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return s.put(b)
}

// build returns the instruction data.
func (s *script) build() []byte {
	var out []byte
	for _, o := range s.ops {
		for _, v := range o {
			out = binary.LittleEndian.AppendUint64(out, v)
		}
	}
	return append(append(out, make([]byte, 48*scriptOps-len(out))...), s.data...)
}

// show logs memory.
func (s *script) show(pairs ...uint64) *script {
	return s.op(opLogData, s.words(pairs...), uint64(len(pairs)/2))
}

// slot is the place of an account in a program's input.
type slot struct {
	key, owner, lamports, length, data uint64
}

// slots lays out accounts of these data lengths; -n-1 repeats the n-th.
func slots(lengths ...int) []slot {
	var out []slot
	at := sbpf.InputStart + 8
	for _, n := range lengths {
		if n < 0 {
			out = append(out, out[-n-1])
			at += 8
			continue
		}
		out = append(out, slot{at + 8, at + 40, at + 72, at + 80, at + 88})
		at += 88 + uint64(n+7)&^7 + 10240 + 8
	}
	return out
}

// call is an invocation as a program describes it.
type call struct {
	program solana.PublicKey
	metas   []*solana.AccountMeta
	data    []byte
	infos   []slot
	lengths []uint64   // of the infos' data
	seeds   [][][]byte // per signer
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// argsC stores a call in the C ABI and returns the arguments of the system call.
func (s *script) argsC(c call) [5]uint64 {
	var metas, infos []byte
	for _, m := range c.metas {
		metas = append(metas, data(s.put(m.PublicKey[:]), bit(m.IsWritable), bit(m.IsSigner), make([]byte, 6))...)
	}
	for i, p := range c.infos {
		infos = append(infos, data(p.key, p.lamports, c.lengths[i], p.data, p.owner, ^uint64(0), make([]byte, 8))...)
	}
	ix := s.words(s.put(c.program[:]), s.put(metas), uint64(len(c.metas)), s.put(c.data), uint64(len(c.data)))
	return [5]uint64{ix, s.put(infos), uint64(len(c.infos)), s.seeds(c.seeds), uint64(len(c.seeds))}
}

// argsRust is argsC in the Rust ABI.
func (s *script) argsRust(c call) [5]uint64 {
	var metas, infos []byte
	for _, m := range c.metas {
		metas = append(metas, data(m.PublicKey, bit(m.IsSigner), bit(m.IsWritable))...)
	}
	for i, p := range c.infos {
		lamports, bytes := s.words(1, 1, 0, p.lamports), s.words(1, 1, 0, p.data, c.lengths[i])
		infos = append(infos, data(p.key, lamports, bytes, p.owner, ^uint64(0), make([]byte, 8))...)
	}
	n, m := uint64(len(c.metas)), uint64(len(c.data))
	ix := s.put(data(s.put(metas), n, n, s.put(c.data), m, m, c.program))
	return [5]uint64{ix, s.put(infos), uint64(len(c.infos)), s.seeds(c.seeds), uint64(len(c.seeds))}
}

func (s *script) seeds(signers [][][]byte) uint64 {
	var lists []uint64
	for _, seeds := range signers {
		var list []uint64
		for _, seed := range seeds {
			list = append(list, s.put(seed), uint64(len(seed)))
		}
		lists = append(lists, s.words(list...), uint64(len(seeds)))
	}
	return s.words(lists...)
}

// invoke adds a call in one of the two ABIs.
func (s *script) invoke(code uint64, c call) *script {
	return s.repeat(1, code, c)
}

// repeat adds the same call n times.
func (s *script) repeat(n int, code uint64, c call) *script {
	args := s.argsC
	if code == opInvokeRust {
		args = s.argsRust
	}
	a := args(c)
	for range n {
		s.op(code, a[:]...)
	}
	return s
}
