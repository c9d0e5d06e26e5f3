// Package keep is the disk of an agent host: agents, calls and memories in a Badger database with
// synchronous writes. What a method acknowledged is there after a kill or a power cut.
//
// Each memory belongs to one agent and one circle: the calls of the operator, those of one guest,
// or what the operator taught. Its keys begin with the id of the agent, its kind and the circle,
// and none of these contains a slash, so no agent reads or changes the memory of another, and no
// guest that of another.
package keep

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dgraph-io/badger/v4"

	"ojud/agent/host"
	"ojud/ledger/journal/durable"
)

// keptCalls is how many ended calls of an agent are kept, and as many for guests. The correlation
// id of an older one is forgotten.
const keptCalls = 1_000

const (
	memTable = 8 << 20
	cache    = 4 << 20
	vlog     = 8 << 20
	// After about one crash in a hundred the first try to open fails over an empty file that the
	// crash left, and repairs it (badger#2207).
	tries = 3
)

// minFree is how many bytes have to be free on the disk for a new call. The database maps the files
// that it writes, so a full disk is a fault of the process and no error.
const minFree = 128 << 20

// Disk is an open database. One goroutine writes at a time; others may read.
type Disk struct {
	dir   string
	least uint64 // minFree
	db    *badger.DB
	lock  *durable.Lock
	ended map[string]int // ended calls, by the prefix of their keys
}

