package journal

import (
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"ojud/voting"
)

// dropBatch is how many keys are deleted in one transaction.
const dropBatch = 1_000

// Forget drops what the voting machine kept of a case, with the notices of peers: its effect of
// that name. The sign guard of the case goes with it, so only call it when no judge can commit in
// the case any more. The case file stays.
func (j *Journal) Forget(task voting.Key) error {
	if task.IsZero() {
		return fmt.Errorf("%w: no task", ErrInvalid)
	}
	j.signing.Lock()
	defer j.signing.Unlock()
	// The files go first: one that outlives its record would be taken for a loss and restored.
	if err := j.own.drop(task); err != nil {
		j.broken.CompareAndSwap(nil, &err)
		return fmt.Errorf("journal: forgetting a case: %w", err)
	}
	return errors.Join(
		j.drop("records", key(recordKind, task[:])),
		j.drop("notices", key(noticeKind, task[:])),
		j.drop("data", key(dataKind, task[:])),
	)
}

// drop deletes every key of a prefix.
func (j *Journal) drop(kind string, prefix []byte) error {
	var items []item
	if err := j.keys(prefix, func(k []byte) { items = append(items, item{key: append([]byte(nil), k...)}) }); err != nil {
		return err
	}
	return j.writeAll("drop "+kind, items, dropBatch)
}

// keys calls f with every key of a prefix, in order; f must not keep it.
func (j *Journal) keys(prefix []byte, f func(key []byte)) error {
	return j.view(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.IteratorOptions{Prefix: prefix})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			f(it.Item().Key())
		}
		return nil
	})
}
