package svm

import (
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/sbpf"
)

func elf(source string) []byte { return asm.MustELF(source, sbpf.V3) }

// TestCache: a program is verified once per content and replaced if its bytes change. The oldest
// makes room.
func TestCache(t *testing.T) {
	config := DefaultConfig()
	config.MaxPrograms = 2
	r, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	one, two := elf("mov64 r0, 1\nexit"), elf("mov64 r0, 2\nexit")
	a, b, c := solana.PublicKey{1}, solana.PublicKey{2}, solana.PublicKey{3}
	first := r.program(a, one)
	if first == nil || r.program(a, append([]byte(nil), one...)) != first {
		t.Fatal("equal bytes were verified twice")
	}
	if changed := r.program(a, two); changed == first || changed == nil {
		t.Fatal("changed bytes ran the old program")
	}
	if r.program(b, []byte("no program")) != nil {
		t.Fatal("no program verified")
	}
	r.program(c, one)
	if len(r.programs) != 2 || len(r.order) != 2 || r.programs[a] != nil {
		t.Fatalf("%d programs, order %v", len(r.programs), r.order)
	}
	if r.program(a, one) == nil || r.programs[b] != nil {
		t.Fatal("the oldest was not dropped")
	}
}

func TestSameSlice(t *testing.T) {
	long := make([]byte, 4096)
	for _, c := range []struct {
		a, b []byte
		want bool
	}{
		{nil, nil, true}, {long, long, true}, {long, long[:4095], false},
		{[]byte("abc"), []byte("abc"), true}, {[]byte("abc"), []byte("abd"), false},
	} {
		if got := sameSlice(c.a, c.b); got != c.want {
			t.Errorf("%d and %d bytes: %v", len(c.a), len(c.b), got)
		}
	}
}
