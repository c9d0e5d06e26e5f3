package judgetest

import (
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/voting"
)

// Papers are the documents of a case as the parties might write them; they are made canonical. An empty one is missing.
type Papers struct {
	Task, Result, Objection, Counter string
}

// Brief opens papers for a judge, with an hour to go.
func Brief(t testing.TB, p Papers) judge.Brief {
	t.Helper()
	return judge.Brief{
		Case: voting.Key{1}, Round: 1, Judge: voting.Key{2}, Deadline: time.Now().Add(time.Hour),
		Task: open(p.Task, casefile.ParseTask), Result: open(p.Result, casefile.ParseResult),
		Objection: open(p.Objection, casefile.ParseObjection), Counter: open(p.Counter, casefile.ParseCounterObjection),
		Evidence: judge.NoSources{},
	}
}

// open names what it opens by its own hash.
func open[T any](text string, parse func([]byte) (casefile.Doc[T], error)) judge.Paper[T] {
	if text == "" {
		return judge.Open(voting.Hash{}, nil, parse)
	}
	raw, err := casefile.Canonical([]byte(text), casefile.MaxDocument)
	if err != nil {
		raw = []byte(text) // what is no JSON comes as it is
	}
	return judge.Open(casefile.HashOf(raw), raw, parse)
}
