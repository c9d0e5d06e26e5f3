package megabrain

import (
	"testing"

	"ojud/ledger/law"
	"ojud/ledger/program"
)

// TestAsked: a dispute about a budget that the court does not cover costs what the court asks for
// what it covers, and one below its least reward what it asks for that.
func TestAsked(t *testing.T) {
	p := program.Params{MinReward: 10}
	for _, c := range []struct {
		budget uint64
		cover  law.Cover
		want   uint64
	}{
		{100, law.Cover{}, 100},
		{100, law.Cover{Limited: true, Most: 200}, 100},
		{100, law.Cover{Limited: true, Most: 40}, 40},
		{100, law.Cover{Limited: true}, 10},
		{1, law.Cover{}, 10},
	} {
		if got := asked(c.budget, c.cover, p); got != c.want {
			t.Errorf("budget %d, %+v: %d, want %d", c.budget, c.cover, got, c.want)
		}
	}
}
