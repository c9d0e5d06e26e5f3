package megabrain

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
	want, err := os.ReadFile("megabrain.so.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x  megabrain.so\n", sha256.Sum256(ELF())); got != string(want) {
		t.Errorf("megabrain.so has the hash %q, megabrain.so.sha256 says %q; run build.sh", got, want)
	}
	if err := guard.Check(ELF()); err != nil {
		t.Error(err)
	}
}
