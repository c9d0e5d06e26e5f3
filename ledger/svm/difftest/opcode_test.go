package difftest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/sbpf"
)

// operands are numbers near the borders of signed and unsigned 32 and 64 bits.
var operands = [...]uint64{
	0, 1, 2, 31, 32, 33, 63, 64, 65, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000, 0x123456789abcdef0,
	0x7fffffffffffffff, 1 << 63, math.MaxUint64, math.MaxUint64 - 1, 0xffffffff80000000, 0xfedcba9800000000,
}

// opcodeCases runs every operation on all pairs of operands and compares every result.
func opcodeCases(t *testing.T) []difftest.Case {
	var out []difftest.Case
	for _, v := range versions {
		sources := map[string]string{}
		for _, op := range []string{"add", "sub", "mul", "div", "or", "and", "lsh", "rsh", "mod", "xor", "mov", "arsh"} {
			for _, width := range []string{"64", "32"} {
				sources[op+width+" register"] = pairs(op+width, true, apply)
				sources[op+width+" constant"] = pairs(op+width, false, apply)
			}
		}
		for _, op := range []string{"le16", "le32", "le64", "be16", "be32", "be64", "neg64", "neg32"} {
			sources[op] = pairs(op, true, func(op, _ string) string { return op + " r1" })
		}
		for _, op := range []string{"jeq", "jgt", "jge", "jset", "jne", "jsgt", "jsge", "jlt", "jle", "jslt", "jsle"} {
			for _, width := range []string{"", "32"} {
				if width == "32" && v == sbpf.V0 {
					continue
				}
				sources[op+width+" register"] = pairs(op+width, true, branch)
				sources[op+width+" constant"] = pairs(op+width, false, branch)
			}
		}
		sources["memory"] = accesses()
		sources["lddw last"] = "mov64 r0, 0\nexit\nlddw r1, 5" // the verifier lets it fill the last two slots
		out = append(out, opcodeCase(t, v, sources))
	}
	return out
}

func apply(op, second string) string { return op + " r1, " + second }

// branch leaves 1 in r1 if the jump is taken.
func branch(op, second string) string {
	return op + " r1, " + second + ", +2\nmov64 r1, 0\nja +1\nmov64 r1, 1"
}

// pairs applies an operation to all pairs and shows the results.
func pairs(op string, register bool, code func(op, second string) string) string {
	var b strings.Builder
	b.WriteString("lddw r6, 0x300000000\n")
	n := 0
	for _, x := range operands {
		for _, y := range operands {
			second := "r2"
			if !register {
				y = uint64(int64(int32(y)))
				second = fmt.Sprint(int32(y))
			}
			if !allowed(op, y, register) {
				continue
			}
			fmt.Fprintf(&b, "lddw r1, %d\nlddw r2, %d\n%s\nstxdw [r6], r1\nadd64 r6, 8\n", x, y, code(op, second))
			n++
		}
	}
	return b.String() + "lddw r7, 0x300000000" + show("r7", 8*n)
}

// allowed excludes divisions by zero and constants that the verifier refuses.
func allowed(op string, y uint64, register bool) bool {
	divides := strings.HasPrefix(op, "div") || strings.HasPrefix(op, "mod")
	if strings.HasSuffix(op, "32") && divides {
		return uint32(y) != 0
	}
	if divides {
		return y != 0
	}
	if strings.Contains(op, "sh") && !register {
		return strings.HasSuffix(op, "64") && y < 64 || y < 32
	}
	return true
}

// accesses writes and reads all sizes at all alignments.
func accesses() string {
	var b strings.Builder
	b.WriteString("lddw r6, 0x300000000\nlddw r7, 0x300001000\nlddw r1, 0x8182838485868788\n")
	n := 0
	for _, size := range []string{"b", "h", "w", "dw"} {
		for off := range 9 {
			fmt.Fprintf(&b, "stx%s [r6+%d], r1\nadd64 r1, 0x1010101\nst%s [r6+%d], -0x7f7e7d7c\n", size, 8+off, size, 32+off)
			fmt.Fprintf(&b, "ldx%s r2, [r6+%d]\nstxdw [r7], r2\nldx%s r2, [r6+%d]\nstxdw [r7+8], r2\nadd64 r7, 16\n", size, 5+off, size, 30+off)
			n += 16
		}
	}
	return b.String() + "lddw r7, 0x300000000" + show("r7", 0x1000+n)
}

func opcodeCase(t *testing.T, v sbpf.Version, sources map[string]string) difftest.Case {
	t.Helper()
	env, payer := accounts.DefaultEnvironment(), difftest.Address("payer")
	c := difftest.Case{Name: fmt.Sprint("v", v), Accounts: []accounts.Keyed{difftest.Wallet(payer, 1000*sol)}}
	for _, name := range sortedKeys(sources) {
		image, err := asm.Assemble(sources[name], v)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p := difftest.Deployment{ID: difftest.Address(fmt.Sprint(name, v)), ELF: image.ELF(v)}
		c.Programs = append(c.Programs, p)
		c.Transactions = append(c.Transactions, build(t, env, payer, solana.NewInstruction(p.ID, nil, nil)))
	}
	return c
}
