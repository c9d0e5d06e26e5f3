package journal

import (
	"errors"
	"os"
	"testing"

	"ojud/voting"
)

// TestPersistAll: records go in together, own votes among them into their second copy; if one may
// not be kept, none is.
func TestPersistAll(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	if err := j.PersistAll(heard(1)...); err != nil {
		t.Fatal(err)
	}
	if err := j.PersistAll(append(heard(1), own(1, 1))...); err != nil {
		t.Errorf("the same again: %v", err)
	}
	other := voting.Foreign{At: 1, Commit: own(5, 1).Commit}
	if err := j.Persist(other); err != nil {
		t.Fatal(err)
	}
	count := func() int {
		all, err := j.Records()
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	before := count()
	for name, batch := range map[string][]voting.Record{
		"another vote for the round":          append(heard(2)[1:], own(2, 1), own(1, 2)),
		"two votes for a round":               {own(3, 1), voting.Born{At: 1}, own(3, 2)},
		"a round that another copy signed in": {own(4, 1), own(5, 2)},
	} {
		if err := j.PersistAll(batch...); !errors.Is(err, ErrWouldEquivocate) {
			t.Errorf("%s: %v", name, err)
		}
		if n := count(); n != before {
			t.Errorf("%s: %d records are kept of a batch that was refused", name, n-before)
		}
	}
	if err := j.PersistAll(own(6, 1), nil); !errors.Is(err, ErrInvalid) || count() != before {
		t.Errorf("with no record among them: %v", err)
	}
	if err := j.PutOwn(own(1, 1)); err != nil {
		t.Errorf("the journal does not work after refusals: %v", err)
	}
	shut(t, j)

	if err := os.RemoveAll(dir + "/" + databaseDir); err != nil {
		t.Fatal(err)
	}
	j = open(t, dir)
	defer shut(t, j)
	if !voted(t, j, 1) {
		t.Error("an own vote of a batch has no second copy")
	}
	if n := count(); n != 2 {
		t.Errorf("%d records were restored, want the vote and the foreign statement", n)
	}
}

// TestCastBeforeForeign: a statement of another copy of the node does not make the own vote, which
// came first, unreadable or new.
func TestCastBeforeForeign(t *testing.T) {
	j := open(t, t.TempDir())
	defer shut(t, j)
	for _, r := range []voting.Record{own(1, 1), voting.Foreign{At: 2, Commit: own(1, 2).Commit}, own(1, 1)} {
		if err := j.Persist(r); err != nil {
			t.Errorf("%s: %v", r, err)
		}
	}
	if err := j.PutOwn(own(1, 2)); !errors.Is(err, ErrWouldEquivocate) {
		t.Errorf("the other vote: %v", err)
	}
}
