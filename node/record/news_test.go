package record

import (
	"testing"

	"ojud/voting"
)

// TestNews: all that wait are woken once, and who waits later waits for the next change.
func TestNews(t *testing.T) {
	t.Parallel()
	var n news
	n.tell() // nobody waits
	a, b := n.next(), n.next()
	n.tell()
	for _, c := range []<-chan struct{}{a, b} {
		select {
		case <-c:
		default:
			t.Error("somebody was not woken")
		}
	}
	select {
	case <-n.next():
		t.Error("woken without a change")
	default:
	}
}

// TestSame: a look differs if anything that people see differs.
func TestSame(t *testing.T) {
	t.Parallel()
	look := voting.Case{Status: voting.Committing, Round: 1, Seats: []voting.Seat{{Judge: voting.Key{1}}}}
	later := look
	later.Slot = 9
	if !same(look, later) {
		t.Error("a later look that shows the same is news")
	}
	voted := look
	voted.Seats = []voting.Seat{{Judge: voting.Key{1}, Committed: true}}
	status := look
	status.Status = voting.Revealing
	for _, other := range []voting.Case{voted, status} {
		if same(look, other) {
			t.Errorf("%+v is no news", other)
		}
	}
}
