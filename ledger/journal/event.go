package journal

import (
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/voting"
)

// Events keeps the events of case files: a casefile.Store.
type Events struct{ journal *Journal }

var _ casefile.Store = Events{}

// Events returns the store of case files.
func (j *Journal) Events() Events { return Events{j} }

// Put stores an event for good before it returns. Storing one again is no error. Two events of one
// actor with one number, a fork, are both kept.
func (s Events) Put(e casefile.Event) error { return s.PutAll(e) }

// PutAll stores events in one transaction.
func (s Events) PutAll(all ...casefile.Event) error {
	items := make([]item, 0, len(all))
	for _, e := range all {
		raw, err := e.Encode()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		id, err := e.ID()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		items = append(items, item{eventKey(voting.Key(e.Case), voting.Key(e.Actor), e.Seq, voting.Hash(id)), raw})
	}
	return s.journal.write("events", items...)
}

// List returns every event of a case, actor by actor, each in the order of its numbers.
func (s Events) List(task voting.Key) ([]casefile.Event, error) {
	return values(s.journal, key(eventKind, task[:]), func(_, value []byte) (casefile.Event, error) {
		return casefile.ParseEvent(value)
	})
}

// Archive says that a case is over for good: its events stay, but Cases does not list it any more.
func (s Events) Archive(task voting.Key) error {
	return s.journal.write("archive", item{key(archiveKind, task[:]), []byte{}})
}

// Cases lists the tasks of whose cases there are events and that are not archived.
func (s Events) Cases() ([]voting.Key, error) {
	archived := map[voting.Key]bool{}
	if err := s.journal.keys([]byte{archiveKind}, func(k []byte) { archived[voting.Key(k[1:])] = true }); err != nil {
		return nil, err
	}
	var all []voting.Key
	err := s.journal.keys([]byte{eventKind}, func(k []byte) {
		task := voting.Key(k[1:33])
		if !archived[task] && (len(all) == 0 || all[len(all)-1] != task) {
			all = append(all, task)
		}
	})
	return all, err
}

// Archived lists the tasks of the cases that are over for good.
func (s Events) Archived() (all []voting.Key, err error) {
	err = s.journal.keys([]byte{archiveKind}, func(k []byte) { all = append(all, voting.Key(k[1:])) })
	return all, err
}

// Drop removes the events of a case. Only do so when nobody will ask for its case file any more.
func (s Events) Drop(task voting.Key) error {
	return errors.Join(s.journal.drop("events", key(eventKind, task[:])), s.journal.drop("archive", key(archiveKind, task[:])))
}
