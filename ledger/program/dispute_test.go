package program

import (
	"math"
	"testing"
)

// TestDisputeFee: each seat of the panel is paid for, and the fee of an absurd amount is an error.
func TestDisputeFee(t *testing.T) {
	p := DefaultParams()
	for _, c := range []struct {
		amount uint64
		seats  uint8
		want   uint64
	}{{1, 7, 7_000_000}, {1_000_000_000, 28, 28_000_000}, {10_000_000_000, 7, 70_000_000}} {
		if got, err := p.DisputeFee(c.amount, c.seats); err != nil || got != c.want {
			t.Errorf("%d lamports, %d seats: %d, %v", c.amount, c.seats, got, err)
		}
	}
	p.FeeBps = 1_000
	if got, err := p.DisputeFee(math.MaxUint64, 28); err == nil {
		t.Errorf("a fee of %d", got)
	}
}
