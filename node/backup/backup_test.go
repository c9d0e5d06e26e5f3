package backup

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
		if _, err := Restore(file, h.Dir); err != nil {
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
	for _, name := range []string{"api", "notes.new"} {
		if _, err := os.Stat(h.Path(name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was restored: %v", name, err)
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
	_, err = Restore(file, h.Dir)
	refused("the old home", err, errHome, "not empty")
	j = open(t, h) // the locks were given back
	shut(t, j)
}

// TestDamaged: a backup that is cut off or changed anywhere makes no home.
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
	try := func(what string, raw []byte) {
		t.Helper()
		if err := os.WriteFile(bad, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Restore(bad, to)
		if err == nil {
			t.Errorf("%s: restored", what)
		}
		if left, globErr := filepath.Glob(to + "*"); globErr != nil || left != nil {
			t.Errorf("%s: left behind %q, %v", what, left, globErr)
		}
	}
	for i := range 12 {
		try("cut", whole[:i*len(whole)/12])
		flipped := bytes.Clone(whole)
		flipped[20+i*(len(whole)-20)/12] ^= 0x10 // behind the head of gzip, whose time and name are not read
		try("flipped", flipped)
	}
	try("cut at the end", whole[:len(whole)-1])
	if err := os.WriteFile(bad, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(bad, to); err != nil {
		t.Errorf("the whole one: %v", err)
	}
}

// TestManifest: what no home has is refused, and a backup of a later version is called that.
func TestManifest(t *testing.T) {
	for raw, want := range map[string]string{
		`{"format":"ojud-backup/1","files":[]}`:                          "",
		`{"format":"ojud-backup/2"}`:                                     "later version",
		`{"format":"tar"}`:                                               "this ojud reads",
		`{"format":"ojud-backup/1","files":[{"path":"../x"}]}`:           "no home has",
		`{"format":"ojud-backup/1","files":[{"path":"/etc/passwd"}]}`:    "no home has",
		`{"format":"ojud-backup/1","files":[{"path":"a\\..\\..\\b"}]}`:   "no home has",
		`{"format":"ojud-backup/1","files":[{"path":"journal/LOCK"}]}`:   "no home has",
		`{"format":"ojud-backup/1","files":[{"path":"x","size":-1}]}`:    "no home has",
		`{"format":"ojud-backup/1","files":[{"path":"x"},{"path":"x"}]}`: "twice",
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
