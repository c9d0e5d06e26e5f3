package holdings

import (
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
)

// TestOpens: who reads private data without a key is told that they are private, and public data
// need none.
func TestOpens(t *testing.T) {
	t.Parallel()
	a := cli.New(nil, nil, nil)
	a.Home = t.TempDir()
	if own, err := opens(a, false); own != nil || err != nil {
		t.Errorf("public data need %v, %v", own, err)
	}
	if _, err := opens(a, true); err == nil || !strings.Contains(err.Error(), "the data is private") {
		t.Errorf("%v", err)
	}
}
