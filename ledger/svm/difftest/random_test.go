package difftest_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/sbpf"
)

// batch is the number of random programs on a chain, and perRound the number with one seed.
const (
	batch    = 100
	perRound = 2000
)

// recordedPrograms is the number of random programs in a trace.
const recordedPrograms = 400

// randomProgramCases makes instruction streams that mostly pass the verifier. A program logs its
// registers at the end.
func randomProgramCases(t *testing.T, seed uint64, n int) []difftest.Case {
	rng := rand.New(rand.NewPCG(seed, seed))
	var out []difftest.Case
	for i, v := range versions {
		for done, all := 0, (n+i)/len(versions); done < all; done += batch {
			out = append(out, randomBatch(t, rng, v, fmt.Sprintf("seed%d-v%d-%d", seed, v, done), min(batch, all-done)))
		}
	}
	return out
}

// first returns the first seed.
func first() uint64 {
	if *seed == 0 {
		return fixedSeed
	}
	return *seed
}

// source returns the random source of a run and logs its seed.
func source(t *testing.T) *rand.Rand {
	t.Logf("seed %d (a replay takes the recorded cases instead)", first())
	return rand.New(rand.NewPCG(first(), first()))
}

func randomBatch(t *testing.T, rng *rand.Rand, v sbpf.Version, name string, n int) difftest.Case {
	t.Helper()
	payer, foreign := difftest.Address("payer"), difftest.Address("foreign")
	c := difftest.Case{Name: name, Accounts: []accounts.Keyed{
		difftest.Wallet(payer, 1000*sol),
		difftest.Owned(foreign, difftest.Address("foreign-owner"), sol, []byte("0123456789abcdef")),
	}}
	runtime, err := svm.New(svm.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		g := &generator{rng: rng, version: v, gentle: rng.IntN(5) < 3, image: asm.Image{Calls: map[int]string{}, Refs: map[int]int{}}}
		elf := g.program()
		if rng.IntN(25) == 0 {
			elf = mutate(rng, elf)
		}
		p := difftest.Deployment{ID: difftest.Address(fmt.Sprint(name, i)), ELF: elf}
		own := difftest.Address(fmt.Sprint(name, "own", i))
		c.Programs = append(c.Programs, p)
		if runtime.CheckELF(elf, false) != nil {
			continue // the two compare the reason
		}
		c.Accounts = append(c.Accounts, difftest.Owned(own, p.ID, 2*sol, []byte("fedcba9876543210")))
		c.Transactions = append(c.Transactions, build(t, accounts.DefaultEnvironment(), payer,
			solana.NewInstruction(solana.ComputeBudget, nil, data(byte(2), uint32(2000+rng.IntN(3000)))),
			solana.NewInstruction(p.ID, defaultMetas(own, payer, foreign), []byte("instruction data")[:rng.IntN(17)])))
	}
	return c
}

// mutate changes a few bytes of a file, mostly in its headers, and avoids versions 1 and 2.
func mutate(rng *rand.Rand, elf []byte) []byte {
	for range 1 + rng.IntN(3) {
		limit := len(elf)
		if rng.IntN(2) == 0 {
			limit = min(limit, 176)
		}
		if limit > 0 {
			elf[rng.IntN(limit)] = byte(interesting(rng))
		}
	}
	if v := elf[48]; v == 1 || v == 2 {
		elf[48] = 0
	}
	if rng.IntN(8) == 0 {
		elf = elf[:rng.IntN(len(elf)+1)]
	}
	return elf
}

// generator writes one program.
type generator struct {
	rng     *rand.Rand
	version sbpf.Version
	image   asm.Image
	gentle  bool  // it runs to its end and shows its results; others mostly fault earlier
	kept    int   // results on the stack
	jumps   []int // instructions with a target to fill in
	starts  []int // first slots of instructions
}

func (g *generator) pick(list ...byte) byte { return list[g.rng.IntN(len(list))] }

func (g *generator) put(op, dst, src byte, off int16, imm int32) int {
	at := len(g.image.Text) / 8
	g.starts = append(g.starts, at)
	b := []byte{op, dst | src<<4, byte(off), byte(uint16(off) >> 8), 0, 0, 0, 0}
	binary.LittleEndian.PutUint32(b[4:], uint32(imm))
	g.image.Text = append(g.image.Text, b...)
	return at
}

