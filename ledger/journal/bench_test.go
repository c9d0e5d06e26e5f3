package journal

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"ojud/voting"
)

// go test ./ledger/journal -run xxx -bench Batch -benchtime 3000x

// BenchmarkBatch compares a batch of 28 notices of 400 bytes with what bare Badger takes for it,
// turn by turn, so that what else the machine does hits both. The goal is at most 1.3 times as long
// (p50).
func BenchmarkBatch(b *testing.B) {
	dir := b.TempDir()
	j := open(b, dir)
	defer shut(b, j)
	bare, err := badger.Open(j.cfg.options(filepath.Join(dir, "bare"), j.log))
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := bare.Close(); err != nil {
			b.Fatal(err)
		}
	}()
	var ours, theirs []time.Duration
	for n := 0; b.Loop(); n++ {
		batch := votes(n)
		start := time.Now()
		if err := j.PutNotices(batch...); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		if err := putBare(bare, batch, n); err != nil {
			b.Fatal(err)
		}
		ours, theirs = append(ours, middle.Sub(start)), append(theirs, time.Since(middle))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	mid := len(ours) / 2
	b.ReportMetric(ours[mid].Seconds()*1e6, "journal-p50-µs")
	b.ReportMetric(theirs[mid].Seconds()*1e6, "badger-p50-µs")
	b.ReportMetric(float64(ours[mid])/float64(theirs[mid]), "ratio")
	b.ReportMetric(ours[len(ours)*99/100].Seconds()*1e6, "journal-p99-µs")
	b.ReportMetric(theirs[len(ours)*99/100].Seconds()*1e6, "badger-p99-µs")
}

// votes are 28 notices of 400 bytes.
func votes(n int) []voting.Notice {
	all := make([]voting.Notice, 28)
	for i := range all {
		id := digest("%d %d", n, i)
		all[i] = voting.Vote{Task: digest("task"), Round: 1, Judge: id, Raw: append(id[:], make([]byte, 367)...)}
	}
	return all
}

// putBare writes the same keys and values without the journal.
func putBare(db *badger.DB, batch []voting.Notice, n int) error {
	txn := db.NewTransaction(true)
	defer txn.Discard()
	for i, notice := range batch {
		task, round, _ := notice.Seat()
		if err := txn.Set(noticeKey(task, round, digest("key %d %d", n, i)), notice.Encode()); err != nil {
			return err
		}
	}
	return txn.Commit()
}

// BenchmarkPutOwn is a vote of the node's own with its second copy: once in a round.
func BenchmarkPutOwn(b *testing.B) {
	j := open(b, b.TempDir())
	defer shut(b, j)
	for n := 0; b.Loop(); n++ {
		if err := j.PutOwn(own(n, 1)); err != nil {
			b.Fatal(err)
		}
	}
}
