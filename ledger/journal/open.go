package journal

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime/debug"

	"github.com/dgraph-io/badger/v4"
	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger/journal/durable"
)

// Names in Config.Dir.
const (
	databaseDir = "db"  // Badger's
	ownDir      = "own" // the second copy of own votes
	lockName    = "LOCK"
)

// openTries is how often Badger is asked to open. After about one crash in a hundred the first try
// fails over an empty file that the crash left, and repairs it (badger#2207).
const openTries = 3

// Open opens the journal in cfg.Dir, or makes one for that network and program. A nil logger or
// registerer is fine.
//
// The errors are ErrLocked, ErrOtherChain, ErrDiskFull and ErrCorrupt; their messages name the
// directory and the next step.
func Open(cfg Config, id Identity, log *slog.Logger, reg prometheus.Registerer) (*Journal, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if err := makeDirs(cfg.Dir); err != nil {
		return nil, fmt.Errorf("journal: directory %s: %w; choose one that this user can write to", cfg.Dir, err)
	}
	if err := cfg.checkSpace(); err != nil {
		return nil, err
	}
	lock, err := durable.Acquire(filepath.Join(cfg.Dir, lockName))
	if errors.Is(err, durable.ErrLocked) {
		return nil, fmt.Errorf("%w: %s (%w); stop that process first; never start a copy of a home elsewhere, because two copies can lose the stake", ErrLocked, cfg.Dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("journal: lock of %s: %w", cfg.Dir, err)
	}
	j, err := openLocked(cfg, id, log, reg)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	j.lock = lock
	return j, nil
}

func openLocked(cfg Config, id Identity, log *slog.Logger, reg prometheus.Registerer) (*Journal, error) {
	if err := id.checkCopy(cfg.Dir); err != nil { // before Badger changes anything
		return nil, err
	}
	db, err := openDatabase(cfg, log)
	if errors.Is(err, ErrCorrupt) && cfg.Repair {
		db, err = startOver(cfg, log, err)
	}
	if err != nil {
		return nil, err
	}
	j := &Journal{cfg: cfg, log: log, db: db, own: ownFiles{filepath.Join(cfg.Dir, ownDir)}, stop: make(chan struct{})}
	if err := j.begin(id, reg); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return j, nil
}

// begin checks what was opened and starts what runs beside it.
func (j *Journal) begin(id Identity, reg prometheus.Registerer) (err error) {
	if j.metrics, err = newMetrics(reg, j); err != nil {
		return err
	}
	if err := j.identify(id); err != nil {
		j.metrics.unregister()
		return err
	}
	if err := j.reconcile(); err != nil {
		j.metrics.unregister()
		return err
	}
	j.running.Go(j.collect)
	return nil
}

func makeDirs(dir string) error {
	for _, sub := range []string{databaseDir, ownDir} {
		if err := durable.MakeDir(filepath.Join(dir, sub)); err != nil {
			return err
		}
	}
	return nil
}

// openDatabase opens Badger, several times if need be.
func openDatabase(cfg Config, log *slog.Logger) (*badger.DB, error) {
	dir := filepath.Join(cfg.Dir, databaseDir)
	if err := checkTables(cfg.options(dir, log)); err != nil {
		return nil, corrupt(cfg.Dir, err)
	}
	var last error
	for n := range openTries {
		db, err := openBadger(cfg.options(dir, log))
		if err == nil {
			return db, nil
		}
		last = err
		log.Warn("journal: Badger did not open", "dir", dir, "try", n+1, "err", err)
	}
	if err := cfg.checkSpace(); err != nil {
		return nil, err
	}
	return nil, corrupt(cfg.Dir, last)
}

// openBadger turns a panic into an error: a damaged file can make Badger read outside of the mapped
// memory.
func openBadger(o badger.Options) (db *badger.DB, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			db, err = nil, fmt.Errorf("badger panicked: %v", r)
		}
	}()
	return badger.Open(o)
}

// corrupt says what to do with a journal that cannot be read.
func corrupt(dir string, err error) error {
	return fmt.Errorf("%w: %s is damaged: %w; check the disk, then move %s away (keep %s beside it) and start again: no vote is "+
		"lost, because the node has its own votes in %s, and asks the chain and its peers for all else before it signs anything",
		ErrCorrupt, dir, err, filepath.Join(dir, databaseDir), ownDir, filepath.Join(dir, ownDir))
}
