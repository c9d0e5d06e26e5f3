package keep

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"ojud/agent/delegation"
	"ojud/megabrain/memory"
)

type testKey struct{ private ed25519.PrivateKey }

func newKey(name string) testKey {
	seed := sha256.Sum256([]byte(name))
	return testKey{ed25519.NewKeyFromSeed(seed[:])}
}

func (k testKey) Principal() (p delegation.Principal) {
	copy(p[:], k.private[32:])
	return p
}

func (k testKey) Sign(message []byte) [64]byte { return [64]byte(ed25519.Sign(k.private, message)) }

// clock is a time that tests set.
type clock struct{ at int64 }

func (c *clock) now() int64 { return c.at }

func conditions() Conditions {
	c := DefaultConditions()
	c.Quota, c.MaxArtifact, c.Grace, c.MinFree, c.Rate = 24*minRoom, 5_000, 100, 1<<20, 7
	return c
}

func open(t testing.TB, dir string, c *clock) *Node {
	t.Helper()
	n, err := Open(dir, newKey("node"), conditions(), c.now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() }) // some tests close it
	return n
}

func put(t testing.TB, n *Node, name string, size int, seconds int64) memory.Inclusion {
	t.Helper()
	in, err := n.Put(content(name, size), seconds)
	if err == nil {
		err = in.Verify()
	}
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func content(name string, size int) []byte {
	return append([]byte(name), bytes.Repeat([]byte{'x'}, size-len(name))...)
}

func sum(content []byte) memory.Digest { return sha256.Sum256(content) }

// TestPut: what is put is there, its promises verify, and all of it survives the end of the
// process.
func TestPut(t *testing.T) {
	dir, c := t.TempDir(), &clock{1000}
	n := open(t, dir, c)
	var receipts []memory.Inclusion
	for i := range 5 {
		receipts = append(receipts, put(t, n, fmt.Sprint(i), 2000, 1000))
	}
	if again := put(t, n, "3", 2000, 900); again.Index != 3 || n.Head().Size != 5 {
		t.Errorf("a promise that is there was made again at %d", again.Index)
	}
	longer := put(t, n, "3", 2000, 5000)
	if count, used := n.Kept(); longer.Index != 5 || count != 5 || used != 10_000 {
		t.Errorf("%d: %d artifacts, %d bytes", longer.Index, count, used)
	}
	for range 2 {
		for i, old := range receipts {
			got, err := n.Get(old.Promise.Hash)
			if err != nil || !bytes.Equal(got, content(fmt.Sprint(i), 2000)) {
				t.Errorf("%d: %v", i, err)
			}
			in, err := n.Prove(old.Promise.Hash)
			if err != nil || in.Verify() != nil || in.Head != n.Head() {
				t.Errorf("%d: %v", i, err)
			}
			root, proof, err := n.Prefix(old.Head.Size, n.Head().Size)
			if err != nil {
				t.Fatal(err)
			}
			p := memory.Prefix{Head: n.Head(), Size: old.Head.Size, Root: root, Proof: proof}
			if e, err := p.Continues(old.Head); err != nil || e != nil {
				t.Errorf("%d: %v, %v", i, e, err)
			}
		}
		head := n.Head()
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
		if n = open(t, dir, c); n.Head() != head {
			t.Errorf("%v became %v", head, n.Head())
		}
	}
	for _, err := range []error{third(n.Prove(memory.Digest{1})), third(n.Get(memory.Digest{1})), third(n.ProveAt(6)), third(n.ProveAt(-1))} {
		if !errors.Is(err, ErrUnknown) {
			t.Errorf("%v", err)
		}
	}
}

func third[T any](_ T, err error) error { return err }

func TestRefused(t *testing.T) {
	c := &clock{1000}
	n := open(t, t.TempDir(), c)
	for name, err := range map[string]error{
		"empty": third(n.Put(nil, 10)), "large": third(n.Put(make([]byte, 5001), 10)), "no term": third(n.Put([]byte("x"), 0)),
		"long": third(n.Put([]byte("x"), conditions().MaxTerm+1)),
		"many": third(n.Audit(1, memory.Question{Count: 65})),
	} {
		if !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	n.conditions.Quota = 4 * minRoom
	for i := range 4 {
		put(t, n, fmt.Sprint(i), 5000, 50)
	}
	if _, err := n.Put([]byte("one more"), 50); !errors.Is(err, ErrFull) {
		t.Errorf("over the quota: %v", err)
	}
	c.at += 151 // all terms and the grace are over
	put(t, n, "4", 5000, 50)
	for field, change := range map[string]func(*Conditions){
		"max_artifact_bytes": func(c *Conditions) { c.MaxArtifact = 0 }, "max_term_seconds": func(c *Conditions) { c.MaxTerm = 0 }, "grace_seconds": func(c *Conditions) { c.Grace = -1 },
		"rate": func(c *Conditions) { c.Rate = memory.MaxRate + 1 }, "quota_bytes": func(c *Conditions) { c.Quota = 1 },
	} {
		bad := conditions()
		change(&bad)
		if _, err := Open(t.TempDir(), newKey("node"), bad, c.now, nil); err == nil || !bytes.Contains([]byte(err.Error()), []byte(field)) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestErase: after term and grace the artifact is gone, and the receipt still verifies. A longer
// promise of the same artifact keeps it.
func TestErase(t *testing.T) {
	dir, c := t.TempDir(), &clock{1000}
	n := open(t, dir, c)
	short, kept := put(t, n, "short", 100, 10), put(t, n, "kept", 100, 10)
	put(t, n, "kept", 100, 1000)
	c.at = 1110 // the last second of the grace
	if erased, err := n.Erase(); erased != 0 || err != nil {
		t.Errorf("%d, %v", erased, err)
	}
	c.at++
	if erased, err := n.Erase(); erased != 1 || err != nil {
		t.Errorf("%d, %v", erased, err)
	}
	for range 2 {
		if _, err := n.Get(short.Promise.Hash); !errors.Is(err, ErrErased) {
			t.Errorf("%v", err)
		}
		if in, err := n.Prove(short.Promise.Hash); err != nil || in.Verify() != nil || in.Promise != short.Promise {
			t.Errorf("%v", err)
		}
		if _, err := n.Get(kept.Promise.Hash); err != nil {
			t.Errorf("%v", err)
		}
		samples, err := n.Audit(3, memory.Question{Index: 0, Count: 2, At: c.at})
		if err != nil || samples[0].Piece != nil {
			t.Errorf("%v", err)
		}
		if count, used := n.Kept(); count != 1 || used != 100 {
			t.Errorf("%d artifacts, %d bytes", count, used)
		}
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
		n = open(t, dir, c)
	}
	if in := put(t, n, "short", 100, 10); in.Index != 3 {
		t.Errorf("it is promised again at %d", in.Index)
	}
	if _, err := n.Get(short.Promise.Hash); err != nil {
		t.Errorf("%v", err)
	}
}

// TestTidy: what a crash left and what ended meanwhile is removed, and nothing else.
func TestTidy(t *testing.T) {
	dir, c := t.TempDir(), &clock{1000}
	n := open(t, dir, c)
	over, kept := put(t, n, "over", 100, 10), put(t, n, "kept", 100, 10_000)
	stray := content("never promised", 100)
	if err := n.files.write(sum(stray), stray); err != nil {
		t.Fatal(err)
	}
	unfinished := n.files.path(kept.Promise.Hash) + ".new"
	foreign := n.files.path(kept.Promise.Hash) + ".txt"
	for _, name := range []string{unfinished, foreign} {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	c.at = 2000
	n = open(t, dir, c)
	if err := n.Tidy(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		n.files.path(over.Promise.Hash): false, n.files.path(kept.Promise.Hash): true, n.files.path(sum(stray)): false, unfinished: false, foreign: true,
	} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLost: an artifact that is damaged is not given out, is missing in an audit, and can be put
// again.
func TestLost(t *testing.T) {
	c := &clock{1000}
	n := open(t, t.TempDir(), c)
	in := put(t, n, "x", 3000, 100)
	for name, damage := range map[string]func(string) error{
		"changed": func(path string) error { return os.WriteFile(path, content("y", 3000), 0o600) },
		"cut":     func(path string) error { return os.Truncate(path, 10) },
		"gone":    os.Remove,
	} {
		if err := damage(n.files.path(in.Promise.Hash)); err != nil {
			t.Fatal(err)
		}
		if _, err := n.Get(in.Promise.Hash); !errors.Is(err, ErrLost) {
			t.Errorf("%s: %v", name, err)
		}
		q := memory.Question{Index: -1, Count: 3, At: c.at}
		samples, err := n.Audit(1, q)
		if err != nil {
			t.Fatal(err)
		}
		if counts, err := (memory.Trial{Head: n.Head(), Question: q, Samples: samples}).Verify(); err != nil || counts.Missing != 3 {
			t.Errorf("%s: %v: %+v", name, err, counts)
		}
		if again := put(t, n, "x", 3000, 100); again.Index != in.Index {
			t.Errorf("%s: promised again", name)
		}
		if samples, err = n.Audit(1, q); err != nil {
			t.Fatal(err)
		}
		if counts, err := (memory.Trial{Head: n.Head(), Question: q, Samples: samples}).Verify(); err != nil || !counts.Kept() {
			t.Errorf("%s: %v: %+v", name, err, counts)
		}
	}
}

// TestRecovery: what a crash leaves behind what was acknowledged is cut off, the hashes are made
// again, and a log that lost what its head says is not opened.
func TestRecovery(t *testing.T) {
	dir, c := t.TempDir(), &clock{1000}
	n := open(t, dir, c)
	for i := range 700 { // more than two blocks
		if _, err := n.promises.append(memory.Promise{Hash: memory.Digest{byte(i), byte(i >> 8)}, Size: 1, From: 1, Until: 2}); err != nil {
			t.Fatal(err)
		}
		if i == 20 { // each with its own head until here, then together
			break
		}
	}
	var batch []*addition
	for i := range 679 {
		batch = append(batch, &addition{promise: memory.Promise{Hash: memory.Digest{1, byte(i), byte(i >> 8)}, Size: 1, From: 1, Until: 2}})
	}
	if err := n.promises.write(batch); err != nil {
		t.Fatal(err)
	}
	head := n.Head()
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	entries, hashes, note := read(entriesIn(dir)), read(hashesIn(dir)), read(headIn(dir))
	flip := func(raw []byte, at int) []byte {
		out := bytes.Clone(raw)
		out[at] ^= 1
		return out
	}
	for name, k := range map[string]struct {
		entries, hashes, head []byte
		opens                 bool
	}{
		"as it was":             {entries, hashes, note, true},
		"half an entry more":    {append(bytes.Clone(entries), 1, 2, 3), hashes, note, true},
		"an entry more":         {append(bytes.Clone(entries), entries[:memory.LeafSize]...), append(bytes.Clone(hashes), make([]byte, 100)...), note, true},
		"no hashes":             {entries, nil, note, true},
		"half of the hashes":    {entries, hashes[:len(hashes)/2], note, true},
		"a hash is damaged":     {entries, flip(hashes, 5000), note, true},
		"an entry is damaged":   {flip(entries, 700*memory.LeafSize/2+20), hashes, note, false},
		"an entry is missing":   {entries[:len(entries)-memory.LeafSize], hashes, note, false},
		"the head is damaged":   {entries, hashes, flip(note, 60), false},
		"the head is missing":   {entries, hashes, nil, false},
		"an entry has no sense": {append(bytes.Clone(entries[:memory.LeafSize]), append([]byte("mem2"), entries[memory.LeafSize+4:]...)...), hashes, note, false},
	} {
		for file, raw := range map[string][]byte{entriesIn(dir): k.entries, hashesIn(dir): k.hashes, headIn(dir): k.head} {
			if err := os.WriteFile(file, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if k.head == nil {
			if err := os.Remove(headIn(dir)); err != nil {
				t.Fatal(err)
			}
		}
		n, err := Open(dir, newKey("node"), conditions(), c.now, slog.New(slog.DiscardHandler))
		if (err == nil) != k.opens {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		if n.Head() != head || !bytes.Equal(read(hashesIn(dir)), hashes) || !bytes.Equal(read(entriesIn(dir)), entries) {
			t.Errorf("%s: the log is another", name)
		}
		for _, at := range []int64{0, 255, 256, 511, 512, 699} {
			if in, err := n.ProveAt(at); err != nil || in.Verify() != nil {
				t.Errorf("%s: %d: %v", name, at, err)
			}
		}
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for file, raw := range map[string][]byte{entriesIn(dir): entries, hashesIn(dir): hashes, headIn(dir): note} {
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(dir, newKey("other"), conditions(), c.now, nil); err == nil {
		t.Error("another node signs for this log")
	}
	n = open(t, dir, c)
	if _, err := Open(dir, newKey("node"), conditions(), c.now, nil); err == nil {
		t.Error("two nodes have one log")
	}
	n.promises.maxLeafs = 700
	if _, err := n.Put([]byte("one more"), 10); err == nil {
		t.Error("a log that is full takes more")
	}
}

// TestConcurrent: promises that are made at once are all in one log.
func TestConcurrent(t *testing.T) {
	c := &clock{1000}
	n := open(t, t.TempDir(), c)
	var wg sync.WaitGroup
	places := make([]int64, 40)
	for i := range places {
		wg.Go(func() {
			in, err := n.Put(content(fmt.Sprint(i/2), 200), 100) // each twice
			if err == nil {
				err = in.Verify()
			}
			if err != nil {
				t.Error(err)
			}
			places[i] = in.Index
		})
	}
	wg.Wait()
	for i := range places {
		if places[i] != places[i^1] {
			t.Errorf("%d was promised at %d and %d", i/2, places[i], places[i^1])
		}
	}
	if n.Head().Size != 20 {
		t.Errorf("%d promises", n.Head().Size)
	}
}

// TestBroken: after a write that failed nothing is acknowledged, and what was is still there.
func TestBroken(t *testing.T) {
	dir, c := t.TempDir(), &clock{1000}
	n := open(t, dir, c)
	in := put(t, n, "first", 100, 100)
	n.promises.headAt = dir + "/missing/head"
	for range 2 {
		if _, err := n.Put([]byte("second"), 100); err == nil {
			t.Error("a promise without a head")
		}
	}
	if n.Head() != in.Head {
		t.Errorf("%v", n.Head())
	}
	if _, err := n.Prove(in.Promise.Hash); err != nil {
		t.Error(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	n = open(t, dir, c)
	if _, err := n.Get(sum([]byte("second"))); !errors.Is(err, ErrUnknown) || n.Head() != in.Head {
		t.Errorf("%v, %v", err, n.Head())
	}
}

// TestCollisions: artifacts whose short hashes are equal are both found.
func TestCollisions(t *testing.T) {
	all := []memory.Promise{}
	x := newIndex(func(at int64) (memory.Promise, error) { return all[at], nil })
	for i := range 3 {
		p := memory.Promise{Hash: memory.Digest{byte(i)}, Size: 1, From: 0, Until: 10}
		all = append(all, p)
		if err := x.add(int64(i), p, 5); err != nil {
			t.Fatal(err)
		}
		clear(x.short)
		for j := range 3 { // all short hashes are those of the first
			x.short[x.key(memory.Digest{byte(j)})] = 0
		}
	}
	for i := range 3 {
		at, p, ok, err := x.find(memory.Digest{byte(i)})
		if err != nil || !ok || at != int64(i) || p.Hash[0] != byte(i) {
			t.Errorf("%d: %d, %v, %v", i, at, ok, err)
		}
	}
}

// used is how many bytes and files of content a node has on its disk.
func used(t *testing.T, n *Node) (bytes int64, files int) {
	t.Helper()
	err := filepath.WalkDir(n.files.dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes, files = bytes+info.Size(), files+1
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes, files
}

// TestAttackTinyArtifacts: a stranger has a node keep artifacts of a byte, each of which takes a
// block of the disk and more. They never filled the quota. Now each counts as 8 KiB.
func TestAttackTinyArtifacts(t *testing.T) {
	n := open(t, t.TempDir(), &clock{1000})
	n.conditions.Quota = 4 * minRoom
	taken := 0
	for i := range 10 {
		_, err := n.Put([]byte{byte(i)}, 1000)
		if err == nil {
			taken++
		} else if !errors.Is(err, ErrFull) {
			t.Fatal(err)
		}
	}
	if _, files := used(t, n); taken != 4 || files != 4 {
		t.Errorf("%d artifacts are taken, %d are on the disk; the quota is for 4", taken, files)
	}
}

// TestAttackEndlessRenewals: a stranger puts one artifact again with a term that is one second
// longer. Each time the log grew and the file was written. Now a promise is longer by a tenth.
func TestAttackEndlessRenewals(t *testing.T) {
	n := open(t, t.TempDir(), &clock{1000})
	for i := range int64(200) {
		if in := put(t, n, "x", 100, 1000+i); in.Promise.Until < 2000+i {
			t.Fatalf("promised until %d, and not until %d", in.Promise.Until, 2000+i)
		}
	}
	if size := n.Head().Size; size != 3 { // 1000, 1101, 1211
		t.Errorf("%d promises of one artifact", size)
	}
}

// TestAttackFullLog: artifacts that are sent to a node whose log is full, or cannot be written,
// stayed on its disk uncounted. Now such a node takes none, removes what it could not promise, and
// counts what it may have promised.
func TestAttackFullLog(t *testing.T) {
	for name, c := range map[string]struct {
		hurt  func(*Node)
		files int
	}{
		"full":   {func(n *Node) { n.promises.maxLeafs = 1 }, 1},
		"broken": {func(n *Node) { n.promises.headAt = n.dir + "/missing/head" }, 2},
	} {
		n := open(t, t.TempDir(), &clock{1000})
		put(t, n, "first", 100, 100)
		c.hurt(n)
		for i := range 10 {
			if _, err := n.Put(content(fmt.Sprint(i), 1000), 100); err == nil {
				t.Errorf("%s: it promises", name)
			}
		}
		if _, files := used(t, n); files != c.files || n.index.room+n.reserved != int64(c.files)*minRoom {
			t.Errorf("%s: %d artifacts on the disk, and %d bytes are counted", name, files, n.index.room+n.reserved)
		}
	}
}
