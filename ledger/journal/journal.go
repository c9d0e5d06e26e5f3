package journal

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"

	"ojud/ledger/journal/durable"
)

// Journal is an open journal. Its methods may be called by several goroutines at once. Close it.
type Journal struct {
	cfg     Config
	log     *slog.Logger
	db      *badger.DB
	own     ownFiles
	lock    *durable.Lock
	metrics *metrics
	fresh   bool
	born    birth

	signing sync.Mutex // one own vote at a time
	sending sync.Mutex // one change of the outbox at a time

	mu     sync.RWMutex // held while db is in use; Close takes it
	closed bool
	broken atomic.Pointer[error] // the first write that failed

	stop    chan struct{}
	running sync.WaitGroup
}

// Close stops the journal's background work, writes out Badger's buffer and releases the directory.
// Everything acknowledged is on the disk before. If the disk has no room for the buffer, Close
// leaves it to the next Open and returns ErrDiskFull, because Badger would kill the process. Then
// the process should end: Badger itself stays open.
func (j *Journal) Close() error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return errClosed
	}
	j.closed = true
	j.mu.Unlock()
	close(j.stop)
	j.running.Wait()
	j.metrics.unregister()
	if err := errors.Join(j.closeDB(), j.lock.Release()); err != nil {
		return fmt.Errorf("journal: close: %w", err)
	}
	return nil
}

func (j *Journal) closeDB() error {
	if err := j.cfg.roomToClose(); err != nil {
		return err
	}
	return j.db.Close()
}

// CheckSpace returns ErrDiskFull, with the directory and the limit, if the journal refuses to write
// because less than Config.MinFree is free.
func (j *Journal) CheckSpace() error { return j.cfg.checkSpace() }

// item is a key and its value; a nil value deletes.
type item struct{ key, value []byte }

// write puts items into one transaction and syncs it.
func (j *Journal) write(kind string, items ...item) error {
	if len(items) == 0 {
		return nil
	}
	start := time.Now()
	err := j.attempt(items)
	j.metrics.wrote(kind, time.Since(start), err)
	if err != nil {
		return fmt.Errorf("journal: writing %s: %w", kind, err)
	}
	return nil
}

// writeAll writes items in transactions of at most so many.
func (j *Journal) writeAll(kind string, items []item, most int) error {
	for part := range slices.Chunk(items, most) {
		if err := j.write(kind, part...); err != nil {
			return err
		}
	}
	return nil
}

func (j *Journal) attempt(items []item) error {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if j.closed {
		return errClosed
	}
	if first := j.broken.Load(); first != nil {
		return fmt.Errorf("%w: %w", ErrBroken, *first)
	}
	if err := j.cfg.checkSpace(); err != nil {
		return err
	}
	if err := j.cfg.asked(false); err != nil {
		return err
	}
	txn := j.db.NewTransaction(true)
	defer txn.Discard()
	for _, i := range items {
		if err := i.apply(txn); err != nil {
			return tooLarge(err)
		}
	}
	if err := errors.Join(txn.Commit(), j.cfg.asked(true)); err != nil {
		j.broken.CompareAndSwap(nil, &err)
		return err
	}
	return nil
}

func (i item) apply(txn *badger.Txn) error {
	if i.value == nil {
		return txn.Delete(i.key)
	}
	return txn.Set(i.key, i.value)
}

// tooLarge finds the class of an error from before the commit: nothing was written.
func tooLarge(err error) error {
	if errors.Is(err, badger.ErrTxnTooBig) {
		return fmt.Errorf("%w: split it", ErrTooLarge)
	}
	return fmt.Errorf("%w: %w", ErrInvalid, err)
}

// read returns a copy of a value, or nil.
func (j *Journal) read(key []byte) (value []byte, err error) {
	err = j.view(func(txn *badger.Txn) error {
		found, err := txn.Get(key)
		if errors.Is(err, badger.ErrKeyNotFound) {
			return nil
		}
		if err == nil {
			value, err = found.ValueCopy(nil)
		}
		return err
	})
	return value, err
}

// scan calls f with every key of a prefix, in order, and its value. Neither may be kept.
func (j *Journal) scan(prefix []byte, f func(key, value []byte) error) error {
	return j.view(func(txn *badger.Txn) error {
		o := badger.DefaultIteratorOptions
		o.Prefix = prefix
		it := txn.NewIterator(o)
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			found := it.Item()
			if err := found.Value(func(value []byte) error { return f(found.Key(), value) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// values decodes every value of a prefix, in the order of the keys.
func values[T any](j *Journal, prefix []byte, decode func(key, value []byte) (T, error)) (all []T, err error) {
	err = j.scan(prefix, func(key, value []byte) error {
		v, err := decode(key, value)
		if err != nil {
			return corrupt(j.cfg.Dir, err)
		}
		all = append(all, v)
		return nil
	})
	return all, err
}

func (j *Journal) view(f func(*badger.Txn) error) error {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if j.closed {
		return errClosed
	}
	if err := j.db.View(f); err != nil {
		return fmt.Errorf("journal: reading: %w", err)
	}
	return nil
}
