package keep

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"

	"golang.org/x/mod/sumdb/tlog"

	"ojud/agent/delegation"
	"ojud/ledger/journal/durable"
	"ojud/megabrain/memory"
)

// Node is a memory node on its disk. Its methods may be called by several goroutines at once. Close
// it.
type Node struct {
	conditions Conditions
	log        *slog.Logger
	now        func() int64
	dir        string
	lock       *durable.Lock
	promises   *promiseLog
	files      artifacts
	stripes    [64]sync.Mutex // by the first byte of a hash: who writes or removes an artifact

	mu       sync.Mutex
	index    *index
	reserved int64 // room of artifacts that are being written, or whose promise could not be written
}

// Open opens the node of a folder, or begins one. It verifies the whole log. now is Unix seconds.
func Open(dir string, s delegation.Signer, c Conditions, now func() int64, log *slog.Logger) (n *Node, err error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.WalletSignature = nil; c.Wallet != "" {
		c.WalletSignature = memory.SignWallet(s, c.Wallet)
	}
	n = &Node{conditions: c, now: now, dir: dir, log: log, files: artifacts{filepath.Join(dir, "content")}}
	if err := durable.MakeDir(n.files.dir); err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	if n.lock, err = durable.Acquire(filepath.Join(dir, "LOCK")); err != nil {
		return nil, fmt.Errorf("memory: %s: %w; stop the other node, or choose another folder", dir, err)
	}
	n.index = newIndex(func(at int64) (memory.Promise, error) { return n.promises.promise(at) })
	early := func(l *promiseLog) { n.promises = l } // the index reads the log while that is loaded
	l, err := openLog(dir, s, now, early, func(at int64, p memory.Promise) error { return n.index.add(at, p, n.horizon()) })
	if err != nil {
		return nil, errors.Join(err, n.lock.Release())
	}
	n.promises = l
	return n, nil
}

// Close closes the files. What was acknowledged is on the device without it.
func (n *Node) Close() error { return errors.Join(n.promises.close(), n.lock.Release()) }

// horizon is the time before which a promise has to be over for its artifact to be erased.
func (n *Node) horizon() int64 { return n.now() - n.conditions.Grace }

// Conditions returns what the node offers.
func (n *Node) Conditions() Conditions { return n.conditions }

// Kept returns how many artifacts are kept, and their bytes.
func (n *Node) Kept() (count, bytes int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.index.kept, n.index.bytes
}

// Head returns the newest tree head.
func (n *Node) Head() memory.TreeHead {
	h, _ := n.promises.view()
	return h
}

// Put keeps an artifact for a term in seconds, and returns the receipt. When it returns, artifact,
// promise and head are on the device. An artifact that is promised for that long already gets the
// receipt of that promise. One that is promised for less gets a promise that is longer by a tenth
// of the term at least, so that nobody fills the log by a second each time.
func (n *Node) Put(content []byte, seconds int64) (memory.Inclusion, error) {
	switch size := int64(len(content)); {
	case size == 0 || size > n.conditions.MaxArtifact:
		return memory.Inclusion{}, fmt.Errorf("%w: an artifact has 1 to %d bytes, not %d", ErrRefused, n.conditions.MaxArtifact, size)
	case seconds < 1 || seconds > n.conditions.MaxTerm:
		return memory.Inclusion{}, fmt.Errorf("%w: a term has 1 to %d seconds, not %d", ErrRefused, n.conditions.MaxTerm, seconds)
	}
	hash := memory.Digest(sha256.Sum256(content))
	stripe := n.stripe(hash)
	stripe.Lock()
	defer stripe.Unlock()
	from := n.now()
	at, old, known, err := n.find(hash)
	if err != nil {
		return memory.Inclusion{}, err
	}
	until := from + seconds
	if !known || old.Until < n.horizon() {
		return n.add(hash, content, false, from, until)
	}
	_, err = n.files.read(old)
	if errors.Is(err, errDamaged) || errors.Is(err, fs.ErrNotExist) {
		n.log.Error("memory: an artifact was damaged, and is written again; check the disk", "artifact", hash, "err", err)
		err = n.files.write(hash, content)
	}
	if err != nil {
		return memory.Inclusion{}, err
	}
	if old.Until >= until {
		return n.ProveAt(at)
	}
	if until = max(until, old.Until+seconds/10); until > from+memory.MaxTerm {
		return memory.Inclusion{}, fmt.Errorf("%w: the artifact is promised for %d seconds from now already; a longer promise has to add a tenth, and may not be longer than %d",
			ErrRefused, old.Until-from, memory.MaxTerm)
	}
	return n.add(hash, content, true, from, until)
}

