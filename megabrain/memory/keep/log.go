package keep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/mod/sumdb/tlog"

	"ojud/agent/delegation"
	"ojud/ledger/journal/durable"
	"ojud/megabrain/memory"
)

const (
	// blockLevel is the lowest level of the tree that is kept in memory. A block of leaves below a
	// hash of this level stands in one piece of the file, so a proof reads one block.
	blockLevel  = 8
	blockLeaves = 1 << blockLevel
	blockHashes = 2*blockLeaves - 1 // those of levels 0 to blockLevel of a block
	blockBytes  = blockHashes * tlog.HashSize

	// maxBatch is how many promises are written at once.
	maxBatch = 4096
)

// promiseLog is the log. Its methods may be called by several goroutines at once.
type promiseLog struct {
	signer  delegation.Signer
	now     func() int64
	entries *os.File
	hashes  *os.File
	headAt  string // path of the head

	waiting  sync.Mutex
	queue    []*addition
	writing  sync.Mutex
	mu       sync.RWMutex // of what follows
	head     memory.TreeHead
	tree     tree
	bad      error // a write failed: nothing is appended until the log is opened again
	maxLeafs int64
}

// addition is a promise that waits to be written.
type addition struct {
	promise memory.Promise
	index   int64
	err     error
	done    bool
}

// tree is the part of the tree that is in memory: all above the blocks, and the last block.
type tree struct {
	upper [][]tlog.Hash // by level from blockLevel
	tail  []tlog.Hash   // of the block that is not full, in the order of the file
	size  int64
}

// add takes the hashes of the next leaf.
func (t *tree) add(hashes []tlog.Hash) {
	t.tail = append(t.tail, hashes[:min(len(hashes), blockLevel)]...)
	for i := blockLevel; i < len(hashes); i++ {
		if i-blockLevel == len(t.upper) {
			t.upper = append(t.upper, nil)
		}
		t.upper[i-blockLevel] = append(t.upper[i-blockLevel], hashes[i])
	}
	if t.size++; t.size%blockLeaves == 0 {
		t.tail = nil // not [:0]: readers have it
	}
}

// reader reads hashes of a tree. It has at most a few blocks of the file in memory.
type reader struct {
	tree   tree
	file   *os.File
	block  int64
	loaded []byte
}

// ReadHashes implements tlog.HashReader.
func (r *reader) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		h, err := r.hash(x)
		if err != nil {
			return nil, err
		}
		out[i] = h
	}
	return out, nil
}

func (r *reader) hash(x int64) (h tlog.Hash, err error) {
	level, n := tlog.SplitStoredHashIndex(x)
	if above := level - blockLevel; above >= 0 {
		if above >= len(r.tree.upper) || n >= int64(len(r.tree.upper[above])) {
			return h, fmt.Errorf("memory: hash %d of level %d is not in the tree", n, level)
		}
		return r.tree.upper[above][n], nil
	}
	block := n << level >> blockLevel
	first := tlog.StoredHashIndex(0, block<<blockLevel)
	if block == r.tree.size>>blockLevel {
		if x-first >= int64(len(r.tree.tail)) {
			return h, fmt.Errorf("memory: hash %d of level %d is not in the tree", n, level)
		}
		return r.tree.tail[x-first], nil
	}
	if r.loaded == nil || r.block != block {
		raw := make([]byte, blockBytes)
		if _, err := r.file.ReadAt(raw, first*tlog.HashSize); err != nil {
			return h, fmt.Errorf("memory: hashes of the log: %w", err)
		}
		r.block, r.loaded = block, raw
	}
	copy(h[:], r.loaded[(x-first)*tlog.HashSize:])
	return h, nil
}

// view returns the head, and a reader of its tree.
func (l *promiseLog) view() (memory.TreeHead, *reader) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.head, &reader{tree: l.tree.copied(), file: l.hashes}
}

// copied returns a tree that additions do not change.
func (t *tree) copied() tree {
	upper := make([][]tlog.Hash, len(t.upper))
	copy(upper, t.upper)
	return tree{upper: upper, tail: t.tail, size: t.size}
}