// Open opens the database in a folder, or makes one. Durable.ErrLocked: another host has it.
func Open(dir string, log *slog.Logger) (*Disk, error) {
	if err := durable.MakeDir(filepath.Join(dir, "db")); err != nil {
		return nil, err
	}
	lock, err := acquire(filepath.Join(dir, "LOCK"))
	if errors.Is(err, durable.ErrLocked) {
		err = fmt.Errorf("an agent host runs on %s already: %w", dir, err)
	}
	if err != nil {
		return nil, err
	}
	options := badger.DefaultOptions(filepath.Join(dir, "db")).WithSyncWrites(true).WithMemTableSize(memTable).WithNumMemtables(2).
		WithBlockCacheSize(cache).WithIndexCacheSize(0).WithValueLogFileSize(vlog).WithNumCompactors(2).WithDetectConflicts(false).
		WithMetricsEnabled(false).WithLogger(nil) // what goes wrong is in the errors
	var db *badger.DB
	for n := range tries {
		if db, err = badger.Open(options); err == nil {
			break
		}
		log.Warn("the database of the agent host did not open", "dir", dir, "try", n+1, "err", err)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the database in %s cannot be opened: %w", dir, err), lock.Release())
	}
	d := &Disk{dir: dir, least: minFree, db: db, lock: lock, ended: map[string]int{}}
	if err := d.count(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// acquire takes the lock of a folder. It tries for a second: a host that was killed while it
// started a program leaves the lock to a process that is about to become this program.
func acquire(path string) (*durable.Lock, error) {
	const lockTries, lockWait = 10, 100 * time.Millisecond
	for n := 1; ; n++ {
		lock, err := durable.Acquire(path)
		if n == lockTries || !errors.Is(err, durable.ErrLocked) {
			return lock, err
		}
		<-time.After(lockWait)
	}
}

// Room returns why the disk has no room for a new call; nil: it has, or nobody knows.
func (d *Disk) Room() error {
	free, err := durable.Free(d.dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err != nil:
		return fmt.Errorf("free space of %s: %w", d.dir, err)
	case free < d.least:
		return fmt.Errorf("the disk of the agent host has %d MiB free, and a new call needs %d MiB; make room on it", free>>20, d.least>>20)
	}
	return nil
}

// Close closes the database.
func (d *Disk) Close() error { return errors.Join(d.db.Close(), d.lock.Release()) }

// The parts of keys.
const (
	agentPart  = "a/"
	callPart   = "c/"
	givenPart  = "k/" // the call of a caller, a target and a correlation id
	endedPart  = "e/" // ended calls of an agent, by time
	guestPart  = "g/" // likewise, for guests, so that these push out nobody else's
	memoryPart = "m/"
)

func endedPrefix(c host.Invocation) string {
	if c.Guest != "" {
		return guestPart + c.Target.Agent + "/"
	}
	return endedPart + c.Target.Agent + "/"
}

func endedKey(c host.Invocation) string {
	return fmt.Sprintf("%s%016x/%s", endedPrefix(c), uint64(c.Ended), c.ID)
}

func givenKey(c host.Invocation) string {
	return givenPart + strings.Join([]string{c.Asker(), c.Target.Agent, c.Target.Capability, c.Correlation}, "/")
}

// count counts the ended calls of each agent.
func (d *Disk) count() error {
	add := func(key string, _ []byte) (bool, error) {
		id, _, _ := strings.Cut(key[len(endedPart):], "/")
		d.ended[key[:len(endedPart)]+id+"/"]++
		return true, nil
	}
	return errors.Join(d.walk(endedPart, false, add), d.walk(guestPart, false, add))
}

// Save saves the records of a plan, all or none. If they are too many for one transaction, agents
// come first, and a crash between two transactions leaves calls to report as interrupted.
func (d *Disk) Save(p host.Consequence) error {
	if len(p.Agents)+len(p.Calls) == 0 {
		return nil
	}
	var all []func(*badger.Txn) error
	for _, a := range p.Agents {
		all = append(all, func(t *badger.Txn) error { return put(t, agentPart+a.ID, a) })
	}
	for _, c := range p.Calls {
		all = append(all, func(t *badger.Txn) error { return d.saveCall(t, c) })
	}
	err := d.db.Update(func(t *badger.Txn) error {
		for _, save := range all {
			if err := save(t); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, badger.ErrTxnTooBig) {
		err = nil
		for _, save := range all {
			err = errors.Join(err, d.db.Update(save))
		}
	}
	if err != nil {
		return fmt.Errorf("the database of the agent host cannot be written: %w", err)
	}
	for _, c := range p.Calls {
		if c.Stage == host.Over {
			d.ended[endedPrefix(c)]++
		}
	}
	return d.prune(p.Calls)
}

func (d *Disk) saveCall(t *badger.Txn, c host.Invocation) error {
	if err := put(t, callPart+c.ID, c); err != nil {
		return err
	}
	if err := t.Set([]byte(givenKey(c)), []byte(c.ID)); err != nil {
		return err
	}
	if c.Stage != host.Over {
		return nil
	}
	return t.Set([]byte(endedKey(c)), []byte(c.ID))
}

func put(t *badger.Txn, key string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return t.Set([]byte(key), raw)
}

// prune forgets the oldest ended calls of agents that have too many. It works in steps, so that a
// call costs little.
func (d *Disk) prune(calls []host.Invocation) error {
	const step = 100
	for _, c := range calls {
		begin := endedPrefix(c)
		if d.ended[begin] <= keptCalls+step {
			continue
		}
		var old []string
		err := d.walk(begin, true, func(key string, value []byte) (bool, error) {
			old = append(old, key, string(value))
			return len(old) < 2*step, nil
		})
		if err != nil {
			return err
		}
		for i := 0; i < len(old); i += 2 {
			call, found, err := d.Call(old[i+1])
			if err == nil {
				err = d.db.Update(func(t *badger.Txn) error {
					gone := errors.Join(t.Delete([]byte(old[i])), t.Delete([]byte(callPart+old[i+1])))
					if found {
						gone = errors.Join(gone, t.Delete([]byte(givenKey(call))))
					}
					return gone
				})
			}
			if err != nil {
				return err
			}
		}
		d.ended[begin] -= len(old) / 2
	}
	return nil
}

// walk shows the records whose keys begin with a prefix, in order, until see returns false.
func (d *Disk) walk(prefix string, values bool, see func(key string, value []byte) (bool, error)) error {
	return d.db.View(func(t *badger.Txn) error {
		o := badger.DefaultIteratorOptions
		o.Prefix, o.PrefetchValues = []byte(prefix), values
		it := t.NewIterator(o)
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			var value []byte
			if values {
				var err error
				if value, err = it.Item().ValueCopy(nil); err != nil {
					return err
				}
			}
			if more, err := see(string(it.Item().KeyCopy(nil)), value); err != nil || !more {
				return err
			}
		}
		return nil
	})
}

// get reads a record.
func (d *Disk) get(key string) (value []byte, found bool, err error) {
	err = d.db.View(func(t *badger.Txn) error {
		item, err := t.Get([]byte(key))
		if errors.Is(err, badger.ErrKeyNotFound) {
			return nil
		}
		if err == nil {
			found = true
			value, err = item.ValueCopy(nil)
		}
		return err
	})
	return value, found, err
}

// Agents returns all agents.
func (d *Disk) Agents() (out []host.Agent, err error) {
	err = d.walk(agentPart, true, func(key string, value []byte) (bool, error) {
		var a host.Agent
		if err := json.Unmarshal(value, &a); err != nil {
			return false, damaged(key, err)
		}
		out = append(out, a)
		return true, nil
	})
	return out, err
}

// Under returns the calls that are not over.
func (d *Disk) Under() (out []host.Invocation, err error) {
	err = d.walk(callPart, true, func(key string, value []byte) (bool, error) {
		var c host.Invocation
		if err := json.Unmarshal(value, &c); err != nil {
			return false, damaged(key, err)
		}
		if c.Stage != host.Over {
			out = append(out, c)
		}
		return true, nil
	})
	return out, err
}

// Call returns a call.
func (d *Disk) Call(id string) (c host.Invocation, found bool, err error) {
	raw, found, err := d.get(callPart + id)
	if err != nil || !found {
		return c, false, err
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return c, false, damaged(callPart+id, err)
	}
	return c, true, nil
}

// Given returns the call that the same caller made before, of the same target with the same
// correlation id.
func (d *Disk) Given(of host.Invocation) (c host.Invocation, found bool, err error) {
	raw, found, err := d.get(givenKey(of))
	if err != nil || !found {
		return c, false, err
	}
	return d.Call(string(raw))
}

// Ended shows the ended calls of an agent that are kept, the newest first, until see returns false.
func (d *Disk) Ended(agent string, see func(host.Invocation) bool) error {
	var ends []string // time and id
	for _, part := range []string{endedPart, guestPart} {
		keys, err := d.keys(part + agent + "/")
		if err != nil {
			return err
		}
		for _, key := range keys {
			ends = append(ends, key[len(part)+len(agent)+1:])
		}
	}
	slices.Sort(ends)
	for _, end := range slices.Backward(ends) {
		_, id, _ := strings.Cut(end, "/")
		c, found, err := d.Call(id)
		if err != nil {
			return err
		}
		if found && !see(c) { // it may have been forgotten meanwhile
			return nil
		}
	}
	return nil
}

func damaged(key string, err error) error {
	return fmt.Errorf("the record %s of the agent host is damaged: %w", key, err)
}
