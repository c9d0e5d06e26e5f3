package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ojud/datasource/kind"
	"ojud/node/sources"
)

// TestSourceError checks that a terminal shows the words of a source's server as one line and obeys
// none of them.
func TestSourceError(t *testing.T) {
	t.Parallel()
	const hostile = "a\x1b[2J\u009b\u202eb\nojud: ok\x7f"
	for _, err := range []error{
		fmt.Errorf("x was not added, %w: %s", sources.ErrNoAnswer, hostile), &kind.FlagError{Flag: "tool", Problem: hostile},
	} {
		got := SourceError(&cobra.Command{Use: "add"}, err).Error()
		if !strings.Contains(got, `a\u001b[2J\u009b\u202eb\u000aojud: ok\u007f`) {
			t.Errorf("%q", got)
		}
	}
}
