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
	if _, err := s.Put(content("d", 3_000)); !errors.Is(err, ErrFull) {
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
	if _, err := s.Put(content("new", 100)); !errors.Is(err, ErrFull) {
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
				if err != nil && !errors.Is(err, ErrFull) {
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
		if all, err := reg.Gather(); err != nil || len(all) != 7 {
			t.Errorf("%d metrics, %v", len(all), err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// fill keeps n bytes of content for an owner.
func fill(s *Store, owner voting.Key, name string, n int) (voting.Hash, error) {
	return s.Keep(owner, content(name, n))
}

// TestAttackStoreOfOthers: content of strangers takes no room from the case in which this node
// sits. It goes by rank, then by value, and each owner and payer has a budget.
func TestAttackStoreOfOthers(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	offers, files, seat := voting.Key{1}, voting.Key{2}, voting.Key{3}
	mallory := voting.Key{9}
	s.Rate(offers, Merit{Rank: Offer, Payer: mallory, Budget: 1_000, PayerBudget: 1_100})
	s.Rate(files, Merit{Rank: File})
	s.Rate(seat, Merit{Rank: Seat, Budget: 9_500})
	offer, err := fill(s, offers, "offer", 800)
	if err != nil {
		t.Fatal(err)
	}
	file, err := fill(s, files, "file", 4_000)
	if err != nil {
		t.Fatal(err)
	}
	cached := put(t, s, "cached", 4_000)
	if _, err := fill(s, offers, "more", 300); !errors.Is(err, ErrFull) {
		t.Errorf("beyond the owner's budget: %v", err)
	}
	second := voting.Key{4}
	s.Rate(second, Merit{Rank: Offer, Payer: mallory, PayerBudget: 1_100})
	if _, err := fill(s, second, "second", 400); !errors.Is(err, ErrFull) {
		t.Errorf("beyond the payer's budget: %v", err)
	}
	rich := voting.Key{5}
	s.Rate(rich, Merit{Rank: Offer, Value: 1})
	if _, err := fill(s, rich, "rich", 500); err != nil || s.Has(offer) {
		t.Errorf("an offer of more value does not displace one in the share of offers: %v", err)
	}
	if _, err := fill(s, offers, "offer", 800); !errors.Is(err, ErrFull) {
		t.Errorf("an offer of less value displaces one: %v", err)
	}
	for i, n := range []int{4_000, 4_000, 1_400} {
		if _, err := fill(s, seat, fmt.Sprint("seat", i), n); err != nil {
			t.Fatal(err)
		}
	}
	if s.Has(cached) || s.Has(file) {
		t.Error("the seat's case did not displace what is worth less")
	}
	if _, err := s.Put(content("new", 700)); !errors.Is(err, ErrFull) {
		t.Errorf("content of nobody displaces a case: %v", err)
	}
	opinion, err := s.KeepOwn(seat, content("opinion", 3_000))
	if err != nil {
		t.Errorf("the own opinion has no room: %v", err)
	}
	if st := s.Stats(); st.Cases != 12_400 || st.Refused != 3 {
		t.Errorf("%+v", st)
	}
	s = open(t, dir) // its pins survive, what they are worth does not
	if _, err := s.KeepOwn(voting.Key{7}, content("next", 4_000)); err != nil || s.Stats().Bytes > 10_000 {
		t.Errorf("a full store after a restart: %v, %+v", err, s.Stats())
	}
	if s.Owners()[seat] != Stray || s.Pinned(voting.Key{8}, opinion) {
		t.Error("a restart invents owners")
	}
}

// TestRanks: content counts for its best owner, and the sums are right after each change.
func TestRanks(t *testing.T) {
	s := open(t, t.TempDir())
	low, high := voting.Key{1}, voting.Key{2}
	h := put(t, s, "a", 100)
	later := voting.Hash(sha256.Sum256(content("b", 50)))
	if err := errors.Join(s.Pin(low, h, later), s.Pin(high, h)); err != nil {
		t.Fatal(err)
	}
	sums := func(what string, want map[Rank]uint64) {
		t.Helper()
		for r := range ranks {
			if got := s.used(r); got != want[r] {
				t.Errorf("%s: %s has %d bytes, want %d", what, rankNames[r], got, want[r])
			}
		}
	}
	sums("strays", map[Rank]uint64{Stray: 100})
	s.Rate(low, Merit{Rank: Offer, Payer: high})
	s.Rate(high, Merit{Rank: Court})
	put(t, s, "b", 50)
	sums("two owners", map[Rank]uint64{Court: 100, Offer: 50})
	if err := s.Unpin(high); err != nil {
		t.Fatal(err)
	}
	sums("one owner", map[Rank]uint64{Offer: 150})
	if got := s.index.payers[payer{high, Offer}]; got != 150 {
		t.Errorf("the payer answers for %d bytes", got)
	}
	if err := s.Unpin(low); err != nil {
		t.Fatal(err)
	}
	sums("no owner", map[Rank]uint64{free: 150})
	if len(s.index.owners)+len(s.index.pins)+len(s.index.payers) != 0 {
		t.Errorf("%d owners, %d pins, %d payers are left", len(s.index.owners), len(s.index.pins), len(s.index.payers))
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
