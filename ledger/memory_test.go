package ledger

import (
	"testing"

	"ojud/ledger/onchain"
)

// TestMemory: the last so many signatures are known, and no older ones, while it fills and after;
// it takes no more room than that.
func TestMemory(t *testing.T) {
	const most = 5
	m := newMemory(most)
	sig := func(n int) onchain.Signature { return onchain.Signature{byte(n), 1} }
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
