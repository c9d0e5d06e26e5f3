package status

import (
	"strings"
	"testing"
	"time"

	"ojud/ledger"
)

// standing is a chain's clock whose newest block is that old.
type standing time.Duration

func (s standing) Last() (ledger.Moment, bool) {
	return ledger.Moment{Slot: 7, Unix: 1_800_000_000}, true
}
func (s standing) Age() time.Duration { return time.Duration(s) }

// TestStill: a chain that stands still is told with its time and the reason that the node knows.
func TestStill(t *testing.T) {
	for _, c := range []struct {
		age    time.Duration
		health ledger.Health
		says   []string
	}{
		{9 * time.Second, ledger.Health{Looks: "no answer"}, nil},
		{47 * time.Second, ledger.Health{}, []string{"no block was seen for 40s", "2027-01-15 08:00:00 UTC", "the chain itself stands still"}},
		{11*time.Minute + 40*time.Second, ledger.Health{Looks: "the RPC node refused the connection"}, []string{"for 11m", "refused the connection"}},
	} {
		r := &Reporter{Clock: standing(c.age), Watching: func() (ledger.Health, bool) { return c.health, true }}
		got := r.Still()
		if (got == "") != (c.says == nil) {
			t.Errorf("%s: %q", c.age, got)
		}
		for _, want := range c.says {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q does not say %q", c.age, got, want)
			}
		}
	}
}
