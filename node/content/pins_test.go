package content

import (
	"fmt"
	"strings"
	"testing"

	"ojud/casefile"
)

// TestTwoAccountsOneHash: both accounts that a task pins with one hash are asked, and their hash is
// named once.
func TestTwoAccountsOneHash(t *testing.T) {
	t.Parallel()
	h := strings.Repeat("ab", 32)
	task := fmt.Appendf(nil, `{"instruction":["x"],"output_schema":{"type":"object"},"pda":[{"data":%q,"sha256":%q},{"data":%q,"sha256":%q}]}`, casefile.Address{7}, h, casefile.Address{8}, h)
	at, hashes := pins(task)
	if named := pinned(task); len(at) != 2 || len(hashes) != 2 || len(named) != 1 {
		t.Errorf("%d accounts, %d hashes, %d named; want 2, 2, 1", len(at), len(hashes), len(named))
	}
}