func (g *generator) lddw(dst byte, v uint64) int {
	at := g.put(0x18, dst, 0, 0, int32(v))
	g.image.Text = append(g.image.Text, 0, 0, 0, 0)
	g.image.Text = binary.LittleEndian.AppendUint32(g.image.Text, uint32(v>>32))
	return at
}

func (g *generator) call(name string) { g.image.Calls[g.put(0x85, 0, 0, 0, -1)] = name }

// interesting returns a number, in half of the cases near a border.
func interesting(rng *rand.Rand) uint64 {
	v := rng.Uint64()
	switch rng.IntN(6) {
	case 0:
		return v & 0xff
	case 1:
		return []uint64{0, 1, 2, 31, 32, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 1 << 63, ^uint64(0)}[v%13]
	case 2:
		return -(v & 0xff)
	case 3:
		return (1+v>>8&3)<<32 + v&0xff
	}
	return v >> (rng.Uint64() & 63)
}

// edge returns the begin or the end of a region of memory, an account in the input or a stack
// frame.
func edge(rng *rand.Rand) uint64 {
	input := sbpf.InputStart
	return []uint64{
		sbpf.TextStart, sbpf.RodataStart, sbpf.RodataStart + 40, sbpf.StackStart, sbpf.StackStart + 4096, sbpf.StackStart + 8192, sbpf.StackStart + 64*4096,
		sbpf.HeapStart, sbpf.HeapStart + 32<<10, input, input + ownStart, input + ownStart + ownerAt, input + ownStart + lamportsAt, input + ownStart + lengthAt,
		input + ownStart + bytesAt, input + ownStart + bytesAt + 16, input + ownStart + bytesAt + 16 + 10240, input + payerStart, input + payerStart + lamportsAt,
		input + foreignStart + bytesAt, input + foreignStart + bytesAt + 16, input + dataStart, input + dataStart + 56, 5 << 32, 0, ^uint64(0),
	}[rng.IntN(26)]
}

// anySyscall calls any system call with arguments that are numbers, places on the stack, or edges
// of memory.
func (g *generator) anySyscall() {
	for r := byte(1); r <= 5; r++ {
		switch g.rng.IntN(5) {
		case 0:
			g.lddw(r, edge(g.rng))
		case 1:
			g.lddw(r, interesting(g.rng))
		case 2:
			g.put(0xb7, r, 0, 0, int32(g.rng.IntN(40)))
		default:
			g.put(0xbf, r, 10, 0, 0)
			g.put(0x07, r, 0, 0, -8*int32(g.rng.IntN(64)))
		}
	}
	g.call([]string{
		"abort", "sol_panic_", "sol_log_", "sol_log_64_", "sol_log_compute_units_", "sol_log_pubkey", "sol_log_data", "sol_sha256", "sol_keccak256", "sol_alloc_free_",
		"sol_create_program_address", "sol_try_find_program_address", "sol_get_clock_sysvar", "sol_get_rent_sysvar", "sol_get_epoch_schedule_sysvar",
		"sol_get_last_restart_slot", "sol_get_sysvar", "sol_memcpy_", "sol_memmove_", "sol_memset_", "sol_memcmp_", "sol_set_return_data", "sol_get_return_data",
		"sol_get_stack_height", "sol_get_processed_sibling_instruction", "sol_invoke_signed_c", "sol_invoke_signed_rust", "sol_get_epoch_rewards_sysvar",
		"sol_get_epoch_stake", "sol_remaining_compute_units",
	}[g.rng.IntN(30)])
}

func (g *generator) program() []byte {
	g.image.Rodata = []byte("read-only data, 40 bytes of it in total.")
	for r := byte(2); r < 10; r++ {
		if g.rng.IntN(4) == 0 {
			g.image.Refs[g.lddw(r, 0)] = g.rng.IntN(40)
		} else {
			g.lddw(r, interesting(g.rng))
		}
	}
	for range 3 + g.rng.IntN(50) {
		g.instruction()
	}
	body := len(g.starts)
	g.finish()
	g.starts = g.starts[:body+1] // no jump goes into the code that shows the registers
	g.link()
	return g.image.ELF(g.version)
}

