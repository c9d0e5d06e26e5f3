package turn

import "testing"

// TestOf: judges come first, each at a place of its own; others come behind them.
func TestOf(t *testing.T) {
	t.Parallel()
	judges := [][32]byte{{1}, {2}, {3}}
	for subject := range byte(20) {
		w, seen := Work[[32]byte]{Subject: [32]byte{subject}, Round: 1, Op: 2}, map[int]bool{}
		for _, j := range judges {
			seen[w.Of(judges, j)] = true
		}
		if !seen[0] || !seen[1] || !seen[2] {
			t.Errorf("subject %d: places %v", subject, seen)
		}
		if p := w.Of(judges, [32]byte{9}); p < 3 || p >= 3+Outsiders {
			t.Errorf("subject %d: an outsider has place %d", subject, p)
		}
	}
}
