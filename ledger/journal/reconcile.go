package journal

import (
	"bytes"
	"fmt"
	"math"

	"ojud/voting"
)

// reconcile makes both copies of own votes the same, and finds out whether the journal is fresh.
func (j *Journal) reconcile() error {
	records, err := j.Records()
	if err != nil {
		return err
	}
	j.fresh = true
	for _, r := range records {
		if b, born := r.(voting.Born); born {
			j.fresh = false
			j.born.at.Store(b.At)
		}
	}
	restored, err := j.cfg.markedRestored()
	if err != nil {
		return fmt.Errorf("journal: mark of a restored journal: %w", err)
	}
	if j.fresh = j.fresh || restored; j.fresh {
		j.born.at.Store(math.MaxInt64) // until the machine has noted the time
	}
	if err := j.restoreOwn(); err != nil {
		return err
	}
	for _, r := range records {
		if !guarded(r) {
			continue
		}
		if err := j.own.put(r.Key(), r.Encode()); err != nil {
			return fmt.Errorf("journal: second copy of %s: %w", r, err)
		}
	}
	return nil
}

// restoreOwn puts what the database lost back into it. It is only lost if the disk forgot what it
// was told to keep.
func (j *Journal) restoreOwn() error {
	keys, err := j.own.keys()
	if err != nil {
		return fmt.Errorf("journal: second copy of own votes: %w", err)
	}
	var lost []item
	for _, k := range keys {
		value, err := j.compare(k)
		if err != nil {
			return err
		}
		if value != nil {
			lost = append(lost, item{key(recordKind, k), value})
		}
	}
	if len(lost) == 0 {
		return nil
	}
	j.metrics.restored.Add(float64(len(lost)))
	j.log.Error("journal: the database had lost own votes, which are restored from their second copy; check the disk",
		"dir", j.cfg.Dir, "votes", len(lost))
	return j.writeAll("restored", lost, restoreBatch)
}

// restoreBatch records of 8 KiB fit in a transaction.
const restoreBatch = 64

// compare looks at both copies of an own vote and returns the second if the database lost it.
func (j *Journal) compare(k []byte) (lost []byte, err error) {
	have, err := j.read(key(recordKind, k))
	if err != nil {
		return nil, err
	}
	value, err := j.own.get(j.own.path(k))
	if err == nil {
		err = belongs(k, value)
	}
	switch {
	case err != nil && have == nil:
		return nil, fmt.Errorf("%w: both copies of an own vote in %s are damaged: %w; check the disk, then move the whole directory away and "+
			"start again: the node begins an empty one, and asks the chain and its peers for its own votes before it signs anything",
			ErrCorrupt, j.cfg.Dir, err)
	case err != nil:
		j.log.Warn("journal: the second copy of an own vote is damaged and is written again", "err", err)
		return nil, nil
	case have == nil:
		return value, nil
	case !bytes.Equal(have, value):
		return nil, corrupt(j.cfg.Dir, fmt.Errorf("two different own votes are kept under %x", k))
	}
	return nil, nil
}

// belongs checks that a file holds the record that its name says.
func belongs(k, value []byte) error {
	r, err := voting.DecodeRecord(value)
	if err != nil {
		return err
	}
	if !bytes.Equal(r.Key(), k) || !guarded(r) {
		return fmt.Errorf("%s is kept in a place of another", r)
	}
	return nil
}