// link fills in the targets of jumps and internal calls: mostly forward, sometimes anywhere.
func (g *generator) link() {
	count := len(g.image.Text) / 8
	for _, at := range g.jumps {
		target := g.starts[g.rng.IntN(len(g.starts))]
		for try := 0; target <= at && try < 3; try++ {
			target = g.starts[g.rng.IntN(len(g.starts))]
		}
		if later := g.starts[slices.Index(g.starts, at)+1:]; g.gentle {
			target = later[g.rng.IntN(min(len(later), 8))]
		} else if g.rng.IntN(40) == 0 {
			target = g.rng.IntN(count + 8)
		}
		b := g.image.Text[8*at:]
		if b[0] == 0x85 {
			binary.LittleEndian.PutUint32(b[4:], uint32(target-at-1))
		} else {
			binary.LittleEndian.PutUint16(b[2:], uint16(target-at-1))
		}
	}
}

// mostKept bounds the results that a gentle program keeps on its stack, 8 bytes each, before later
// ones overwrite registers.
const mostKept = 32

// finish logs r0 to r9 and the kept results, and ends with r0, which is usually an error.
func (g *generator) finish() {
	for r := byte(0); r < 10; r++ {
		g.put(0x7b, 10, r, int16(r)*8-128, 0)
	}
	g.put(0xbf, 1, 10, 0, 0)
	g.put(0x07, 1, 0, 0, -128)
	g.put(0x7b, 10, 1, -32, 0)
	g.put(0x7a, 10, 0, -24, 80)
	g.put(0x07, 1, 0, 0, -384)
	g.put(0x7b, 10, 1, -16, 0)
	g.put(0x7a, 10, 0, -8, int32(8*g.kept))
	g.put(0x07, 1, 0, 0, 480)
	g.put(0xb7, 2, 0, 0, 2)
	g.call("sol_log_data")
	g.put(0x79, 0, 10, -128, 0)
	if g.rng.IntN(2) == 0 {
		g.put(0x77, 0, 0, 0, 60)
	}
	g.put(0x95, 0, 0, 0, 0)
}

// instruction writes one instruction of any kind.
func (g *generator) instruction() {
	rng := g.rng
	dst, src := byte(rng.IntN(10)), byte(rng.IntN(11))
	imm := int32(interesting(rng))
	k := rng.IntN(100)
	if g.gentle && k >= 86 {
		k = 99
	}
	switch {
	case k < 45:
		g.alu(dst, src, imm)
		g.keep(dst)
	case k < 65:
		g.memory(dst, src, imm)
		g.keep(dst)
	case k < 80:
		op := g.pick(0x05, 0x15, 0x1d, 0x25, 0x2d, 0x35, 0x3d, 0x45, 0x4d, 0x55, 0x5d, 0x65, 0x6d, 0x75, 0x7d, 0xa5, 0xad, 0xb5, 0xbd, 0xc5, 0xcd, 0xd5, 0xdd)
		if g.version == sbpf.V3 && op != 5 && rng.IntN(2) == 0 {
			op++
		}
		if rng.IntN(3) == 0 { // equal operands
			g.put(0xb7|op&8, dst, src, 0, imm)
		}
		g.jumps = append(g.jumps, g.put(op, dst, src, 0, imm))
	case k < 86:
		g.lddw(dst, interesting(rng))
	case k < 90:
		g.jumps = append(g.jumps, g.put(0x85, 0, 1, 0, 0))
	case k < 91:
		g.callx(dst)
	case k < 96:
		g.syscall()
	case k < 97:
		g.put(0x95, 0, 0, 0, 0)
	case k < 98 && rng.IntN(4) == 0:
		g.put(byte(rng.Uint32()), byte(rng.Uint32()), byte(rng.IntN(16)), int16(rng.Uint32()), imm)
	default:
		g.put(0xbf, dst, src, 0, 0)
	}
}

// keep stores a register where finish shows it.
func (g *generator) keep(r byte) {
	if g.gentle && g.kept < mostKept {
		g.put(0x7b, 10, r, int16(8*g.kept-512), 0)
		g.kept++
	}
}

