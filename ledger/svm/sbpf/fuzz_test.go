package sbpf_test

import (
	"bytes"
	"testing"

	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/sbpf"
)

// everything has all tables that an ELF file may have.
const everything = `
	.string text "some words"
	lddw r1, &text
	mov64 r2, 10
	call log
	call inner
	mov64 r0, 0
	exit
inner:
	stxdw [r10-8], r1
	exit
`

// calls returns an environment with one system call, which reads memory.
func calls(t testing.TB) *sbpf.Environment {
	t.Helper()
	env, err := sbpf.NewEnvironment(map[string]sbpf.Syscall{
		"log": func(m *sbpf.Machine, addr, n, _, _, _ uint64) (uint64, error) {
			_, err := m.Memory.Slice(addr, n, false)
			return 0, err
		},
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

var both = []sbpf.Version{sbpf.V0, sbpf.V3}

// FuzzLoad: no file makes the loader panic, and an accepted file runs within its units.
func FuzzLoad(f *testing.F) {
	for _, v := range both {
		f.Add(asm.MustELF(everything, v))
		f.Add(asm.MustELF("exit", v))
	}
	env := calls(f)
	f.Fuzz(func(t *testing.T, elf []byte) {
		before := bytes.Clone(elf)
		p, err := sbpf.Load(elf, env)
		if !bytes.Equal(before, elf) {
			t.Fatal("the file was changed")
		}
		if err != nil {
			return
		}
		if _, used, _ := run(t, p, sbpf.InputStart, 2000); used > 2000 {
			t.Fatalf("%d units used", used)
		}
	})
}

// FuzzInterpret: no text makes the machine panic, use more than its units or write to read-only
// data.
func FuzzInterpret(f *testing.F) {
	for _, v := range both {
		image, err := asm.Assemble(everything, v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(image.Text, v == sbpf.V3, uint64(1))
	}
	f.Add([]byte{0x8d, 0, 0, 0, 0, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0}, true, sbpf.TextStart)
	env := calls(f)
	f.Fuzz(func(t *testing.T, text []byte, strict bool, r1 uint64) {
		version := sbpf.V0
		if strict {
			version = sbpf.V3
		}
		elf := asm.Image{Text: text, Rodata: []byte("constant")}.ELF(version)
		p, err := sbpf.Load(elf, env)
		if err != nil {
			return
		}
		first, used, failed := run(t, p, r1, 3000)
		again, usedAgain, failedAgain := run(t, p, r1, 3000)
		if used > 3000 || first != again || used != usedAgain || (failed == nil) != (failedAgain == nil) {
			t.Fatalf("first %d %d %v, then %d %d %v", first, used, failed, again, usedAgain, failedAgain)
		}
	})
}
