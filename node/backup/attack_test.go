package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ojud/node"
)

// TestFilesOfTheUser: files of sources, agents and programs in a home that have the names of locks
// or of unfinished files are not touched, and come back as they were, with executables and empty
// folders. A backup emptied each of them, and left it out.
func TestFilesOfTheUser(t *testing.T) {
	h := home(t)
	const text = "content of the user"
	names := []string{
		"sources/app/Cargo.lock", "sources/app/yarn.lock", "sources/app/lock", "sources/app/LOCK", "sources/app/half.new", "sources/app/run.sh",
		"agents/a/LOCK", "agents/a/db/x", "agents/b/lock", "agents/b/papers/x", "agents/d/lock", "agents/d/answers/x", "mcp.spent.lock", "agents/b/x.audit.lock",
	}
	mode := func(name string) fs.FileMode {
		if strings.HasSuffix(name, ".sh") {
			return 0o700
		}
		return 0o600
	}
	for _, name := range names {
		if err := errors.Join(os.MkdirAll(filepath.Dir(h.Path(name)), 0o700), os.WriteFile(h.Path(name), []byte(text), mode(name))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(h.Path("agents/c/empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	to, dir := filepath.Join(t.TempDir(), "b.tar.gz"), filepath.Join(t.TempDir(), "again")
	m, err := Write(h, to, noon)
	if err != nil || !slices.Equal(m.Left, []string{"api", "journal/LOCK"}) {
		t.Fatalf("left out: %q, %v", m.Left, err)
	}
	if _, err := Restore(to, dir, DefaultMost); err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{h.Dir, dir} {
		for _, name := range names {
			raw, err := os.ReadFile(filepath.Join(of, name))
			info, statErr := os.Stat(filepath.Join(of, name))
			if err != nil || statErr != nil || string(raw) != text || info.Mode() != mode(name) {
				t.Errorf("%s in %s: %q, %v, %v", name, of, raw, err, statErr)
			}
		}
		if info, err := os.Stat(filepath.Join(of, "agents/c/empty")); err != nil || !info.IsDir() {
			t.Errorf("the empty folder: %v", err)
		}
	}
}

// TestLocks: a backup knows each lock of ojud. A package that takes another one has to add it to
// mayLock and to this list.
func TestLocks(t *testing.T) {
	call := regexp.MustCompile(`durable\.Acquire\(`)
	var found []string
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && at != root || d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == "target") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(at, ".go") || strings.HasSuffix(at, "_test.go") {
			return nil
		}
		raw, err := os.ReadFile(at)
		if err != nil || !call.Match(raw) {
			return err
		}
		rel, err := filepath.Rel(root, at)
		found = append(found, filepath.ToSlash(rel))
		return err
	})
	want := []string{
		"agent/audit/audit.go", "agent/host/keep/keep.go", "cmd/ojud/mcp/purse.go", "ledger/journal/open.go", "megabrain/memory/keep/node.go",
		"node/archive/archive.go", "node/backup/backup.go", "node/brainagent/store.go", "node/trader/store.go",
	}
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("%q, %v", found, err)
	}
}

// archive packs a manifest and entries of zeros.
func archive(t testing.TB, m Manifest, entries ...File) []byte {
	t.Helper()
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	write := func(name string, content []byte) {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	write(manifestName, raw)
	for _, f := range entries {
		write(f.Path, make([]byte, f.Size))
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestAttackBackupFillsTheDisk: a small archive of a stranger that unpacks to very much was written
// to the disk whole before it was called damaged. Now the sizes, the limit and the room of the disk
// are looked at before anything is written, and the keys before all that is large.
func TestAttackBackupFillsTheDisk(t *testing.T) {
	const much = 1 << 55
	for name, c := range map[string]struct {
		of   Manifest
		most int64
		want error
		says string
	}{
		"more than the limit": {Manifest{Bytes: 5, Files: []File{{Path: "a", Size: 5}}}, 4, ErrLarge, "at most 4"},
		"more than the disk":  {Manifest{Bytes: much, Files: []File{{Path: "a", Size: much}}}, 2 * much, ErrLarge, "make room"},
		"another sum":         {Manifest{Bytes: 1, Files: []File{{Path: "a", Size: much}}}, 2 * much, ErrDamaged, "other sizes"},
		"a sum too large":     {Manifest{Bytes: 2, Files: []File{{Path: "a", Size: 1 << 62}, {Path: "b", Size: 1 << 62}, {Path: "c", Size: 1 << 62}, {Path: "d", Size: 1<<62 + 2}}}, 2 * much, ErrDamaged, "other sizes"},
		"within all bounds":   {Manifest{Bytes: 4, Files: []File{{Path: "a", Size: 4}}}, 4, ErrDamaged, "cut off"}, // the control: it is unpacked
	} {
		c.of.Format = format
		from := filepath.Join(t.TempDir(), "bomb")
		if err := os.WriteFile(from, archive(t, c.of), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Restore(from, filepath.Join(t.TempDir(), "home"), c.most); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAttackBackupOfAnotherKey: the keys come first, and if they are not those of the manifest,
// nothing behind them is unpacked.
func TestAttackBackupOfAnotherKey(t *testing.T) {
	h := home(t)
	to := filepath.Join(t.TempDir(), "b.tar.gz")
	m, err := Write(h, to, noon)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range m.Files[:len(first)] {
		paths = append(paths, f.Path)
	}
	if !slices.Equal(paths, first) {
		t.Errorf("the backup begins with %q", paths)
	}
	dir := t.TempDir()
	raw, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(z)
	var forged bytes.Buffer
	packed := gzip.NewWriter(&forged)
	w := tar.NewWriter(packed)
	for n := range 1 + len(first) { // what follows is missing: if it were read, the error would say so
		head, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		var content bytes.Buffer
		if _, err := content.ReadFrom(r); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			content = *bytes.NewBufferString(strings.Replace(content.String(), m.Judge, "11111111111111111111111111111112", 1))
		}
		head.Size, head.PAXRecords = int64(content.Len()), nil
		if err := w.WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := unpack(&forged, dir, DefaultMost); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "its keys are of judge") {
		t.Errorf("%v", err)
	}
	if _, err := node.OpenHome(dir); err != nil {
		t.Errorf("the keys were not unpacked: %v", err)
	}
}
