package megabrain

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
)

// TestSeal: the same answer, in any form of its JSON, keeps its salt, so that a second run makes
// the same task. Another answer or another task has another seal, and each is opened by what is
// kept. A damaged file opens nothing, and is reported.
func TestSeal(t *testing.T) {
	t.Parallel()
	s, task := Folder{Dir: t.TempDir()}, onchain.Address{1}
	seal := func(task onchain.Address, answer string) [32]byte {
		t.Helper()
		got, err := s.seal(task, []byte(answer))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := seal(task, `{"year": 1931, "a": 1.0}`)
	if again := seal(task, `{"a":1,"year":1931}`); again != first {
		t.Error("a second run has another seal")
	}
	other, elsewhere := seal(task, `{"year":1932}`), seal(onchain.Address{2}, `{"a":1,"year":1931}`)
	if other == first || elsewhere == first {
		t.Error("two answers or two tasks have one seal")
	}
	if _, err := s.seal(task, []byte(`{"year":`)); err == nil {
		t.Error("an answer that is no JSON is sealed")
	}
	for _, want := range [][32]byte{first, other} {
		it, err := s.opening(task, want)
		if err != nil || brain.GoldenSeal(task, it) != want || it.Salt == [32]byte{} {
			t.Errorf("%x is opened by %+v, %v", want, it, err)
		}
	}
	for _, no := range []struct {
		task onchain.Address
		seal [32]byte
	}{{task, elsewhere}, {onchain.Address{3}, first}, {task, [32]byte{}}} {
		if _, err := s.opening(no.task, no.seal); !errors.Is(err, errNotSealed) {
			t.Errorf("%x is opened: %v", no.seal, err)
		}
	}
	names, err := filepath.Glob(filepath.Join(s.sealed(task), "*"))
	if err != nil || len(names) != 2 {
		t.Fatalf("%q, %v", names, err)
	}
	for _, name := range names {
		if err := os.WriteFile(name, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.opening(task, first); err == nil || errors.Is(err, errNotSealed) || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("a damaged file: %v", err)
	}
}
