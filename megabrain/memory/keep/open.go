package keep

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/mod/sumdb/tlog"

	"ojud/agent/delegation"
	"ojud/ledger/journal/durable"
	"ojud/megabrain/memory"
)

// openLog opens the log of a folder, or begins it. It calls early with the log before it is loaded,
// and see with each promise of it.
func openLog(dir string, s delegation.Signer, now func() int64, early func(*promiseLog), see func(index int64, p memory.Promise) error) (l *promiseLog, err error) {
	l = &promiseLog{signer: s, now: now, headAt: headIn(dir), maxLeafs: memory.MaxLog}
	if l.head, err = readHead(dir, s, now); err != nil {
		return nil, err
	}
	if l.entries, err = os.OpenFile(entriesIn(dir), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	if l.hashes, err = os.OpenFile(hashesIn(dir), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("memory: %w", err), l.entries.Close())
	}
	early(l)
	if err := errors.Join(l.load(see), durable.Sync(dir)); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

// readHead reads the head of a folder. A folder without promises begins with a head of none.
func readHead(dir string, s delegation.Signer, now func() int64) (h memory.TreeHead, err error) {
	raw, err := os.ReadFile(headIn(dir))
	if errors.Is(err, fs.ErrNotExist) {
		if info, err := os.Stat(entriesIn(dir)); err == nil && info.Size() > 0 {
			return h, fmt.Errorf("memory: %s has promises and no head; bring the file %s back, or begin a new node in another folder", dir, headIn(dir))
		}
		none, err := tlog.TreeHash(0, nil)
		if err != nil {
			return h, err
		}
		if h, err = memory.SignHead(s, 0, memory.Digest(none), now()); err != nil {
			return h, err
		}
		return h, durable.WriteFile(headIn(dir), h.Note())
	}
	if err != nil {
		return h, fmt.Errorf("memory: %w", err)
	}
	if h, err = memory.ParseHead(raw); err != nil {
		return h, fmt.Errorf("%s: %w", headIn(dir), err)
	}
	if h.Node != s.Principal() {
		return h, fmt.Errorf("memory: the log in %s is that of %s, and the key is that of %s", dir, h.Node, s.Principal())
	}
	return h, nil
}

// load makes the tree of all promises that the head covers, cuts off the others, and brings the
// file of hashes in order.
func (l *promiseLog) load(see func(int64, memory.Promise) error) error {
	if err := l.entries.Truncate(l.head.Size * int64(memory.LeafSize)); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	in := bufio.NewReaderSize(io.NewSectionReader(l.entries, 0, l.head.Size*int64(memory.LeafSize)), 1<<20)
	h := rewriter{file: l.hashes, old: bufio.NewReaderSize(io.NewSectionReader(l.hashes, 0, 1<<62), 1<<20)}
	leaf := make([]byte, memory.LeafSize)
	r := &reader{file: l.hashes}
	for n := range l.head.Size {
		if _, err := io.ReadFull(in, leaf); err != nil {
			return fmt.Errorf("memory: the log ends after %d promises, and its head says %d: %w", n, l.head.Size, err)
		}
		p, err := memory.ParseLeaf(leaf)
		if err != nil {
			return fmt.Errorf("promise %d of the log is damaged: %w", n, err)
		}
		more, err := tlog.StoredHashes(n, leaf, r)
		if err != nil {
			return err
		}
		r.tree.add(more)
		if err := h.take(more); err != nil {
			return err
		}
		if err := see(n, p); err != nil {
			return err
		}
	}
	root, err := tlog.TreeHash(r.tree.size, r)
	if err != nil {
		return err
	}
	if memory.Digest(root) != l.head.Root {
		return fmt.Errorf("memory: the promises do not have the root that was signed: entries or head were changed; bring them back from a copy, or begin a new node in another folder")
	}
	l.tree = r.tree
	return h.finish()
}

// rewriter compares the file of hashes with what it must hold, and writes what differs.
type rewriter struct {
	file    *os.File
	old     *bufio.Reader
	at      int64 // bytes that are right
	want    []byte
	differs bool
}

func (w *rewriter) take(hashes []tlog.Hash) error {
	w.want = w.want[:0]
	for _, h := range hashes {
		w.want = append(w.want, h[:]...)
	}
	there := make([]byte, len(w.want))
	if n, err := io.ReadFull(w.old, there); n < len(there) || !bytes.Equal(there, w.want) {
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("memory: %w", err)
		}
		w.differs = true
		if _, err := w.file.WriteAt(w.want, w.at); err != nil {
			return fmt.Errorf("memory: %w", err)
		}
	}
	w.at += int64(len(w.want))
	return nil
}

func (w *rewriter) finish() error {
	info, err := w.file.Stat()
	if err == nil && info.Size() != w.at {
		w.differs = true
		err = w.file.Truncate(w.at)
	}
	if err == nil && w.differs {
		err = w.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	return nil
}
