package journal

import (
	"errors"
	"testing"

	"ojud/voting"
)

// TestSaid: the first answer to a question of a case counts, also after a restart, until the case
// is forgotten. It is apart from the data that the judge asked for.
func TestSaid(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	if err := j.Persist(voting.Born{At: 1}); err != nil {
		t.Fatal(err)
	}
	task, other := voting.Key{1}, voting.Key{2}
	said := func(task voting.Key, question, answer, want byte) {
		t.Helper()
		if first, err := j.Said(task, 2, voting.Hash{question}, voting.Hash{answer}); err != nil || first != (voting.Hash{want}) {
			t.Errorf("%x, %v", first[:1], err)
		}
	}
	said(task, 1, 5, 5)
	said(task, 1, 6, 5)
	said(task, 2, 6, 6)
	said(other, 1, 7, 7)
	if err := j.PutData(task, 1, []byte("data")); err != nil {
		t.Fatal(err)
	}
	shut(t, j)
	j = open(t, dir)
	defer func() { shut(t, j) }()
	said(task, 1, 8, 5)
	if raw, err := j.Data(task, 1); err != nil || string(raw) != "data" {
		t.Errorf("%s, %v", raw, err)
	}
	if err := j.Forget(task); err != nil {
		t.Fatal(err)
	}
	said(task, 1, 9, 9)
	said(other, 1, 9, 7)
	if _, err := j.Said(voting.Key{}, 2, voting.Hash{1}, voting.Hash{1}); err == nil {
		t.Error("an answer outside of any case is kept")
	}
}

// TestAttackAnswersOfARestoredJournal: a judge asks again what a node answered after its backup was
// made. The restored journal knows nothing of it, and a node with it would sign a second answer,
// which is evidence against it. In cases that were opened before the journal was made or restored,
// no answer is kept that is not known; the control is a plain copy of the journal.
func TestAttackAnswersOfARestoredJournal(t *testing.T) {
	for _, marked := range []bool{false, true} {
		dir := t.TempDir()
		j := open(t, dir)
		task, later := voting.Key{1}, voting.Key{2}
		if _, err := j.Said(task, 1000, voting.Hash{1}, voting.Hash{5}); !errors.Is(err, errForgotten) {
			t.Errorf("before the machine noted when the journal was made: %v", err)
		}
		if err := j.Persist(voting.Born{At: 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Said(task, 100, voting.Hash{1}, voting.Hash{5}); err != nil {
			t.Fatal(err)
		}
		shut(t, j)
		if marked {
			if err := MarkRestored(dir); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // also when it is started again before the machine noted it
			j = open(t, dir)
			if _, err := j.Said(task, 100, voting.Hash{2}, voting.Hash{6}); errors.Is(err, errForgotten) != marked {
				t.Errorf("restored %t: %v", marked, err)
			}
			shut(t, j)
		}
		j = open(t, dir)
		if marked {
			if err := j.Persist(voting.Born{At: 200}); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if _, err := j.Said(task, 200, voting.Hash{3}, voting.Hash{6}); errors.Is(err, errForgotten) != marked {
				t.Errorf("restored %t: %v", marked, err)
			}
			if first, err := j.Said(task, 100, voting.Hash{1}, voting.Hash{7}); err != nil || first != (voting.Hash{5}) {
				t.Errorf("an answer that the journal knows: %x, %v", first[:1], err)
			}
			if _, err := j.Said(later, 201, voting.Hash{1}, voting.Hash{6}); err != nil {
				t.Errorf("a case that was opened later: %v", err)
			}
			shut(t, j)
			j = open(t, dir)
		}
		shut(t, j)
	}
}
