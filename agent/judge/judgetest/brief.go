package judgetest

import (
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/voting"
)

// Papers are the documents of a case as parties write them; an empty one is missing. Only a
// case has a counter-objection, so a brief without one is no case and blames no party.
type Papers struct {
	Task, Result, Objection, Counter string
}

// Brief opens documents for a judge, with a deadline in one hour.
func Brief(t testing.TB, p Papers) judge.Brief {
	t.Helper()
	b := judge.Brief{
		Case: voting.Key{1}, Round: 1, Judge: voting.Key{2}, Deadline: time.Now().Add(time.Hour),
		Task: open(p.Task, casefile.ParseTask), Result: open(p.Result, casefile.ParseResult),
		Objection: open(p.Objection, casefile.ParseObjection), Evidence: judge.NoSources{},
	}
	if p.Counter != "" {
		b.Counter = open(p.Counter, casefile.ParseCounterObjection)
	}
	return b
}

// open opens a document under its own hash.
func open[T any](text string, parse func([]byte) (casefile.Doc[T], error)) judge.Paper[T] {
	if text == "" {
		return judge.Open(voting.Hash{}, nil, parse)
	}
	raw, err := canon.JSON([]byte(text), casefile.MaxDocument)
	if err != nil {
		raw = []byte(text) // other text than JSON stays as it is
	}
	return judge.Open(casefile.HashOf(raw), raw, parse)
}
