package difftest_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"ojud/ledger/svm/difftest"
	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/sbpf"
)

// loaded is a program with every kind of table: read-only data, calls, a system call.
const loaded = `
	.string text "some words"
	lddw r1, &text
	mov64 r2, 10
	call sol_log_
	call inner
	mov64 r0, 0
	exit
inner:
	call sol_log_compute_units_
	exit
`

// loadCases changes every byte of a file, one at a time. Both sides must refuse the same files for
// the same reason.
func loadCases(t *testing.T) []difftest.Case {
	var out []difftest.Case
	for _, v := range versions {
		file := asm.MustELF(loaded, v)
		for _, change := range []struct {
			name string
			of   func(byte) byte
		}{
			{"plus", func(b byte) byte { return b + 1 }},
			{"minus", func(b byte) byte { return b - 8 }},
			{"ones", func(byte) byte { return 0xff }},
			{"cut", nil},
		} {
			c := difftest.Case{Name: fmt.Sprintf("v%d %s", v, change.name)}
			for at := range file {
				elf := append([]byte(nil), file...)
				if change.of == nil {
					elf = elf[:at]
				} else if elf[at] = change.of(elf[at]); elf[48] == 1 || elf[48] == 2 {
					continue
				}
				c.Programs = append(c.Programs, difftest.Deployment{ID: difftest.Address(fmt.Sprint("load", at)), ELF: elf})
			}
			out = append(out, c)
		}
	}
	return append(out, namesLast())
}

// namesLast moves the section names behind everything else: to the very end of the file, and one
// byte too far.
func namesLast() difftest.Case {
	file, le := asm.MustELF(loaded, sbpf.V0), binary.LittleEndian
	head := le.Uint64(file[40:]) + 64*uint64(le.Uint16(file[62:]))
	from, size := le.Uint64(file[head+24:]), le.Uint64(file[head+32:])
	moved := append(append([]byte(nil), file...), file[from:from+size]...)
	le.PutUint64(moved[head+24:], uint64(len(file)))
	c := difftest.Case{Name: "names last"}
	for i, elf := range [][]byte{moved, moved[:len(moved)-1], append(moved[:len(moved):len(moved)], 0)} {
		c.Programs = append(c.Programs, difftest.Deployment{ID: difftest.Address(fmt.Sprint("names", i)), ELF: elf})
	}
	return c
}
