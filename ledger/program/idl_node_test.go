package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// idlClient is where Anchor's own client meets the IDL.
const idlClient = "../../programs/oju/idl/e2e"

// TestIDLInAnchor runs Anchor's own client over the IDL and the golden vectors. It installs the
// client if need be. Where that is not possible the log says so, and in CI (the environment
// variable CI is set) it is an error; TestIDL checks the same file without it.
func TestIDLInAnchor(t *testing.T) {
	if os.Getenv("OJUD_NO_NODE") == "1" {
		t.Log("NOT RUN: OJUD_NO_NODE=1, Anchor's client was not tried")
		return
	}
	node, err := anchorClient(t)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatalf("Anchor's client is missing, and CI must try it (or set OJUD_NO_NODE=1): %v", err)
	}
	if err != nil {
		t.Logf("NOT RUN: ANCHOR'S CLIENT WAS NOT TRIED. Install Node.js 20 or later with npm, and let npm reach its registry: %v", err)
		return
	}
	cmd := exec.CommandContext(t.Context(), node, "--test", "idl.test.mjs")
	cmd.Dir = idlClient
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("node --test in %s: %v\n%s", idlClient, err, out)
	}
}

// anchorClient returns the path of node when the client is installed, if need be by npm.
func anchorClient(t *testing.T) (node string, err error) {
	t.Helper()
	if node, err = exec.LookPath("node"); err != nil {
		return "", err
	}
	_, err = os.Stat(filepath.Join(idlClient, "node_modules", "@anchor-lang", "core"))
	if !errors.Is(err, fs.ErrNotExist) {
		return node, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = idlClient
	t.Log("installing Anchor's client: ", cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w: %s", cmd, err, out)
	}
	return node, nil
}
