// Package systemd_test checks the unit of a judge: how much it leaves open, and that a node judges
// under its system call filter.
package systemd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const unit = "ojud@.service"

// present reports whether a program is there. In CI it has to be.
func present(t *testing.T, name, from string) bool {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return true
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is missing; it comes with Debian's package %s", name, from)
	}
	t.Logf("NOT RUN: %s is missing; it comes with Debian's package %s", name, from)
	return false
}

// exposed returns what systemd says of a unit, and whether it is open by more than 1.5 of 10.
func exposed(t *testing.T, file string) (string, bool) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=15", file).CombinedOutput()
	return string(out), err != nil
}

// TestExposure: systemd counts at most 1.5 of 10 for what the unit leaves open. It counts more for
// the same unit without its last part.
func TestExposure(t *testing.T) {
	t.Parallel()
	if !present(t, "systemd-analyze", "systemd") {
		return
	}
	raw, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	if said, open := exposed(t, unit); open || !strings.Contains(said, "Overall exposure level") {
		t.Errorf("%s", said)
	}
	weak := filepath.Join(t.TempDir(), unit)
	before, _, found := strings.Cut(string(raw), "# No privileges,")
	if err := os.WriteFile(weak, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, open := exposed(t, weak); !open || !found {
		t.Errorf("a weaker unit is taken: %s", said)
	}
}

// TestAttackSharedUser: whoever breaks into one judge's node reads the keys of all others of the
// machine if they run as one user, or write into one folder.
func TestAttackSharedUser(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "User", "Group", "StateDirectory", "WorkingDirectory", "EnvironmentFile", "ExecStart":
			if !strings.Contains(value, "%i") {
				t.Errorf("all judges share %s", line)
			}
		}
	}
}

// TestConfined runs the chain and the nodes of a court under the unit's filter of system calls,
// until they have decided two disputes. A program that mounts is refused. `make confined` runs it,
// because it builds ojud.
func TestConfined(t *testing.T) {
	t.Parallel()
	if os.Getenv("CONFINED") != "1" {
		t.Log("NOT RUN: no node ran under the filter; make confined does it")
		return
	}
	if !present(t, "systemd-analyze", "systemd") || !present(t, "python3", "python3") || !present(t, "unshare", "util-linux") {
		return
	}
	program := filepath.Join(t.TempDir(), "ojud")
	run := func(words ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "TMPDIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if said, err := run("go", "build", "-trimpath", "-o", program, "../../cmd/ojud"); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if said, err := run("python3", "confined.py", unit, "unshare", "-m", "true"); err == nil || !strings.Contains(said, "not permitted") {
		t.Errorf("a program that mounts: %v, %s", err, said)
	}
	said, err := run("python3", "confined.py", unit, program, "devnet", "--demo", "--fast", "--nodes", "3")
	if err != nil || !strings.Contains(said, "confined to") || !strings.Contains(said, "verified: ") {
		t.Errorf("%v: %s", err, said)
	}
	said, err = run("python3", "confined.py", unit, program, "devnet", "--demo", "median", "--fast", "--nodes", "3") // code runs in the sandbox
	if err != nil || !strings.Contains(said, "verified: ") {
		t.Errorf("%v: %s", err, said)
	}
}