func (g *generator) alu(dst, src byte, imm int32) {
	op := g.pick(0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80, 0x90, 0xa0, 0xb0, 0xc0, 0xd0) | g.pick(4, 7) | g.pick(0, 8)
	switch {
	case op&0xf0 == 0xd0:
		op, imm = op&0xf8|4, int32(g.pick(16, 32, 64))
	case op&0xf0 == 0x80:
		op &^= 8
	case g.gentle && (op&0xf0 == 0x30 || op&0xf0 == 0x90):
		if imm |= 1; src == 10 {
			op &^= 8
		} else {
			g.put(0x47, src, 0, 0, 1) // no division by zero
		}
	case op&8 == 0 && (op&0xf0 == 0x30 || op&0xf0 == 0x90) && imm == 0:
		imm = 3
	case op&8 == 0 && (op&0xf0 == 0x60 || op&0xf0 == 0x70 || op&0xf0 == 0xc0) && g.rng.IntN(60) > 0:
		imm &= 31
	}
	g.put(op, dst, src, int16(g.rng.IntN(3)), imm)
}

// memory loads or stores. The pointer is mostly r10 or r1.
func (g *generator) memory(dst, src byte, imm int32) {
	size := g.pick(0x60, 0x68, 0x70, 0x78)
	base, off := byte(10), int16(-g.rng.IntN(200))
	kind := g.rng.IntN(12)
	if g.gentle {
		kind, off = 11, off-8
	}
	switch kind {
	case 0:
		base, off = dst, int16(interesting(g.rng))
	case 1, 2:
		base, off = 1, int16(g.rng.IntN(120))
	case 3:
		g.lddw(9, edge(g.rng))
		base, off = 9, int16(g.rng.IntN(17)-8)
	case 4:
		off = int16(interesting(g.rng))
	}
	switch g.rng.IntN(3) {
	case 0:
		g.put(size|1, dst, base, off, imm)
	case 1:
		g.put(size|2, base, 0, off, imm)
	default:
		g.put(size|3, base, src, off, imm)
	}
}

// callx calls the function after the next one, if it can find its own address.
func (g *generator) callx(r byte) {
	if g.version == sbpf.V3 {
		g.lddw(r, sbpf.TextStart+8*uint64(len(g.image.Text)/8+2+g.rng.IntN(4)))
		g.put(0x8d, r, byte(g.rng.IntN(11)), 0, int32(g.rng.IntN(12)))
		return
	}
	g.lddw(r, sbpf.TextStart+176+8*uint64(len(g.image.Text)/8+2+g.rng.IntN(4)))
	g.put(0x8d, byte(g.rng.IntN(10)), byte(g.rng.IntN(11)), 0, int32(r))
}

func (g *generator) syscall() {
	switch g.rng.IntN(11) {
	case 8, 9, 10:
		g.anySyscall()
	case 0:
		g.call("sol_log_64_")
	case 1:
		g.call("sol_log_compute_units_")
	case 2:
		g.put(0xbf, 1, 10, 0, 0)
		g.put(0x07, 1, 0, 0, -int32(g.rng.IntN(300)))
		g.put(0xb7, 2, 0, 0, int32(g.rng.IntN(100)))
		g.call([]string{"sol_log_", "sol_set_return_data"}[g.rng.IntN(2)])
	case 3:
		g.put(0xbf, 1, 10, 0, 0)
		g.put(0xbf, 2, 10, 0, 0)
		g.put(0x07, 1, 0, 0, -int32(g.rng.IntN(300)))
		g.put(0x07, 2, 0, 0, -int32(g.rng.IntN(300)))
		g.put(0xb7, 3, 0, 0, int32(g.rng.IntN(100)))
		g.call([]string{"sol_memcpy_", "sol_memmove_", "sol_memset_"}[g.rng.IntN(3)])
	case 4:
		g.call([]string{"sol_get_stack_height", "sol_log_pubkey", "sol_get_clock_sysvar", "abort", "sol_get_return_data"}[g.rng.IntN(5)])
	default:
		g.put(0xbf, 1, 10, 0, 0)
		g.put(0x07, 1, 0, 0, -int32(8*g.rng.IntN(30)))
		g.call([]string{"sol_get_rent_sysvar", "sol_log_pubkey", "sol_get_clock_sysvar"}[g.rng.IntN(3)])
	}
}
