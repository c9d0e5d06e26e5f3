package program

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestIDLInAnchor runs Anchor's own client over the IDL and the golden vectors.
func TestIDLInAnchor(t *testing.T) {
	const dir = "../../programs/oju/idl/e2e"
	if os.Getenv("OJUD_NO_NODE") == "1" {
		t.Log("did not run: OJUD_NO_NODE=1")
		return
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@anchor-lang", "core")); errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("Anchor's client is not installed. Run: npm ci --prefix programs/oju/idl/e2e\n" +
			"or set OJUD_NO_NODE=1 to do without this test")
	}
	cmd := exec.CommandContext(t.Context(), "node", "--test", "idl.test.mjs")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("node --test in %s: %v\n%s", dir, err, out)
	}
}
