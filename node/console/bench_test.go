package console

import (
	"log/slog"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/picture"
	"ojud/casefile/reading"
	"ojud/voting"
)

// BenchmarkCase draws the page of a decided case with 28 judges, as a node does while it follows
// the case: it reads the record of all events each time.
func BenchmarkCase(b *testing.B) {
	w, err := casetest.Build(script(b, "data"))
	if err != nil {
		b.Fatal(err)
	}
	source := newStage()
	c := New(source, slog.New(slog.DiscardHandler))
	for b.Loop() {
		r, err := reading.Log(w.Log, w.Store)
		if err != nil {
			b.Fatal(err)
		}
		source.put(w.Task, picture.Scene{
			Record: r, Look: voting.Case{Status: voting.Decided, Verdict: voting.ForWorker},
			Content: func(hash casefile.Digest) ([]byte, error) { return w.Store.Blob(voting.Hash(hash)) },
		})
		if _, err := c.render(view{name: "case", key: w.Task}); err != nil {
			b.Fatal(err)
		}
	}
}
