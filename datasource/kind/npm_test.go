package kind

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// noNode in the environment says that programs in JavaScript are not wanted here.
const noNode = "OJUD_NO_NODE"

// TestMCPFromNPM asks a widely used server, @modelcontextprotocol/server-memory, in the version of
// testdata/memory/package.json. It installs the server if needed. If that is not possible, the log
// says so, and in CI (the environment variable CI is set) it is an error. The other tests of this
// package use servers in Go.
func TestMCPFromNPM(t *testing.T) {
	if os.Getenv(noNode) == "1" {
		t.Logf("NOT RUN: %s=1, no server from npm was tried", noNode)
		return
	}
	node, err := memoryServer(t)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatalf("the server from npm is missing, and CI must try it (or set %s=1): %v", noNode, err)
	}
	if err != nil {
		t.Logf("NOT RUN: NO SERVER FROM NPM WAS TRIED. Install Node.js 20 or later with npm, and let npm reach its registry: %v", err)
		return
	}
	before := goleak.IgnoreCurrent()
	dir := t.TempDir()
	for name, line := range map[string]string{"public": `{"type":"entity","name":"post 7","entityType":"post","observations":["likes: 12"]}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs("testdata/memory/node_modules/@modelcontextprotocol/server-memory/dist/index.js")
	if err != nil {
		t.Fatal(err)
	}
	var j journal
	u, err := Open(&MCP{Tool: "search_nodes", Command: node, Args: []string{script}, Env: map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "public")}}, Env{Log: j.log()})
	if err != nil {
		t.Fatal(err)
	}
	same(t, ask(t, u, `{"query":"post 7"}`), `{"entities":[{"entityType":"post","name":"post 7","observations":["likes: 12"]}],"relations":[]}`)
	same(t, ask(t, u, `{"query":"nobody"}`), `{"entities":[],"relations":[]}`)
	refused(t, u, `{"query":7}`, ErrRefused, "")
	tool, err := u.(Describer).Describe(soon(t))
	if err != nil || !strings.Contains(string(tool.InputSchema), `"query"`) || !strings.Contains(string(tool.OutputSchema), `"entities"`) {
		t.Error(tool, err)
	}
	session, err := u.(*guarded).inner.(*server).acquire(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-session.process.exited:
	default:
		t.Error("the server is still there")
	}
	goleak.VerifyNone(t, before)
}

// memoryServer returns the path of node, after it installed the package by npm if needed. It does
// not use `npm ci`, because that insists on lock entries for other platforms' builds. --no-save
// leaves the lock file alone.
func memoryServer(t *testing.T) (node string, err error) {
	t.Helper()
	if node, err = exec.LookPath("node"); err != nil {
		return "", err
	}
	const folder = "testdata/memory"
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
	t.Log("installing the server: ", cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w: %s", cmd, err, out)
	}
	return node, nil
}

// installed reports whether the packages that a package.json names are beside it, in those
// versions.
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
