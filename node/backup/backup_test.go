package backup

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/ledger/journal"
	"ojud/node"
	"ojud/voting"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// home makes a home with a journal in which the node voted once.
func home(t testing.TB) node.Home {
	t.Helper()
	h, _, err := node.Init(filepath.Join(t.TempDir(), "home"), node.Descriptor{
		Format: node.DescriptorFormat, Name: "test", Network: strings.Repeat("0f", 32), Program: "11111111111111111111111111111112",
		RPC: "http://127.0.0.1:8899", Bootstrap: []string{},
	})
	if err != nil {
		t.Fatal(err)
	}
	j := open(t, h)
	if err := j.PersistAll(voting.Born{At: 1}, vote(t, h)); err != nil {
		t.Fatal(err)
	}
	shut(t, j)
	for name, content := range map[string]string{"ojud.toml": "[log]\nlevel = \"debug\"\n", "api": "127.0.0.1:1", "blobs/content/ab/x": "x", "notes.new": "half"} {
		path := h.Path(name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, noon, noon); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func domain(t testing.TB, h node.Home) voting.Domain {
	t.Helper()
	d, err := h.Descriptor.Domain()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func vote(t testing.TB, h node.Home) voting.Cast {
	t.Helper()
	c := voting.Cast{At: 5, Opening: voting.Opening{Choice: voting.Accept, Opinion: sha256.Sum256([]byte("o")), Salt: sha256.Sum256([]byte("s"))}, Vote: []byte("{}")}
	c.Task, c.Round, c.Judge = sha256.Sum256([]byte("task")), 1, h.Keys.Judge()
	c.Commitment = domain(t, h).Commitment(c.Task, c.Round, c.Judge, c.Opening)
	return c
}

func open(t testing.TB, h node.Home) *journal.Journal {
	t.Helper()
	cfg := journal.DefaultConfig()
	cfg.Dir, cfg.MinFree = h.Path("journal"), 1<<20
	d := domain(t, h)
	j, err := journal.Open(cfg, journal.Identity{Network: d.Network, Program: d.Program}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func shut(t testing.TB, j *journal.Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestBackup: the old home is gone, and the restored one has its keys, its settings and its vote,
// and knows that it was restored.
func TestBackup(t *testing.T) {
	h := home(t)
	file := filepath.Join(t.TempDir(), "judge.tar.gz")
	m, err := Write(h, file, noon)
	if err != nil || m.Judge != casefile.Address(h.Keys.Judge()).String() || m.Network != "test" {
		t.Fatalf("%+v, %v", m, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the keys: %v, %v", info, err)
	}
	if err := os.RemoveAll(h.Dir); err != nil {
		t.Fatal(err)
	}
	for _, before := range []func() error{
		func() error { return nil }, func() error { return os.MkdirAll(h.Dir, 0o700) }, // missing, and empty
	} {
		if err := errors.Join(os.RemoveAll(h.Dir), before()); err != nil {
			t.Fatal(err)
		}
		if _, err := Restore(file, h.Dir, DefaultMost); err != nil {
			t.Fatal(err)
		}
	}
	again, err := node.OpenHome(h.Dir)
	if err != nil || again.Keys.Judge() != h.Keys.Judge() || again.Keys.Peer() != h.Keys.Peer() {
		t.Fatalf("%v", err)
	}
	if info, err := os.Stat(h.Path("ojud.toml")); err != nil || !info.ModTime().Equal(noon) {
		t.Errorf("%v, %v", info, err)
	}
	for _, name := range []string{"api", "journal/LOCK"} {
		if _, err := os.Stat(h.Path(name)); !errors.Is(err, fs.ErrNotExist) || !slices.Contains(m.Left, name) {
			t.Errorf("%s was restored: %v; left out: %q", name, err, m.Left)
		}
	}
	j := open(t, again)
	defer shut(t, j)
	if c, ok, err := j.Own(vote(t, h).Task, 1, h.Keys.Judge()); err != nil || !ok || c.Commitment != vote(t, h).Commitment {
		t.Errorf("the vote is lost: %v", err)
	}
	if !j.Fresh() {
		t.Error("the journal does not know that it was restored")
	}
	if left, err := filepath.Glob(h.Dir + ".*"); err != nil || left != nil {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// TestRefusals: a home in use, a file in the home or one that is there, a link, and a home that is
// not empty.
func TestRefusals(t *testing.T) {
	h := home(t)
	file := filepath.Join(t.TempDir(), "judge.tar.gz")
	refused := func(what string, err, want error, words string) {
		t.Helper()
		if !errors.Is(err, want) || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", what, err)
		}
	}
	j := open(t, h)
	_, err := Write(h, file, noon)
	refused("a node runs", err, errInUse, "stop that process")
	shut(t, j)
	_, err = Write(h, h.Path("judge.tar.gz"), noon)
	refused("in the home", err, errHome, "elsewhere")
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a backup that failed is there: %v", err)
	}
	if err := os.Symlink("ojud.toml", h.Path("link")); err != nil {
		t.Fatal(err)
	}
	_, err = Write(h, file, noon)
	refused("a link", err, errHome, "link")
	if err := os.Remove(h.Path("link")); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(h, file, noon); err != nil {
		t.Fatal(err)
	}
	_, err = Write(h, file, noon)
	refused("a second time", err, fs.ErrExist, "judge.tar.gz")
	_, err = Restore(file, h.Dir, DefaultMost)
	refused("the old home", err, errHome, "not empty")
	j = open(t, h) // the locks were given back
	shut(t, j)
}

// TestDamaged: a backup that is cut off makes no home, and one with a changed bit makes none or the
// very same home. The latter is possible because deflate writes one content in many ways: a copy
// from 17 bytes back and one from 1 byte back are alike among zeros.
func TestDamaged(t *testing.T) {
	h := home(t)
	file := filepath.Join(t.TempDir(), "judge.tar.gz")
	if _, err := Write(h, file, noon); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	to, bad := filepath.Join(t.TempDir(), "home"), filepath.Join(t.TempDir(), "bad")
	restore := func(raw []byte) (map[string]string, error) {
		t.Helper()
		if err := os.WriteFile(bad, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Restore(bad, to, DefaultMost)
		made := contents(t, to)
		if err := os.RemoveAll(to); err != nil {
			t.Fatal(err)
		}
		if left, err := filepath.Glob(to + "*"); err != nil || left != nil {
			t.Errorf("left behind %q, %v", left, err)
		}
		return made, err
	}
	good, err := restore(whole)
	if err != nil || len(good) < len(first) {
		t.Fatalf("the whole one: %d files, %v", len(good), err)
	}
	refused := 0
	for i := range 12 {
		if made, err := restore(whole[:i*len(whole)/12]); err == nil || len(made) > 0 {
			t.Errorf("cut at %d of 12: %d files, %v", i, len(made), err)
		}
		at := 20 + i*(len(whole)-20)/12 // behind the head of gzip, whose time and name are not read
		flipped := bytes.Clone(whole)
		flipped[at] ^= 0x10
		made, err := restore(flipped)
		if err != nil {
			refused++
		}
		if err != nil && len(made) > 0 || err == nil && !maps.Equal(made, good) {
			t.Errorf("a bit of byte %d changed: %d files, %v", at, len(made), err)
		}
	}
	if refused < 6 {
		t.Errorf("of 12 backups with a changed bit, %d were refused", refused)
	}
	if made, err := restore(whole[:len(whole)-1]); err == nil || len(made) > 0 {
		t.Errorf("cut at the end: %d files, %v", len(made), err)
	}
}

// contents reads all files of a folder. There are none if the folder does not exist.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	made := make(map[string]string)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return made
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		made[path] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestManifest: what no home has is refused, and a backup of a later version is called that.
func TestManifest(t *testing.T) {
	for raw, want := range map[string]string{
		`{"format":"ojud-backup/1","files":[]}`:                                   "",
		`{"format":"ojud-backup/3"}`:                                              "later version",
		`{"format":"tar"}`:                                                        "this ojud reads",
		`{"format":"ojud-backup/1","files":[{"path":"../x"}]}`:                    "no home has",
		`{"format":"ojud-backup/1","files":[{"path":"/etc/passwd"}]}`:             "no home has",
		`{"format":"ojud-backup/1","files":[{"path":"a\\..\\..\\b"}]}`:            "no home has",
		`{"format":"ojud-backup/2","files":[{"path":"api"}]}`:                     "no home has",
		`{"format":"ojud-backup/1","files":[{"path":"x","size":-1}]}`:             "no home has",
		`{"format":"ojud-backup/1","files":[{"path":"x"},{"path":"x"}]}`:          "twice",
		`{"format":"ojud-backup/2","files":[{"path":"x","size":2}],"bytes":1}`:    "other sizes",
		`{"format":"ojud-backup/2","files":[{"path":"x","size":1}],"bytes":2}`:    "other sizes",
		`{"format":"ojud-backup/2","files":[],"empty_folders":["../x"]}`:          "no home has",
		`{"format":"ojud-backup/2","files":[{"path":"x"}],"empty_folders":["x"]}`: "twice",
		`[]`: "manifest",
	} {
		if _, err := parseManifest([]byte(raw)); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// FuzzManifest: a manifest that is taken names files in the home alone.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"format":"ojud-backup/1","files":[{"path":"journal/db/MANIFEST","size":16}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := parseManifest(raw)
		if err != nil {
			return
		}
		for _, file := range m.Files {
			if at := filepath.Join("/home", filepath.FromSlash(file.Path)); !strings.HasPrefix(at, "/home/") {
				t.Fatalf("%q leads to %s", file.Path, at)
			}
		}
	})
}
