//go:build unix

package node

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger/journal"
	"ojud/p2p/p2ptest/floor"
	"ojud/voting"
)

// batches is the number of batches of 28 votes; P9 is their median.
const batches = 3000

// journaled is P9: a batch of 28 notices of 739 bytes in the journal, in turn with bare Badger.
func journaled(b *testing.B) []floor.Figure {
	b.Helper()
	dir := b.TempDir()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	cfg := journal.DefaultConfig()
	cfg.Dir = filepath.Join(dir, "journal")
	j, err := journal.Open(cfg, journal.Identity{Network: voting.Hash{1}, Program: voting.Key{2}}, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	must(err)
	bare, err := badger.Open(badger.DefaultOptions(filepath.Join(dir, "bare")).WithSyncWrites(true).WithMemTableSize(cfg.MemTable).WithNumMemtables(2).
		WithBlockCacheSize(cfg.Cache).WithNumCompactors(2).WithDetectConflicts(false).WithMetricsEnabled(false).WithLogger(nil))
	must(err)
	var ours, theirs []float64
	for n := range batches {
		batch := ballots(n)
		start := time.Now()
		must(j.PutNotices(batch...))
		middle := time.Now()
		must(putBare(bare, batch))
		ours, theirs = append(ours, millis(middle.Sub(start))), append(theirs, millis(time.Since(middle)))
	}
	must(j.Close())
	must(bare.Close())
	again, err := journal.Open(cfg, journal.Identity{Network: voting.Hash{1}, Program: voting.Key{2}}, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	must(err)
	must(again.Close())
	size := float64(diskUse(b, cfg.Dir)) / (batches * seats)
	us := func(v []float64) string { return fmt.Sprintf("%.0f µs", floor.Median(v)*1000) }
	return []floor.Figure{
		against("P9", "28 votes of 739 bytes accepted and durable, of a bare Badger batch", ours, theirs, us, 1.3, "the keys are hashes of what is kept"),
		{ID: "P9", What: "bytes on disk for each", Here: fmt.Sprintf("%.0f", size), Floor: fmt.Sprint(ballotSize), Ratio: size / ballotSize, Goal: "≤ 1.50", Met: size <= 1.5*ballotSize,
			Why: "keys of 65 bytes, and tables that wait to be merged"},
	}
}

// ballotSize is the size of a vote notice of code checks.
const ballotSize = 739

// ballots returns 28 notices whose content cannot be compressed; each n gives other ones.
func ballots(n int) []voting.Notice {
	all := make([]voting.Notice, seats)
	for i := range all {
		raw := make([]byte, 0, ballotSize)
		for sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", n, i)); len(raw) < ballotSize-1; sum = sha256.Sum256(sum[:]) {
			raw = append(raw, sum[:min(32, ballotSize-1-len(raw))]...)
		}
		all[i] = voting.Vote{Task: voting.Key{byte(n), byte(n >> 8)}, Round: 1, Judge: voting.Key(raw[:32]), Raw: raw}
	}
	return all
}

// putBare writes the same as the journal, but directly.
func putBare(db *badger.DB, batch []voting.Notice) error {
	txn := db.NewTransaction(true)
	defer txn.Discard()
	for _, notice := range batch {
		raw := notice.Encode()
		task, _, _ := notice.Seat()
		name := sha256.Sum256(raw)
		if err := txn.Set(append(append([]byte{1}, task[:]...), name[:]...), raw); err != nil {
			return err
		}
	}
	return txn.Commit()
}

// diskUse returns the size of all files of a directory. Badger preallocates the log of a memtable;
// it is empty after Close.
func diskUse(b *testing.B, dir string) (bytes int64) {
	b.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".sst" {
			return err
		}
		info, err := e.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return bytes
}
