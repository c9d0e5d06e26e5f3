package oju

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ojud/programs/oju/guard"
)

// TestELF checks the committed program against its committed hash and the rules of package guard.
func TestELF(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("oju.so.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x  oju.so\n", sha256.Sum256(ELF())); got != string(want) {
		t.Errorf("oju.so has the hash %q, oju.so.sha256 says %q; run build.sh", got, want)
	}
	if err := guard.Check(ELF()); err != nil {
		t.Error(err)
	}
}

func TestELFIsACopy(t *testing.T) {
	t.Parallel()
	ELF()[0] = 0
	if ELF()[0] != 0x7f {
		t.Error("a caller changed the program")
	}
}

// TestMutantsFit: each mutant of the program still changes the sources. The control has one that
// does not.
func TestMutantsFit(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("tests/mutants.sh")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	const old = "if entry.stays(rules) was written otherwise"
	for _, c := range []struct {
		only, more, want string
	}{
		{"", "", " 0 missed"},
		{"one of old", "mutant 'one of old' state/roster.rs 's/" + old + "/if true/'\n", " 1 missed"},
	} {
		dir := t.TempDir()
		for _, name := range []string{"build.sh", "src", "signers", "escrow", "verdict"} {
			if err := os.Symlink(filepath.Join(here, name), filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		before, after, found := strings.Cut(string(script), "\nmutant ")
		if err := os.Mkdir(filepath.Join(dir, "tests"), 0o700); err != nil || !found {
			t.Fatal(err, found)
		}
		at := filepath.Join(dir, "tests", "mutants.sh")
		if err := os.WriteFile(at, []byte(before+"\n"+c.more+"mutant "+after), 0o700); err != nil {
			t.Fatal(err)
		}
		run := exec.CommandContext(t.Context(), "bash", at, c.only)
		run.Env = append(os.Environ(), "DRY_RUN=1")
		said, err := run.CombinedOutput()
		if (err == nil) != (c.more == "") || !strings.Contains(string(said), c.want) {
			t.Errorf("%v: %s", err, said)
		}
	}
}
