package record

import (
	"errors"
	"slices"

	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/ledger/program"
	"ojud/voting"
)

// Sight is what this node knows of a case now.
type Sight struct {
	Look  voting.Case   // Status 0: not followed, or not seen yet
	Terms *program.Task // nil: not followed, or not seen yet
	// Record is what the events here say. A case without events has an empty one.
	Record reading.Record
	// Archived: the case is not followed any more, so nothing of it will change.
	Archived bool
}

// Sight returns what this node knows of a case: followed, or in the archive. The error is
// casefile.ErrNoCase if it knows nothing.
func (r *Reader) Sight(task voting.Key) (s Sight, err error) {
	c := r.d.Cases.find(task)
	if s.Archived = c == nil; c != nil {
		s.Look, s.Terms = c.snapshot()
	}
	log, err := r.Log(task)
	if errors.Is(err, casefile.ErrNoCase) && s.Look.Status != 0 {
		return s, nil
	}
	if err == nil {
		s.Record, err = reading.Log(log, r.d.Blobs)
	}
	return s, err
}

// Glance returns the latest look at a case that is followed, without its record, which takes long
// to read. It is false for other cases, and before the first look.
func (r *Reader) Glance(task voting.Key) (look voting.Case, terms *program.Task, ok bool) {
	c := r.d.Cases.find(task)
	if c == nil {
		return look, nil, false
	}
	look, terms = c.snapshot()
	return look, terms, look.Status != 0
}

// Tasks returns the tasks whose cases are followed, and whether each one is over.
func (r *Reader) Tasks() map[voting.Key]bool {
	out := map[voting.Key]bool{}
	for _, c := range r.d.Cases.all() {
		if look, _ := c.snapshot(); look.Status != 0 {
			out[c.task] = look.Status.Over()
		}
	}
	return out
}

// Changed returns a channel that is closed at the next look at a case that differs from the one
// before it.
func (r *Reader) Changed() <-chan struct{} { return r.d.Cases.news.next() }

// same reports whether two looks show the same to people.
func same(a, b voting.Case) bool {
	return a.Status == b.Status && a.Round == b.Round && a.Verdict == b.Verdict && a.SeedSlot == b.SeedSlot &&
		a.AppealBy == b.AppealBy && slices.Equal(a.Seats, b.Seats) && slices.Equal(a.First, b.First)
}
