package exam

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/voting"
)

// Key is the account of an item's case.
func (i Item) Key() voting.Key { return sha256.Sum256([]byte("exam\x00" + i.ID)) }

// Brief returns a valid item as a node gives it to its judge, and its evidence.
func (i Item) Brief(deadline time.Time) (judge.Brief, *FixtureEvidence, error) {
	b := judge.Brief{Case: i.Key(), Round: 1, Judge: voting.Key{1}, Deadline: deadline, Exhibits: map[voting.Hash][]byte{}}
	for _, x := range i.Exhibits {
		b.Exhibits[casefile.HashOf([]byte(x))] = []byte(x)
	}
	named := i.Submitted
	if named == nil {
		named = i.Result
	}
	for _, open := range []func() error{
		func() (err error) { b.Task, err = paper(i.Task, i.Task, casefile.ParseTask); return },
		func() (err error) { b.Result, err = paper(named, i.Result, casefile.ParseResult); return },
		func() (err error) {
			b.Objection, err = paper(i.Objection, i.Objection, casefile.ParseObjection)
			return
		},
		func() (err error) {
			b.Counter, err = paper(i.Counter, i.Counter, casefile.ParseCounterObjection)
			return
		},
	} {
		if err := open(); err != nil {
			return judge.Brief{}, nil, fmt.Errorf("%w: %s: %w", errItem, i.ID, err)
		}
	}
	w, err := i.witness(b.Task.Value.DataSources)
	b.Evidence = w
	return b, w, err
}

// paper opens content under the hash that the case names.
func paper[T any](named, content json.RawMessage, parse func([]byte) (casefile.Doc[T], error)) (judge.Paper[T], error) {
	n, err := canonical(named, casefile.MaxDocument)
	if err != nil {
		return judge.Paper[T]{}, err
	}
	c, err := canonical(content, casefile.MaxDocument)
	if err != nil {
		return judge.Paper[T]{}, err
	}
	return judge.Open(casefile.HashOf(n), c, parse), nil
}

// witness returns the evidence of an item, with canonical fixtures.
func (i Item) witness(sources []string) (*FixtureEvidence, error) {
	w := &FixtureEvidence{item: i.ID, sources: sources}
	for _, f := range i.Answers {
		request, err := canonical(f.Request, casefile.MaxDocument)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errItem, i.ID, err)
		}
		said := Fixture{Source: f.Source, Request: request}
		for _, h := range f.Holders {
			content, err := canonical(h.Content, casefile.MaxBlob)
			if err != nil {
				return nil, fmt.Errorf("%w: %s: %w", errItem, i.ID, err)
			}
			said.Holders = append(said.Holders, Holder{Name: h.Name, Content: content})
		}
		w.said = append(w.said, said)
	}
	return w, nil
}
