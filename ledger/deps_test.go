package ledger

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImports: the client knows package voting's types and the program's layouts, and neither the
// embedded chain nor the journal.
func TestImports(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "ojud/ledger").Output()
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{"ojud/config/bounds": true, "ojud/ledger": true, "ojud/ledger/journal/durable": true, "ojud/ledger/onchain": true, "ojud/ledger/program": true, "ojud/ledger/providers": true, "ojud/ledger/rpc": true, "ojud/ledger/looks": true, "ojud/ledger/transact": true, "ojud/voting": true, "ojud/voting/rules": true, "ojud/voting/strict": true, "ojud/voting/turn": true}
	for _, dep := range strings.Fields(string(out)) {
		if strings.HasPrefix(dep, "ojud/") && !allowed[dep] || dep == "testing" {
			t.Errorf("ojud/ledger imports %s", dep)
		}
	}
}
