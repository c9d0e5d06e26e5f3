package transact

import (
	"testing"
	"time"
)

// TestPriorityBudget spends up to the limit in any 24 hours, and says when a fee does not fit.
func TestPriorityBudget(t *testing.T) {
	refused := 0
	b := PriorityBudget{Limit: 100, Refused: func(uint64) { refused++ }}
	at := time.Unix(1_800_000_000, 0)
	for _, c := range []struct {
		after time.Duration
		take  uint64
		want  bool
	}{
		{0, 60, true}, {time.Hour, 40, true}, {time.Hour, 1, false}, {2 * time.Hour, 0, true}, {23 * time.Hour, 1, false},
		{24 * time.Hour, 60, true}, {24 * time.Hour, 1, false}, {25 * time.Hour, 40, true}, {1000 * time.Hour, 101, false},
		{1000 * time.Hour, 100, true}, {1000 * time.Hour, 1<<64 - 1, false},
	} {
		if got := b.Take(at.Add(c.after), c.take); got != c.want {
			t.Errorf("%d lamports after %v: %t", c.take, c.after, got)
		}
	}
	if refused != 5 {
		t.Errorf("%d refusals were told", refused)
	}
}
