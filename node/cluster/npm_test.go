package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// noNode is the environment variable that forbids programs in JavaScript.
const noNode = "OJUD_NO_NODE"

// asker is the folder of a client in JavaScript. Its author used docs/protocol.md, not this code.
const asker = "testdata/asker"

// runAsker runs a script of the client and returns its output. The error has its standard error.
func runAsker(t *testing.T, node, script string, args ...string) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, append([]string{script}, args...)...)
	var out, told bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = asker, &out, &told
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("%s: %w: %s", script, err, told.Bytes())
	}
	return out.Bytes(), nil
}

// askerNode returns the path of node. npm installs the client's packages if they are missing.
func askerNode(t *testing.T) (node string, err error) {
	t.Helper()
	return npmNode(t, asker)
}

// npmNode does the same for the packages of a folder. It does not use `npm ci`, which insists on
// lock entries for other platforms' builds. --no-save does not change the lock file.
func npmNode(t *testing.T, folder string) (node string, err error) {
	t.Helper()
	if node, err = exec.LookPath("node"); err != nil {
		return "", err
	}
	if there, err := installed(folder); err != nil || there {
		return node, err
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = folder
	t.Log("installing in ", folder, ": ", cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w: %s", cmd, err, out)
	}
	return node, nil
}

// installed reports whether the packages in package.json are beside it, in those versions.
func installed(dir string) (bool, error) {
	var wanted struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	raw, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err == nil {
		err = json.Unmarshal(raw, &wanted)
	}
	if err != nil {
		return false, err
	}
	for name, version := range wanted.Dependencies {
		var found struct {
			Version string `json:"version"`
		}
		raw, err := os.ReadFile(filepath.Join(dir, "node_modules", filepath.FromSlash(name), "package.json"))
		if err != nil || json.Unmarshal(raw, &found) != nil || found.Version != version {
			return false, nil
		}
	}
	return true, nil
}