// add writes a promise, and first its artifact unless that is there. Its caller holds the stripe.
func (n *Node) add(hash memory.Digest, content []byte, there bool, from, until int64) (memory.Inclusion, error) {
	pieces, err := memory.Divide(content)
	if err != nil {
		return memory.Inclusion{}, err
	}
	p, err := pieces.Promise(from, until, n.conditions.Rate)
	if err != nil {
		return memory.Inclusion{}, err
	}
	if err := n.promises.ready(); err != nil { // before anything is written
		return memory.Inclusion{}, err
	}
	written := int64(0)
	if !there {
		written = room(p.Size)
		if err := n.reserve(written); err != nil {
			return memory.Inclusion{}, err
		}
		if err := n.files.write(hash, content); err != nil {
			return memory.Inclusion{}, errors.Join(err, n.reserve(-written))
		}
	}
	at, err := n.promises.append(p)
	if err != nil {
		return memory.Inclusion{}, errors.Join(err, n.abandon(hash, written))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.reserved -= written
	if err := n.index.add(at, p, n.horizon()); err != nil {
		return memory.Inclusion{}, err
	}
	return n.ProveAt(at)
}

// abandon removes an artifact that was written and could not be promised. After a failed write of
// the log, the promise may be on the disk: then the artifact stays, and counts, until the node is
// started again.
func (n *Node) abandon(hash memory.Digest, written int64) error {
	if written == 0 || n.promises.broken() {
		return nil
	}
	return errors.Join(n.files.remove(hash), n.reserve(-written))
}

// reserve takes room for an artifact that is being written, or gives it back.
func (n *Node) reserve(size int64) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if size > 0 {
		if err := n.index.expire(n.horizon()); err != nil {
			return err
		}
		if used := n.index.room + n.reserved; used+size > n.conditions.Quota {
			return fmt.Errorf("%w: %d bytes of the quota of %d are in use", ErrFull, used, n.conditions.Quota)
		}
		free, err := durable.Free(n.dir)
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return fmt.Errorf("memory: free space of %s: %w", n.dir, err)
		}
		if err == nil && free < n.conditions.MinFree+uint64(size) {
			return fmt.Errorf("%w: %d MiB are free on the disk, and %d MiB stay free", ErrFull, free>>20, n.conditions.MinFree>>20)
		}
	}
	n.reserved += size
	return nil
}

func (n *Node) stripe(hash memory.Digest) *sync.Mutex { return &n.stripes[hash[0]%64] }

// find returns the longest promise of an artifact.
func (n *Node) find(hash memory.Digest) (at int64, p memory.Promise, ok bool, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.index.find(hash)
}

// Get returns an artifact: ErrUnknown, ErrErased or ErrLost if it is not here.
func (n *Node) Get(hash memory.Digest) ([]byte, error) {
	_, p, ok, err := n.find(hash)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrUnknown
	}
	return n.read(p)
}

func (n *Node) read(p memory.Promise) ([]byte, error) {
	content, err := n.files.read(p)
	switch gone := errors.Is(err, fs.ErrNotExist); {
	case gone && p.Until < n.horizon():
		return nil, ErrErased
	case gone || errors.Is(err, errDamaged):
		n.log.Error("memory: a promised artifact is not there as it was; check the disk", "artifact", p.Hash, "err", err)
		return nil, ErrLost
	}
	return content, err
}

// Prove returns the receipt of the longest promise of an artifact, under the newest head.
func (n *Node) Prove(hash memory.Digest) (memory.Inclusion, error) {
	at, p, ok, err := n.find(hash)
	if err == nil && !ok {
		err = ErrUnknown
	}
	if err != nil {
		return memory.Inclusion{}, err
	}
	head, r := n.promises.view()
	return n.proof(head, head.Size, at, p, r)
}

