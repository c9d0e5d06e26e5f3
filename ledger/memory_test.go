package ledger

import (
	"testing"

	"github.com/gagliardetto/solana-go"
)

// TestMemory: the last so many signatures are known, and no older ones, while it fills and after; it takes no more room than that.
func TestMemory(t *testing.T) {
	const most = 5
	m := newMemory(most)
	sig := func(n int) solana.Signature { return solana.Signature{byte(n), 1} }
	for n := range 4 * most {
		if !m.add(sig(n)) {
			t.Fatalf("signature %d is not new", n)
		}
		for old := range n + 1 {
			if known, want := m.has(sig(old)), old > n-most; known != want {
				t.Fatalf("after %d: %d is known: %t, want %t", n, old, known, want)
			}
		}
		if m.add(sig(n)) || len(m.known) > most || len(m.ring) > most {
			t.Fatalf("after %d: again new, or %d and %d kept", n, len(m.known), len(m.ring))
		}
	}
}
