package journal

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/ledger/journal/durable"
	"ojud/test/longtest"
	"ojud/voting"
)

// damagedSteps is how much is written before the journal is damaged.
const damagedSteps = 400

// scratch is a directory in memory where there is one: whether the damaged files were synced makes
// no difference.
func scratch(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat("/dev/shm"); err != nil {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp( //nolint:usetesting // in memory, which t.TempDir is not
		"/dev/shm", "ojud-journal-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { remove(t, dir) })
	return dir
}

// used is the directory of a journal as a kill leaves it, with tables and a write-ahead log. It is
// copied at a moment at which Badger has nothing to do but to wait: less than a memtable was
// written since it was opened.
func used(t *testing.T) string {
	t.Helper()
	dir := scratch(t)
	j := open(t, dir)
	fill(t, j)
	for n := range damagedSteps / 2 {
		if err := step(j, n); err != nil {
			t.Fatal(err)
		}
	}
	shut(t, j)
	j = open(t, dir)
	for n := damagedSteps / 2; n < damagedSteps; n++ {
		if err := step(j, n); err != nil {
			t.Fatal(err)
		}
	}
	left := scratch(t)
	clone(t, left, dir)
	shut(t, j)
	return left
}

func fill(t *testing.T, j *Journal) {
	t.Helper()
	random := rand.NewChaCha8([32]byte{7})
	for i := range 40 {
		var all []voting.Notice
		for n := range 40 {
			raw := make([]byte, 8_000)
			if _, err := io.ReadFull(random, raw); err != nil {
				t.Fatal(err)
			}
			all = append(all, voting.Vote{Task: digest("fill"), Round: 1, Judge: digest("%d", i*40+n), Raw: raw})
		}
		if err := j.PutNotices(all...); err != nil {
			t.Fatal(err)
		}
	}
}

// clone copies a directory; holes stay holes.
func clone(t *testing.T, to, from string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil || d.Name() == "LOCK" {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		return copyFile(filepath.Join(to, rel), path)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	chunk, zero := make([]byte, 1<<20), make([]byte, 1<<20)
	at := int64(0)
	for {
		n, err := io.ReadFull(in, chunk)
		if n > 0 && !bytes.Equal(chunk[:n], zero[:n]) {
			if _, err := out.WriteAt(chunk[:n], at); err != nil {
				return err
			}
		}
		at += int64(n)
		if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.Join(out.Truncate(at), out.Close())
		}
		if err != nil {
			return err
		}
	}
}

// files lists Badger's files with that end of their name.
func files(t *testing.T, dir, end string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, databaseDir, "*"+end))
	if err != nil || len(all) == 0 {
		t.Fatalf("no %s in %s: %v", end, dir, err)
	}
	return all
}

// written is how many bytes of a file come before nothing but zeros.
func written(t *testing.T, path string) int {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return len(bytes.TrimRight(b, "\x00"))
}

// cuts are lengths to cut a file of n written bytes to: none, few, many, and some of the last 64
// KiB.
func cuts(n int) []int64 {
	all := []int64{0, 1, 19, 20, 21, int64(n / 3), int64(max(n-1, 0)), int64(n)}
	for range *crashes / 3 {
		all = append(all, int64(n-rand.IntN(min(n, 64<<10)+1)))
	}
	return all
}

// check opens a damaged journal: it has to open, every own vote is there and guarded, and nothing
// is there in part.
func check(t *testing.T, what string, cfg Config) {
	t.Helper()
	j, err := Open(cfg, home, nil, nil)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	defer shut(t, j)
	for n := 0; n < damagedSteps; n += 8 {
		if !voted(t, j, n) {
			t.Fatalf("%s: the own vote of step %d is lost", what, n)
		}
	}
	for n := 3; n < damagedSteps; n += 80 {
		if kept := batch(t, j, n); kept != 0 && kept != 28 {
			t.Errorf("%s: step %d has %d of its 28 notices", what, n, kept)
		}
	}
	if err := j.PutNotices(notices(-1)...); err != nil {
		t.Errorf("%s: writing after it: %v", what, err)
	}
}

