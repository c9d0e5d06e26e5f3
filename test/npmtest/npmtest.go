// Package npmtest runs scripts with packages of npm in Go tests.
package npmtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// noNode in the environment says that programs in JavaScript are not wanted here.
const noNode = "OJUD_NO_NODE"

// Run runs a script of a folder with its arguments and returns what it writes, after it installed
// the packages of the folder's package.json if needed. It returns nil if this machine cannot do
// that: then the log says so, and in CI (the environment variable CI is set) it is an error.
func Run(t *testing.T, folder, script string, args ...string) []byte {
	t.Helper()
	if os.Getenv(noNode) == "1" {
		t.Logf("NOT RUN: %s=1, no package from npm was tried", noNode)
		return nil
	}
	node, err := install(t, folder)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatalf("packages from npm are missing, and CI must try them (or set %s=1): %v", noNode, err)
	}
	if err != nil {
		t.Logf("NOT RUN: NO PACKAGE FROM NPM WAS TRIED. Install Node.js 20 or later with npm, and let npm reach its registry: %v", err)
		return nil
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	out, told, err := run(ctx, folder, node, append([]string{script}, args...))
	// Three times, node died of a bus error in DuckDB's native library just after npm had installed
	// it, and then at each further run. A bus error is a page that cannot be read from its file.
	died := new(exec.ExitError)
	for i := 0; i < 4 && errors.As(err, &died) && !died.Exited(); i++ {
		t.Logf("%s died: %v: %s. It runs once more.", script, err, told)
		modules := filepath.Join(folder, "node_modules")
		if renewed := renew(t, modules); i > 0 || renewed != nil {
			t.Logf("The packages are installed anew after %d tries: copies of their libraries did not help, or could not be made (%v).", i+1, renewed)
			if err := os.RemoveAll(modules); err != nil {
				t.Fatal(err)
			}
			if _, err := install(t, folder); err != nil {
				t.Fatal(err)
			}
		}
		out, told, err = run(ctx, folder, node, append([]string{script}, args...))
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", script, err, told)
	}
	return out
}

// renew replaces the native libraries of a folder by copies that are on the disk, and logs their
// sums. If a library cannot be read, the error says so.
func renew(t *testing.T, folder string) error {
	t.Helper()
	return filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !slices.Contains([]string{".node", ".so"}, filepath.Ext(name)) {
			return err
		}
		library, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		t.Logf("%s: %d bytes, sha256 %x", name, len(library), sha256.Sum256(library))
		f, err := os.CreateTemp(filepath.Dir(name), "copy-*")
		if err != nil {
			return err
		}
		_, err = f.Write(library)
		if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
			return err
		}
		return os.Rename(f.Name(), name)
	})
}

// run runs a command in a folder and returns what it writes to its output and its errors.
func run(ctx context.Context, folder, name string, args []string) (out, told []byte, err error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &stdout, &stderr
	err = cmd.Run()
	return stdout.Bytes(), stderr.Bytes(), err
}

// install returns the path of node, with the packages of a folder in place. It does not use `npm
// ci`, which insists on lock entries for builds of other platforms. --no-save leaves the lock
// file alone.
func install(t *testing.T, folder string) (node string, err error) {
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
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
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
func installed(folder string) (bool, error) {
	var wanted struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	raw, err := os.ReadFile(filepath.Join(folder, "package.json"))
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
		raw, err := os.ReadFile(filepath.Join(folder, "node_modules", filepath.FromSlash(name), "package.json"))
		if err != nil || json.Unmarshal(raw, &found) != nil || found.Version != version {
			return false, nil
		}
	}
	return true, nil
}
