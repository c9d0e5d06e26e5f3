package holdings

import (
	"math"
	"testing"

	"ojud/ledger/tokens"
)

// TestWorth: what tokens are worth has no overflow, and tokens that an agent might not get, or
// could not keep, are worth nothing to it.
func TestWorth(t *testing.T) {
	t.Parallel()
	usd := &tokens.Mint{Decimals: 6}
	for name, c := range map[string]struct {
		p    Pledge
		each uint64
		want uint64
	}{
		"a part of one":        {Pledge{Units: 1_500_000, mint: usd}, 1_000_000, 1_500_000},
		"less than a lamport":  {Pledge{Units: 1, mint: usd}, 999_999, 0},
		"frozen":               {Pledge{Units: 1_000_000, mint: usd, Frozen: true}, 5, 0},
		"with a hook":          {Pledge{Units: 1_000_000, mint: usd, Refused: "transfer hook"}, 5, 0},
		"no mint":              {Pledge{Units: 1_000_000}, 5, 0},
		"more than there is":   {Pledge{Units: math.MaxUint64, mint: &tokens.Mint{}}, math.MaxUint64, math.MaxInt64},
		"almost as much":       {Pledge{Units: math.MaxUint64, mint: usd}, 1_000_000, math.MaxInt64},
		"too many decimals":    {Pledge{Units: math.MaxUint64, mint: &tokens.Mint{Decimals: 255}}, math.MaxUint64, 0},
		"as many as there can": {Pledge{Units: math.MaxUint64, mint: &tokens.Mint{Decimals: 19}}, 1_000, 1_844},
	} {
		if got := c.p.Worth(c.each); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