// What a crash can leave, and what a disk that lost the end of a log leaves: Open succeeds without
// anybody's help.
func TestLogsThatWereCut(t *testing.T) {
	longtest.Only(t)
	dir := used(t)
	for _, end := range []string{".mem", ".vlog", "DISCARD"} {
		for _, path := range files(t, dir, end) {
			for _, n := range cuts(written(t, path)) {
				hurt := scratch(t)
				clone(t, hurt, dir)
				if err := os.Truncate(filepath.Join(hurt, databaseDir, filepath.Base(path)), n); err != nil {
					t.Fatal(err)
				}
				check(t, filepath.Base(path)+" cut", testConfig(hurt))
				remove(t, hurt)
			}
		}
	}
}

func remove(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
}

// Empty write-ahead logs (badger#2207): a file that was made and not yet written to.
func TestEmptyLogs(t *testing.T) {
	for _, names := range [][]string{{"00090.mem"}, {"00090.mem", "00091.mem"}, {"000090.vlog"}, {"00090.mem", "000090.vlog"}} {
		dir := scratch(t)
		j := open(t, dir)
		if err := step(j, 0); err != nil {
			t.Fatal(err)
		}
		shut(t, j)
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, databaseDir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		j = open(t, dir)
		if !voted(t, j, 0) {
			t.Errorf("%v: the vote is lost", names)
		}
		shut(t, j)
	}
}

// Files that no crash damages. Open names the damage and the remedy; with Repair it helps itself.
func TestFilesThatNoCrashDamages(t *testing.T) {
	dir := used(t)
	refused := 0
	for _, end := range []string{".sst", "MANIFEST", "KEYREGISTRY"} {
		path := files(t, dir, end)[0]
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int64{0, 3, 16, info.Size() / 2, info.Size() - 5, info.Size() - 1} {
			hurt := scratch(t)
			clone(t, hurt, dir)
			if err := os.Truncate(filepath.Join(hurt, databaseDir, filepath.Base(path)), n); err != nil {
				t.Fatal(err)
			}
			j, err := Open(testConfig(hurt), home, nil, nil)
			if err == nil {
				shut(t, j)
			} else {
				refused++
				explains(t, hurt, err)
			}
			repair := testConfig(hurt)
			repair.Repair = true
			check(t, filepath.Base(path)+" cut, repaired", repair)
			remove(t, hurt)
		}
	}
	if refused < 10 {
		t.Errorf("only %d of 18 damaged journals were refused", refused)
	}
}

// Bytes that changed: the journal opens, or refuses, or a read fails; a vote that is read is never
// another than was put.
func TestFlippedBytes(t *testing.T) {
	dir := used(t)
	for _, end := range []string{".mem", ".vlog", ".sst", "MANIFEST", "KEYREGISTRY", "DISCARD"} {
		for range max(*crashes/4, 1) {
			hurt := scratch(t)
			clone(t, hurt, dir)
			path := files(t, hurt, end)[0]
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for n := min(max(written(t, path), 64), len(b)); n > 0; n /= 2 {
				b[rand.IntN(n)] ^= byte(1 + rand.IntN(255))
			}
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			j, err := Open(testConfig(hurt), home, nil, nil)
			if err != nil {
				explains(t, hurt, err)
			} else {
				noneIsAnother(t, j)
				shut(t, j)
			}
			remove(t, hurt)
		}
	}
}

func noneIsAnother(t *testing.T, j *Journal) {
	t.Helper()
	for n := 0; n < damagedSteps; n += 8 {
		want := own(n, 1)
		got, ok, err := j.Own(want.Task, want.Round, want.Judge)
		if err == nil && (!ok || got.Commitment != want.Commitment) {
			t.Fatalf("step %d: there %v, commitment %s", n, ok, got.Commitment)
		}
	}
}

