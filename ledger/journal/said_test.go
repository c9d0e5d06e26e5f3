package journal

import (
	"testing"

	"ojud/voting"
)

// TestSaid: the first answer to a question of a case counts, also after a restart, until the case
// is forgotten. It is apart from the data that the judge asked for.
func TestSaid(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	task, other := voting.Key{1}, voting.Key{2}
	said := func(task voting.Key, question, answer, want byte) {
		t.Helper()
		if first, err := j.Said(task, voting.Hash{question}, voting.Hash{answer}); err != nil || first != (voting.Hash{want}) {
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
	if _, err := j.Said(voting.Key{}, voting.Hash{1}, voting.Hash{1}); err == nil {
		t.Error("an answer outside of any case is kept")
	}
}
