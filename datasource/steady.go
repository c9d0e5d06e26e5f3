package datasource

import (
	"context"
	"sync"

	"ojud/casefile"
	"ojud/voting"
)

// The bounds of Steady.
const (
	maxSteady      = 1024     // answers
	maxSteadyBytes = 16 << 20 // of them together
)

// Steady makes a node give one answer to one question in a case, because its source may say
// something else a minute later, and two different receipts are evidence against their holder. The
// first answer is repeated while there is room for it. Both sides of the node share one Steady; a
// nil one repeats nothing.
type Steady struct {
	mu    sync.Mutex
	bytes int
	kept  map[steadyKey]Answer
	order []steadyKey // oldest first
}

type steadyKey struct {
	task    casefile.Address
	source  string
	request voting.Hash
	card    voting.Hash // of the terms: other terms may leave other fields
}

// answers is a book of sources.
type answers interface {
	Card(name string) (Card, bool)
	Answer(ctx context.Context, name string, request []byte) (Answer, error)
}

// Answer asks a source, or repeats its first answer in the case. The zero case is none.
func (s *Steady) Answer(ctx context.Context, b answers, task casefile.Address, source string, request []byte) (Answer, error) {
	card, known := b.Card(source)
	if s == nil || task == (casefile.Address{}) || !known {
		return b.Answer(ctx, source, request)
	}
	terms, err := card.Hash()
	if err != nil {
		return b.Answer(ctx, source, request)
	}
	asked, err := casefile.Canonical(request, MaxRequest)
	if err != nil {
		return b.Answer(ctx, source, request) // which says what is wrong
	}
	key := steadyKey{task, source, casefile.HashOf(asked), terms}
	if kept, ok := s.find(key); ok {
		return kept, nil
	}
	answer, err := b.Answer(ctx, source, request)
	if err != nil || answer.Card != terms {
		return answer, err
	}
	return s.keep(key, answer), nil
}

func (s *Steady) find(key steadyKey) (Answer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.kept[key]
	kept.Cached = ok
	return kept, ok
}

// keep keeps an answer, unless one came first, and returns the one that is kept.
func (s *Steady) keep(key steadyKey, answer Answer) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first, ok := s.kept[key]; ok {
		return first
	}
	if s.kept == nil {
		s.kept = map[steadyKey]Answer{}
	}
	s.kept[key], s.bytes, s.order = answer, s.bytes+len(answer.Body), append(s.order, key)
	for len(s.order) > maxSteady || s.bytes > maxSteadyBytes {
		oldest := s.order[0]
		s.bytes, s.order = s.bytes-len(s.kept[oldest].Body), s.order[1:]
		delete(s.kept, oldest)
	}
	return answer
}
