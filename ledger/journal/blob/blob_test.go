package blob

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile"
	"ojud/voting"
)

func testConfig(dir string) Config {
	return Config{Dir: dir, Quota: 10_000, MaxBlob: 4_000, MinFree: 1 << 20}
}

func open(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(testConfig(dir), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// content is n bytes that are different for every name.
func content(name string, n int) []byte {
	return append([]byte(name), make([]byte, n-len(name))...)
}

func put(t testing.TB, s *Store, name string, n int) voting.Hash {
	t.Helper()
	h, err := s.Put(content(name, n))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestPutAndGet(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var hashes []voting.Hash
	for i := range 5 {
		hashes = append(hashes, put(t, s, fmt.Sprint(i), 100+i))
	}
	empty, err := s.Put(nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for i, h := range hashes {
			got, err := s.Blob(h)
			if err != nil || !bytes.Equal(got, content(fmt.Sprint(i), 100+i)) || !s.Has(h) {
				t.Errorf("%d: %v", i, err)
			}
		}
		if got, err := s.Blob(empty); err != nil || len(got) != 0 {
			t.Errorf("nothing: %v", err)
		}
		if st := s.Stats(); st.Blobs != 6 || st.Bytes != 510 {
			t.Errorf("%+v", st)
		}
		s = open(t, dir)
	}
	if _, err := s.Blob(voting.Hash{1}); !errors.Is(err, ErrNotFound) || !errors.Is(err, casefile.ErrNoBlob) || s.Has(voting.Hash{1}) {
		t.Errorf("not there: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	s := open(t, t.TempDir())
	if _, err := s.Put(make([]byte, 4_001)); !errors.Is(err, errTooLarge) {
		t.Errorf("too large: %v", err)
	}
	if err := s.PutAs(voting.Hash{1}, []byte("x")); !errors.Is(err, errMismatch) {
		t.Errorf("another hash: %v", err)
	}
	if err := s.PutAs(sha256.Sum256([]byte("x")), []byte("x")); err != nil {
		t.Errorf("its own hash: %v", err)
	}
	for field, change := range map[string]func(*Config){
		"dir": func(c *Config) { c.Dir = "" }, "quota_bytes": func(c *Config) { c.Quota = 1 }, "max_blob_bytes": func(c *Config) { c.MaxBlob = 0 },
		"min_free_bytes": func(c *Config) { c.MinFree = 1 << 50 },
	} {
		c := testConfig(t.TempDir())
		change(&c)
		if _, err := Open(c, nil, nil); err == nil || !strings.Contains(err.Error(), "blobs: "+field+" is ") {
			t.Errorf("%s: %v", field, err)
		}
	}
	d := DefaultConfig()
	d.Dir = "x"
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
}

func TestDamageIsFoundAndRemoved(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"changed": func(path string) error { return os.WriteFile(path, content("other", 100), 0o600) },
		"cut":     func(path string) error { return os.Truncate(path, 50) },
		"grown":   func(path string) error { return os.Truncate(path, 1<<20) },
		"gone":    os.Remove,
	} {
		dir := t.TempDir()
		s := open(t, dir)
		h := put(t, s, "x", 100)
		if err := damage(s.path(h)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Blob(h); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
		if s.Has(h) || s.Stats().Bytes != 0 {
			t.Errorf("%s: still there", name)
		}
		put(t, s, "x", 100) // fetched again
		if _, err := s.Blob(h); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOldestIsEvicted(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var hashes []voting.Hash
	for i := range 10 { // all of the quota
		hashes = append(hashes, put(t, s, fmt.Sprint(i), 1_000))
		if err := os.Chtimes(s.path(hashes[i]), time.Unix(int64(1_000+i), 0), time.Unix(int64(1_000+i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Pin(voting.Key{7}, hashes[1], hashes[2]); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)           // order and pins are on disk
	put(t, s, "0", 1_000)      // was the oldest, is the newest
	put(t, s, "eleven", 2_500) // 3, 4 and 5 go
	for i, want := range []bool{true, true, true, false, false, false, true, true, true, true} {
		if s.Has(hashes[i]) != want {
			t.Errorf("blob %d: there %v, want %v", i, !want, want)
		}
		if _, err := os.Stat(s.path(hashes[i])); (err == nil) != want {
			t.Errorf("file %d: %v", i, err)
		}
	}
	if st := s.Stats(); st.Bytes != 9_500 || st.Pinned != 2 {
		t.Errorf("%+v", st)
	}
}

func TestPinned(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	first, second := voting.Key{1}, voting.Key{2}
	a, b := put(t, s, "a", 4_000), put(t, s, "b", 4_000)
	later := voting.Hash(sha256.Sum256(content("c", 1_500)))
	for _, err := range []error{s.Pin(first, a, b), s.Pin(second, a, later), s.Pin(first)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Put(content("d", 3_000)); !errors.Is(err, errFull) {
		t.Errorf("all is pinned: %v", err)
	}
	put(t, s, "c", 1_500) // was pinned before it was there
	if err := s.Unpin(first); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	put(t, s, "d", 3_000)
	if !s.Has(a) || s.Has(b) || !s.Has(later) {
		t.Errorf("a %v, b %v, c %v", s.Has(a), s.Has(b), s.Has(later))
	}
	for range 2 {
		if err := s.Unpin(second); err != nil {
			t.Fatal(err)
		}
	}
	if s.Stats().Pinned != 0 {
		t.Errorf("%+v", s.Stats())
	}
}

// A blob that could not be pinned durably is tried again, and a pinned one is not written again.
func TestPinAgain(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	owner := voting.Key{1}
	h := put(t, s, "a", 100)
	if err := os.WriteFile(s.pins(owner), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Pin(owner, h); err == nil || s.Stats().Pinned != 0 {
		t.Errorf("pinned below a file: %v", err)
	}
	if err := os.Remove(s.pins(owner)); err != nil {
		t.Fatal(err)
	}
	pin := filepath.Join(s.pins(owner), h.String())
	for range 2 {
		if err := s.Pin(owner, h); err != nil || s.Stats().Pinned != 1 {
			t.Fatal(err)
		}
		if _, err := os.Stat(pin); err != nil {
			t.Error(err)
		}
	}
	if err := s.Unpin(owner); err != nil || s.Stats().Pinned != 0 {
		t.Fatal(err)
	}
	if err := s.Pin(owner, h); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pin); err != nil {
		t.Errorf("not pinned after it was unpinned: %v", err)
	}
	if err := os.Remove(pin); err != nil {
		t.Fatal(err)
	}
	if err := s.Pin(owner, h); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pin); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("written again: %v", err)
	}
}

func TestDiskNearlyFull(t *testing.T) {
	s := open(t, t.TempDir())
	old := put(t, s, "old", 100)
	kept := put(t, s, "kept", 100)
	if err := s.Pin(voting.Key{1}, kept); err != nil {
		t.Fatal(err)
	}
	s.cfg.MinFree = 1 << 60 // more than any disk has
	if _, err := s.Put(content("new", 100)); !errors.Is(err, errFull) {
		t.Errorf("%v", err)
	}
	if s.Has(old) || !s.Has(kept) {
		t.Error("the wrong content was evicted")
	}
}

// What a crash leaves: files that are not finished, and what does not belong here.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	h := put(t, s, "x", 100)
	unfinished := s.path(h) + ".new"
	stray := filepath.Join(dir, contentDir, "notes.txt")
	wrong := filepath.Join(dir, contentDir, h.String())
	for _, path := range []string{unfinished, stray, wrong} {
		if err := os.WriteFile(path, []byte("y"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s = open(t, dir)
	if _, err := os.Stat(unfinished); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the unfinished file is still there: %v", err)
	}
	if _, err := os.Stat(stray); err != nil {
		t.Errorf("a file of somebody else was removed: %v", err)
	}
	if st := s.Stats(); st.Blobs != 1 || st.Bytes != 100 {
		t.Errorf("%+v", st)
	}
}

func TestConcurrency(t *testing.T) {
	s := open(t, t.TempDir())
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			owner := voting.Key{byte(w)}
			for n := range 20 {
				h, err := s.Put(content(fmt.Sprint(n), 900)) // more than the quota in all
				if err != nil && !errors.Is(err, errFull) {
					t.Error(err)
				}
				got, err := s.Blob(h)
				if err != nil && !errors.Is(err, ErrNotFound) || err == nil && voting.Hash(sha256.Sum256(got)) != h {
					t.Errorf("%v", err)
				}
				if n%5 == 0 {
					if err := errors.Join(s.Pin(owner, h), s.Unpin(owner)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	if st := s.Stats(); st.Bytes > 10_000 || st.Pinned != 0 {
		t.Errorf("%+v", st)
	}
}

func TestMetrics(t *testing.T) {
	reg := prometheus.NewRegistry()
	for range 2 {
		s, err := Open(testConfig(t.TempDir()), nil, reg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(testConfig(t.TempDir()), nil, reg); err == nil {
			t.Error("two stores in one registry")
		}
		put(t, s, "x", 100)
		if all, err := reg.Gather(); err != nil || len(all) != 5 {
			t.Errorf("%d metrics, %v", len(all), err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(strings.Repeat("ab", 32))
	f.Add(strings.Repeat("AB", 32))
	f.Fuzz(func(t *testing.T, name string) {
		if h, ok := parse(name); ok && h.String() != name {
			t.Fatalf("%q is taken for %s", name, h)
		}
	})
}