// ProveAt returns the receipt of the promise at a place of the log.
func (n *Node) ProveAt(at int64) (memory.Inclusion, error) {
	head, r := n.promises.view()
	return n.prove(head, head.Size, at, r)
}

// prove proves a promise among the first size ones.
func (n *Node) prove(head memory.TreeHead, size, at int64, r *reader) (in memory.Inclusion, err error) {
	if at < 0 || at >= size || size > head.Size {
		return in, ErrUnknown
	}
	p, err := n.promises.promise(at)
	if err != nil {
		return in, err
	}
	return n.proof(head, size, at, p, r)
}

// proof proves a promise that was read.
func (n *Node) proof(head memory.TreeHead, size, at int64, p memory.Promise, r *reader) (memory.Inclusion, error) {
	hashes, err := tlog.ProveRecord(size, at, r)
	return memory.Inclusion{Head: head, Index: at, Promise: p, Proof: memory.Path(hashes)}, err
}

// Prefix proves that the log of size promises goes on with its first old ones. It returns their
// root.
func (n *Node) Prefix(old, size int64) (root memory.Digest, proof []memory.Digest, err error) {
	head, r := n.promises.view()
	if old < 1 || old > size || size > head.Size {
		return root, nil, ErrUnknown
	}
	hash, err := tlog.TreeHash(old, r)
	if err != nil {
		return root, nil, err
	}
	hashes, err := tlog.ProveTree(size, old, r)
	return memory.Digest(hash), memory.Path(hashes), err
}

// Audit answers a question about the first size promises of the log.
func (n *Node) Audit(size int64, q memory.Question) ([]memory.Sample, error) {
	if err := q.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	head, r := n.promises.view()
	if size < 1 || size > head.Size || q.Index >= size {
		return nil, ErrUnknown
	}
	out := make([]memory.Sample, q.Count)
	var last *memory.Pieces // of the artifact of; nil: it is not here
	var of memory.Digest
	for i := range out {
		in, err := n.prove(head, size, q.Place(size, i), r)
		if err != nil {
			return nil, err
		}
		s := memory.Sample{Index: in.Index, Promise: in.Promise, Proof: in.Proof}
		if i == 0 || of != in.Promise.Hash {
			if last, err = n.pieces(in.Promise); err != nil {
				return nil, err
			}
			of = in.Promise.Hash
		}
		if last != nil {
			piece, err := last.Piece(q.Chunk(i, in.Promise))
			if err != nil {
				return nil, err
			}
			s.Piece = &piece
		}
		out[i] = s
	}
	return out, nil
}

// pieces reads an artifact for an audit; nil if it is not here.
func (n *Node) pieces(p memory.Promise) (*memory.Pieces, error) {
	content, err := n.read(p)
	if errors.Is(err, ErrErased) || errors.Is(err, ErrLost) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return memory.Divide(content)
}

// Erase erases the artifacts whose terms are over, and returns how many these are. Their promises
// stay in the log.
func (n *Node) Erase() (erased int, err error) {
	n.mu.Lock()
	err = n.index.expire(n.horizon())
	gone := n.index.gone
	n.index.gone = nil
	n.mu.Unlock()
	for i, hash := range gone {
		err := n.erase(hash)
		if err != nil {
			n.mu.Lock()
			n.index.gone = append(n.index.gone, gone[i:]...)
			n.mu.Unlock()
			return i, err
		}
	}
	return len(gone), err
}

// erase erases an artifact if no promise covers it.
func (n *Node) erase(hash memory.Digest) error {
	stripe := n.stripe(hash)
	stripe.Lock()
	defer stripe.Unlock()
	if _, p, ok, err := n.find(hash); err != nil || ok && p.Until >= n.horizon() {
		return err
	}
	return n.files.remove(hash)
}

// Tidy removes what a crash has left, and artifacts whose terms ended while the node did not run.
// It looks at all files.
func (n *Node) Tidy() error {
	return n.files.each(func(hash memory.Digest, unfinished bool) error {
		if !unfinished {
			return n.erase(hash)
		}
		stripe := n.stripe(hash)
		stripe.Lock()
		defer stripe.Unlock()
		return n.files.removeUnfinished(hash)
	})
}
