package agentdata

import (
	"strings"
	"testing"

	"ojud/casefile"
)

// TestLate: data that was written too late decides nothing.
func TestLate(t *testing.T) {
	creator, other := casefile.Address{1}, casefile.Address{2}
	done := Work{Creator: creator, Claimed: 100, Submitted: 200}
	for name, c := range map[string]struct {
		work      Work
		owner     casefile.Address
		at        int64
		says      string
		byCreator bool
	}{
		"the creator's, before the claim":     {done, creator, 100, "", false},
		"the creator's, after the claim":      {done, creator, 101, "after the work was claimed", true},
		"the creator's, after the result":     {done, creator, 201, "after the work was claimed", true},
		"another's, before the result":        {done, other, 200, "", false},
		"another's, after the result":         {done, other, 201, "after the result was handed in", false},
		"nobody knows when the work was done": {Work{}, creator, 1 << 40, "", false},
	} {
		why, byCreator := c.work.Late(Reading{Owner: c.owner, UpdatedAt: c.at})
		if !strings.Contains(why, c.says) || (why == "") != (c.says == "") || byCreator != c.byCreator {
			t.Errorf("%s: %q, %t", name, why, byCreator)
		}
	}
}
