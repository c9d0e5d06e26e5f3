// Package systemd_test checks the units of a judge and of agents: how much they leave open, and
// that a node judges and an agent host answers under their system call filters.
package systemd_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// The units of a judge and of other commands.
const (
	unit   = "ojud@.service"
	agents = "ojud-agent@.service"
)

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
	for _, unit := range []string{unit, agents} {
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
}

// TestUnderstood: systemd finds nothing wrong in a unit, and finds a setting that is none.
func TestUnderstood(t *testing.T) {
	t.Parallel()
	if !present(t, "systemd-analyze", "systemd") {
		return
	}
	for _, unit := range []string{unit, agents} {
		raw, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		here := strings.Replace(string(raw), "/usr/local/bin/ojud", "/bin/true", 1) // ojud is not installed
		for text, good := range map[string]bool{here: true, strings.Replace(here, "KillSignal=", "KillSignals=", 1): false} {
			file := filepath.Join(t.TempDir(), unit)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", file).CombinedOutput()
			if (len(out) == 0 && err == nil) != good {
				t.Errorf("%s: %v, %s", unit, err, out)
			}
		}
	}
}

// TestSameConfinement: both units confine alike, so that a fix of one is not forgotten in the
// other.
func TestSameConfinement(t *testing.T) {
	t.Parallel()
	confines := func(unit string) (out []string) {
		raw, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, found := strings.Cut(string(raw), "# Nothing of the system but the home")
		for line := range strings.Lines(rest) {
			if found && !strings.HasPrefix(line, "#") {
				out = append(out, line)
			}
		}
		return out
	}
	if a, b := confines(unit), confines(agents); len(a) < 30 || !slices.Equal(a, b) {
		t.Errorf("%s\nand\n%s", a, b)
	}
}

// TestAttackSharedUser: whoever breaks into one judge's node reads the keys of all others of the
// machine if they run as one user, or write into one folder.
func TestAttackSharedUser(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{unit, agents} {
		raw, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			switch key {
			case "User", "Group", "StateDirectory", "WorkingDirectory", "EnvironmentFile", "ExecStart":
				if !strings.Contains(value, "%i") {
					t.Errorf("%s: all share %s", unit, line)
				}
			}
		}
	}
}

// TestConfined runs the chain and the nodes of a court under the unit's filter of system calls,
// until they have decided two disputes, and an agent host until an agent has answered. A program
// that mounts is refused. `make confined` runs it, because it builds ojud.
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
	hosts(t, program)
}

// hosts runs an agent host under the filter of its unit. It gives the program of an agent its
// limits, and ends as systemd ends it.
func hosts(t *testing.T, program string) {
	t.Helper()
	home := t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(home, "agents"), 0o700), os.WriteFile(filepath.Join(home, "agents", "echo.toml"),
		[]byte("[mind]\nkind = \"executable\"\nrun = [\"echo\", '\"confined\"']\n[[capabilities]]\nname = \"say\"\n[limits]\ncpu = \"2s\"\nmemory_mb = 64\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	host := exec.CommandContext(t.Context(), "python3", "confined.py", agents, program, "agents", "run", "--home", home)
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && !strings.HasPrefix(lines.Text(), "ready"); {
	}
	said, err := exec.CommandContext(t.Context(), program, "agents", "invoke", "agent://echo/say", "--home", home).CombinedOutput()
	if err != nil || !strings.Contains(string(said), `"confined"`) {
		t.Errorf("%v: %s", err, said)
	}
	if err := host.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := host.Wait(); err != nil {
		t.Errorf("the host ended with %v", err)
	}
}
