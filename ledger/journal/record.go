package journal

import (
	"bytes"
	"fmt"

	"ojud/voting"
)

// Persist keeps a record of the voting machine. A Cast goes through PutOwn.
func (j *Journal) Persist(r voting.Record) error {
	if r == nil {
		return fmt.Errorf("%w: no record", ErrInvalid)
	}
	if guarded(r) {
		return j.guard(r)
	}
	return j.write("record", item{recordKey(r), r.Encode()})
}

// PutOwn keeps the node's own vote of a round: the sign guard. If another vote is kept for that task, round and judge it
// refuses with ErrWouldEquivocate, whatever crashed in between. The same one again is no error.
func (j *Journal) PutOwn(c voting.Cast) error { return j.guard(c) }

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

// Records returns every record: what voting.Restored wants.
func (j *Journal) Records() ([]voting.Record, error) {
	var all []voting.Record
	err := j.scan([]byte{recordKind}, func(key, value []byte) error {
		r, err := voting.DecodeRecord(value)
		if err == nil && !bytes.Equal(key, recordKey(r)) {
			err = fmt.Errorf("%s is kept in a place of another", r)
		}
		if err != nil {
			return corrupt(j.cfg.Dir, err)
		}
		all = append(all, r)
		return nil
	})
	return all, err
}

// Fresh reports whether what the node signed before this journal may be lost: the journal holds no voting.Born yet.
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

// guard keeps a record that forbids another signature.
func (j *Journal) guard(r voting.Record) error {
	j.signing.Lock()
	defer j.signing.Unlock()
	k, value := recordKey(r), r.Encode()
	if len(value) > voting.MaxRecord {
		return fmt.Errorf("%w: record of %d bytes", ErrInvalid, len(value))
	}
	old, err := j.read(k)
	if err != nil {
		return err
	}
	_, cast := r.(voting.Cast)
	if cast && old != nil && !bytes.Equal(old, value) {
		j.metrics.refused()
		return fmt.Errorf("%w: %s", ErrWouldEquivocate, r)
	}
	if !bytes.Equal(old, value) {
		if err := j.write("own", item{k, value}); err != nil {
			return err
		}
	}
	if err := j.own.put(r.Key(), value); err != nil {
		j.broken.set(err)
		return fmt.Errorf("journal: second copy of %s: %w", r, err)
	}
	return nil
}
