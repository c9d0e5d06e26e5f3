package oju

import (
	"crypto/sha256"
	"fmt"
	"os"
	"testing"

	"ojud/programs/oju/guard"
)

// TestELF checks the committed program against its committed hash and the rules of package guard.
func TestELF(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("oju.so.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x  oju.so\n", sha256.Sum256(ELF())); got != string(want) {
		t.Errorf("oju.so has the hash %q, oju.so.sha256 says %q; run build.sh", got, want)
	}
	if err := guard.Check(ELF()); err != nil {
		t.Error(err)
	}
}

func TestELFIsACopy(t *testing.T) {
	t.Parallel()
	ELF()[0] = 0
	if ELF()[0] != 0x7f {
		t.Error("a caller changed the program")
	}
}