// append writes a promise, and returns its place. When it returns, the promise and the head that
// covers it are on the device. Promises that come at the same time are written together.
func (l *promiseLog) append(p memory.Promise) (int64, error) {
	a := &addition{promise: p}
	l.waiting.Lock()
	l.queue = append(l.queue, a)
	l.waiting.Unlock()

	l.writing.Lock()
	defer l.writing.Unlock()
	for !a.done {
		l.waiting.Lock()
		n := min(len(l.queue), maxBatch)
		batch := l.queue[:n:n]
		l.queue = l.queue[n:]
		l.waiting.Unlock()
		err := l.write(batch)
		for _, b := range batch {
			b.err, b.done = err, true
		}
	}
	return a.index, a.err
}

// ready fails if the log takes no promise.
func (l *promiseLog) ready() error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.bad != nil {
		return l.bad
	}
	if l.tree.size >= l.maxLeafs {
		return l.full()
	}
	return nil
}

// broken reports whether a write of the log failed.
func (l *promiseLog) broken() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.bad != nil
}

func (l *promiseLog) full() error {
	return fmt.Errorf("memory: the log has %d promises, which is the most; begin another node", l.tree.size)
}

// write writes additions. Its caller holds writing.
func (l *promiseLog) write(batch []*addition) error {
	if l.bad != nil {
		return l.bad
	}
	l.mu.RLock()
	r := &reader{tree: l.tree.copied(), file: l.hashes}
	l.mu.RUnlock()
	if r.tree.size+int64(len(batch)) > l.maxLeafs {
		return l.full()
	}
	r.tree.tail = append([]tlog.Hash(nil), r.tree.tail...)
	start := r.tree.size
	var leaves, hashes []byte
	for _, a := range batch {
		leaf := a.promise.Leaf()
		a.index = r.tree.size
		more, err := tlog.StoredHashes(a.index, leaf, r)
		if err != nil {
			return err
		}
		leaves = append(leaves, leaf...)
		for _, h := range more {
			hashes = append(hashes, h[:]...)
		}
		r.tree.add(more)
	}
	root, err := tlog.TreeHash(r.tree.size, r)
	if err != nil {
		return err
	}
	head, err := memory.SignHead(l.signer, r.tree.size, memory.Digest(root), l.now())
	if err != nil {
		return err
	}
	if err := l.persist(start, leaves, hashes, head); err != nil {
		err = fmt.Errorf("memory: the log could not be written, and takes nothing until the node is started again: %w", err)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.bad = err
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head, l.tree = head, r.tree
	return nil
}

// persist puts leaves, their hashes and the head on the device, in this order.
func (l *promiseLog) persist(start int64, leaves, hashes []byte, head memory.TreeHead) error {
	if _, err := l.entries.WriteAt(leaves, start*int64(memory.LeafSize)); err != nil {
		return err
	}
	if _, err := l.hashes.WriteAt(hashes, tlog.StoredHashCount(start)*tlog.HashSize); err != nil {
		return err
	}
	if err := errors.Join(l.entries.Sync(), l.hashes.Sync()); err != nil {
		return err
	}
	return durable.WriteFile(l.headAt, head.Note())
}

// promise reads the promise at a place of the log.
func (l *promiseLog) promise(index int64) (memory.Promise, error) {
	leaf := make([]byte, memory.LeafSize)
	if _, err := l.entries.ReadAt(leaf, index*int64(memory.LeafSize)); err != nil {
		return memory.Promise{}, fmt.Errorf("memory: promise %d: %w", index, err)
	}
	return memory.ParseLeaf(leaf)
}

// close closes the files.
func (l *promiseLog) close() error { return errors.Join(l.entries.Close(), l.hashes.Close()) }

// paths of a folder.
func entriesIn(dir string) string { return filepath.Join(dir, "entries") }
func hashesIn(dir string) string  { return filepath.Join(dir, "hashes") }
func headIn(dir string) string    { return filepath.Join(dir, "head") }
