package journal

import (
	"bytes"
	"errors"
	"fmt"

	"ojud/voting"
)

// Persist keeps a record of the voting machine. A Cast goes through the sign guard, as with PutOwn.
func (j *Journal) Persist(r voting.Record) error { return j.PersistAll(r) }

// PersistAll keeps records of the voting machine, all or none, in one synced transaction. So the
// records of one Step belong into one call. Casts among them go through the sign guard; if it
// refuses one, nothing is kept.
func (j *Journal) PersistAll(all ...voting.Record) error {
	items := make([]item, 0, len(all))
	guards := 0
	for _, r := range all {
		i, err := recordItem(r)
		if err != nil {
			return err
		}
		items = append(items, i)
		if guarded(r) {
			guards++
		}
	}
	if guards > 0 {
		if err := j.guard(all, items); err != nil {
			return err
		}
	} else if err := j.write("record", items...); err != nil {
		return err
	}
	return j.born.noted(j.cfg.Dir, all)
}

// recordItem returns the item to write for a record. An item that could not be read back would keep
// the node from starting again.
func recordItem(r voting.Record) (item, error) {
	if r == nil {
		return item{}, fmt.Errorf("%w: no record", ErrInvalid)
	}
	value := r.Encode()
	back, err := voting.DecodeRecord(value)
	if err == nil && !bytes.Equal(back.Key(), r.Key()) {
		err = errors.New("it reads as another")
	}
	if err != nil {
		return item{}, fmt.Errorf("%w: %s: %w", ErrInvalid, r, err)
	}
	return item{recordKey(r), value}, nil
}

// PutOwn keeps the node's own vote of a round: the sign guard. If another vote is kept for that
// task, round and judge it refuses with ErrWouldEquivocate, even after a crash in between. It also
// refuses if a Foreign is kept, a statement that another copy of the node signed. The same vote
// again is no error.
func (j *Journal) PutOwn(c voting.Cast) error { return j.PersistAll(c) }

// Own returns the node's vote of a round, if there is one.
func (j *Journal) Own(task voting.Key, round uint8, judge voting.Key) (c voting.Cast, ok bool, err error) {
	c = voting.Cast{Commit: voting.Commit{Task: task, Round: round, Judge: judge}}
	b, err := j.read(recordKey(c))
	if err != nil || b == nil {
		return voting.Cast{}, false, err
	}
	r, err := voting.DecodeRecord(b)
	if err != nil {
		return voting.Cast{}, false, corrupt(j.cfg.Dir, err)
	}
	c, ok = r.(voting.Cast)
	if !ok {
		return voting.Cast{}, false, corrupt(j.cfg.Dir, fmt.Errorf("%s where a vote has to be", r))
	}
	return c, true, nil
}

// Records returns every record, for voting.Restored.
func (j *Journal) Records() ([]voting.Record, error) {
	return values(j, []byte{recordKind}, func(key, value []byte) (voting.Record, error) {
		r, err := voting.DecodeRecord(value)
		if err == nil && !bytes.Equal(key, recordKey(r)) {
			err = fmt.Errorf("%s is kept in a place of another", r)
		}
		return r, err
	})
}

// Fresh reports whether what the node signed before may be lost: when it was opened, the journal
// held no voting.Born, or it had come from a backup.
func (j *Journal) Fresh() bool { return j.fresh }

func recordKey(r voting.Record) []byte { return key(recordKind, r.Key()) }

// guarded records forbid another signature and are kept twice.
func guarded(r voting.Record) bool {
	switch r.(type) {
	case voting.Cast, voting.Foreign:
		return true
	}
	return false
}

// guard keeps records. Some of them forbid another signature.
func (j *Journal) guard(all []voting.Record, items []item) error {
	j.signing.Lock()
	defer j.signing.Unlock()
	fresh, err := j.allowed(all, items)
	if err != nil {
		return err
	}
	if err := j.write("own", fresh...); err != nil {
		return err
	}
	for i, r := range all {
		if !guarded(r) {
			continue
		}
		if err := j.own.put(r.Key(), items[i].value); err != nil {
			j.broken.CompareAndSwap(nil, &err)
			return fmt.Errorf("journal: second copy of %s: %w", r, err)
		}
	}
	return nil
}

// allowed returns the items that are not on disk yet, or ErrWouldEquivocate if one is a Cast that
// is not allowed.
func (j *Journal) allowed(all []voting.Record, items []item) (fresh []item, err error) {
	casts := map[string][]byte{}
	for i, r := range all {
		k, value := items[i].key, items[i].value
		old, err := j.read(k)
		if err != nil {
			return nil, err
		}
		if c, ok := r.(voting.Cast); ok {
			if old == nil {
				old = casts[string(k)]
			}
			if err := j.mayCast(c, value, old); err != nil {
				return nil, err
			}
			casts[string(k)] = value
		}
		if !bytes.Equal(old, value) {
			fresh = append(fresh, items[i])
		}
	}
	return fresh, nil
}

// mayCast is the sign guard: nothing else may be cast for that seat, and no statement of another
// copy of this node be known.
func (j *Journal) mayCast(c voting.Cast, value, old []byte) error {
	if old == nil {
		foreign, err := j.read(recordKey(voting.Foreign{Commit: c.Commit}))
		if err != nil || foreign == nil {
			return err
		}
	}
	if bytes.Equal(old, value) {
		return nil
	}
	j.metrics.refused()
	return fmt.Errorf("%w: %s", ErrWouldEquivocate, c)
}