// A table whose end reads as zeros. A file system returns zeros for data that it lost.
func TestTableOfZeros(t *testing.T) {
	dir := used(t)
	for _, zeros := range []int64{4, 100, 4_096, 1 << 30} {
		hurt := scratch(t)
		clone(t, hurt, dir)
		path := files(t, hurt, ".sst")[0]
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Truncate(path, max(info.Size()-zeros, 0)), os.Truncate(path, info.Size())); err != nil {
			t.Fatal(err)
		}
		_, err = Open(testConfig(hurt), home, nil, nil)
		if err == nil {
			t.Fatalf("%d zeros: opened", zeros)
		}
		explains(t, hurt, err)
	}
}

func explains(t *testing.T, dir string, err error) {
	t.Helper()
	for _, part := range []string{dir, "move", "check the disk", "no vote is lost", "asks the chain"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q: %v", part, err)
		}
	}
	if !errors.Is(err, ErrCorrupt) {
		t.Errorf("not ErrCorrupt: %v", err)
	}
}

func TestRepairIsBounded(t *testing.T) {
	cfg := testConfig(scratch(t))
	cfg.Repair = true
	for n := range maxAside + 1 {
		j, err := Open(cfg, home, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !j.Fresh() {
			t.Error("not fresh after a repair")
		}
		if err := j.Persist(voting.Born{At: int64(n)}); err != nil {
			t.Fatal(err)
		}
		shut(t, j)
		if err := os.WriteFile(filepath.Join(cfg.Dir, databaseDir, "MANIFEST"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(cfg, home, nil, nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("the ninth damaged database: %v", err)
	}
}

// The database is gone altogether: the second copy brings the own votes back.
func TestDatabaseGone(t *testing.T) {
	dir := used(t)
	remove(t, filepath.Join(dir, databaseDir))
	check(t, "no database", testConfig(dir))
}

// The second copy is damaged or gone: the database writes it again. Both damaged: an error.
func TestSecondCopyDamaged(t *testing.T) {
	dir := scratch(t)
	j := open(t, dir)
	for n := 0; n < 80; n += 8 {
		if err := step(j, n); err != nil {
			t.Fatal(err)
		}
	}
	shut(t, j)
	for name, damage := range map[string]func(path string) error{
		"gone":      os.Remove,
		"cut":       func(path string) error { return os.Truncate(path, 40) },
		"empty":     func(path string) error { return os.Truncate(path, 0) },
		"too large": func(path string) error { return os.Truncate(path, 1<<20) },
		"changed":   func(path string) error { return os.WriteFile(path, make([]byte, 200), 0o600) },
	} {
		paths, err := filepath.Glob(filepath.Join(dir, ownDir, "*"+ownSuffix))
		if err != nil || len(paths) != 10 {
			t.Fatalf("%d files, %v", len(paths), err)
		}
		if err := damage(paths[0]); err != nil {
			t.Fatal(err)
		}
		j := open(t, dir)
		for n := 0; n < 80; n += 8 {
			if !voted(t, j, n) {
				t.Errorf("%s: the own vote of step %d is lost", name, n)
			}
		}
		shut(t, j)
	}
	paths, err := filepath.Glob(filepath.Join(dir, ownDir, "*"+ownSuffix))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(paths[3], 50); err != nil {
		t.Fatal(err)
	}
	remove(t, filepath.Join(dir, databaseDir))
	if _, err := Open(testConfig(dir), home, nil, nil); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), filepath.Base(paths[3])) {
		t.Errorf("both copies damaged: %v", err)
	}
}

// Two copies that say different things are no accident.
func TestCopiesThatDisagree(t *testing.T) {
	dir := scratch(t)
	j := open(t, dir)
	if err := j.PutOwn(own(1, 1)); err != nil {
		t.Fatal(err)
	}
	shut(t, j)
	if err := (ownFiles{filepath.Join(dir, ownDir)}).put(own(1, 2).Key(), own(1, 2).Encode()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(testConfig(dir), home, nil, nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("%v", err)
	}
	moved := filepath.Join(dir, ownDir, strings.Repeat("ab", voting.RecordKeySize)+ownSuffix)
	remove(t, filepath.Join(dir, databaseDir))
	if err := durable.WriteFile(moved, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(testConfig(dir), home, nil, nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a file in a place of another: %v", err)
	}
}
