package bank

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// Keys of the database. Integers are big endian, so that keys sort by them.
const (
	keyAccount = 'a' // address: account
	keyRecord  = 't' // sequence: transaction
	keyBlock   = 'b' // slot: block
	keyHead    = "h"
	keyGenesis = "g"
)

const (
	// openAttempts bounds the attempts of Open. After about one crash in a hundred the first
	// attempt fails, and repairs the cause (badger issue 2207).
	openAttempts = 3
	// lockedFor is how long a directory may be locked before Open gives up. A program that this
	// process starts has a copy of the lock of a chain that was just closed, until it runs.
	lockedFor, lockedPause = 2 * time.Second, 50 * time.Millisecond
	// memtable and inline bound memory and the size of a transaction. A transaction may take 15 %
	// of a memtable, 2.4 MiB. The largest entry has 2.1 MiB: 64 accounts just below the inline
	// limit, and a record. Larger values go to the value log and count only as a pointer.
	memtable = 16 << 20
	inline   = 32 << 10
	// batchBytes bounds the inline values of a shared write; above it the write is split.
	batchBytes = 1 << 20
	// gcEvery and gcRatio: every five minutes, value log files are rewritten if half of them is
	// dead.
	gcEvery = 5 * time.Minute
	gcRatio = 0.5
)

// disk is a store in Badger with synchronous writes.
type disk struct {
	db   *badger.DB
	log  *slog.Logger
	stop chan struct{}
	done sync.WaitGroup
}

var _ store = (*disk)(nil)

// openDisk opens or creates the database of a directory. The error is ErrLocked if another process
// has it.
func openDisk(dir string, log *slog.Logger) (*disk, error) {
	options := badger.DefaultOptions(dir).
		WithSyncWrites(true).
		WithMemTableSize(memtable).WithNumMemtables(2).WithValueThreshold(inline).
		WithValueLogFileSize(64 << 20).WithBlockCacheSize(8 << 20).
		WithMetricsEnabled(false).WithLogger(badgerLog{log})
	var err error
	began := time.Now()
	for left := openAttempts; left > 0; {
		var db *badger.DB
		if db, err = badger.Open(options); err == nil {
			return newDisk(db, log), nil
		}
		if strings.Contains(err.Error(), "Cannot acquire directory lock") {
			if time.Since(began) > lockedFor {
				return nil, fmt.Errorf("%w: %s: stop it or name another directory", ErrLocked, dir)
			}
			<-time.After(lockedPause)
			continue
		}
		left--
		log.Warn("the chain did not open, trying again", "dir", dir, "err", err)
	}
	return nil, fmt.Errorf("bank: open %s: %w", dir, err)
}

func newDisk(db *badger.DB, log *slog.Logger) *disk {
	d := &disk{db: db, log: log, stop: make(chan struct{})}
	d.done.Add(1)
	go d.collect()
	return d
}

// collect rewrites value log files until the store is closed. A failure costs space but no data,
// and is tried again.
func (d *disk) collect() {
	defer d.done.Done()
	tick := time.NewTicker(gcEvery)
	defer tick.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-tick.C:
		}
		var err error
		for err == nil {
			err = d.db.RunValueLogGC(gcRatio)
		}
		if !errors.Is(err, badger.ErrNoRewrite) && !errors.Is(err, badger.ErrRejected) {
			d.log.Warn("the chain's value log was not collected", "err", err)
		}
	}
}

func (d *disk) close() error {
	close(d.stop)
	d.done.Wait()
	return d.db.Close()
}

// commit writes entries in as few transactions as their size allows.
func (d *disk) commit(entries []entry) error {
	for len(entries) > 0 {
		n, size := 1, inlineSize(entries[0])
		for n < len(entries) && size+inlineSize(entries[n]) <= batchBytes {
			size += inlineSize(entries[n])
			n++
		}
		if err := d.write(entries[:n]); err != nil {
			return err
		}
		entries = entries[n:]
	}
	return nil
}

// inlineSize returns an upper estimate of an entry's size in a transaction.
func inlineSize(e entry) int {
	const overhead = 200
	n := len(e.record) + 4*overhead + overhead*(len(e.dropSequences)+len(e.dropSlots))
	for _, a := range e.accounts {
		n += overhead
		if len(a.Account.Data) < inline {
			n += len(a.Account.Data)
		}
	}
	return n
}

func (d *disk) write(entries []entry) error {
	txn := d.db.NewTransaction(true)
	defer txn.Discard()
	w := writer{txn: txn}
	var last *head // earlier ones need not be written
	for _, e := range entries {
		w.entry(e)
		if e.head != nil {
			last = e.head
		}
	}
	if last != nil {
		w.set([]byte(keyHead), last.encode())
	}
	if w.err != nil {
		return w.err
	}
	return txn.Commit()
}

// writer collects the content of one database transaction. The first error stays.
type writer struct {
	txn *badger.Txn
	err error
}

func (w *writer) set(key, value []byte) {
	if w.err == nil {
		w.err = w.txn.Set(key, value)
	}
}

func (w *writer) drop(key []byte) {
	if w.err == nil {
		w.err = w.txn.Delete(key)
	}
}

// entry writes an entry without its head.
func (w *writer) entry(e entry) {
	for _, a := range e.accounts {
		key := append([]byte{keyAccount}, a.Key[:]...)
		if a.Account.Lamports == 0 {
			w.drop(key)
			continue
		}
		w.set(key, encodeAccount(a.Account))
	}
	if e.record != nil {
		w.set(numbered(keyRecord, e.sequence), e.record)
	}
	if e.block != nil {
		w.set(numbered(keyBlock, e.block.Slot), e.block.encode())
	}
	for _, sequence := range e.dropSequences {
		w.drop(numbered(keyRecord, sequence))
	}
	for _, slot := range e.dropSlots {
		w.drop(numbered(keyBlock, slot))
	}
	if e.genesis != nil {
		w.set([]byte(keyGenesis), e.genesis)
	}
}

func numbered(kind byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{kind}, n)
}

// badgerLog passes on Badger's warnings and errors. Its information is about itself, so it is
// dropped.
type badgerLog struct{ log *slog.Logger }

var _ badger.Logger = badgerLog{}

func (l badgerLog) Errorf(f string, v ...any) {
	l.log.Error("badger: " + strings.TrimSpace(fmt.Sprintf(f, v...)))
}
func (l badgerLog) Warningf(f string, v ...any) {
	l.log.Warn("badger: " + strings.TrimSpace(fmt.Sprintf(f, v...)))
}
func (l badgerLog) Infof(f string, v ...any) {
	l.log.Debug("badger: " + strings.TrimSpace(fmt.Sprintf(f, v...)))
}
func (l badgerLog) Debugf(string, ...any) {}
