package rulebook_test

import (
	"testing"

	"ojud/node/rulebook"
)

// TestAt: a keyholder reads when a version applies, and how far that is from now.
func TestAt(t *testing.T) {
	for _, c := range []struct {
		at, now int64
		want    string
	}{
		{1_700_000_000, 1_700_000_000, "2023-11-14 22:13:20 UTC, in 0s"},
		{1_700_000_000, 1_699_999_910, "2023-11-14 22:13:20 UTC, in 1m30s"},
		{1_700_000_000, 1_700_000_060, "2023-11-14 22:13:20 UTC, 1m ago"},
	} {
		if got := rulebook.At(c.at, c.now); got != c.want {
			t.Errorf("%d at %d: %q, want %q", c.at, c.now, got, c.want)
		}
	}
}
