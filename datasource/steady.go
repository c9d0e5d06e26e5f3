package datasource

import (
	"context"
	"slices"
	"sync"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/voting"
)

// The bounds of Steady.
const (
	maxSteady      = 1024     // answers
	maxSteadyBytes = 16 << 20 // of them together
)

// Steady makes a node give one answer to one question in a case, because its source may say
// something else a minute later, and two different receipts are evidence against their holder. The
// first answer is repeated while there is room for it. If there is none, those give way that the
// judge with the most bytes was the first to ask for. Both sides of the node share one Steady; a
// nil one repeats nothing.
type Steady struct {
	mu    sync.Mutex
	bytes int
	kept  map[steadyKey]first
	order []steadyKey // oldest first
}

// first is the answer to a question, and the judge that asked it first.
type first struct {
	Answer
	judge casefile.Address
}

// size is what an answer counts against the judge that asked for it, beside its bytes.
func (f first) size() int { return maxSteadyBytes/maxSteady + len(f.Body) }

type steadyKey struct {
	task    casefile.Address
	source  string
	request voting.Hash
	card    voting.Hash // of the terms: other terms may leave other fields
}

// answers is a book of sources.
type answers interface {
	Card(name string) (Card, bool)
	AnswerIn(ctx context.Context, task casefile.Address, name string, request []byte) (Answer, error)
}

// Answer asks a source for a judge, or repeats its first answer in the case. The zero case is none.
func (s *Steady) Answer(ctx context.Context, b answers, task, judge casefile.Address, source string, request []byte) (Answer, error) {
	card, known := b.Card(source)
	if s == nil || task == (casefile.Address{}) || !known {
		return b.AnswerIn(ctx, task, source, request)
	}
	terms, err := card.Hash()
	if err != nil {
		return b.AnswerIn(ctx, task, source, request)
	}
	asked, err := canon.JSON(request, MaxRequest)
	if err != nil {
		return b.AnswerIn(ctx, task, source, request) // which says what is wrong
	}
	key := steadyKey{task, source, casefile.HashOf(asked), terms}
	if kept, ok := s.find(key); ok {
		return kept, nil
	}
	answer, err := b.AnswerIn(ctx, task, source, request)
	if err != nil || answer.Card != terms {
		return answer, err
	}
	return s.keep(key, first{answer, judge}), nil
}

func (s *Steady) find(key steadyKey) (Answer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.kept[key]
	kept.Cached = ok
	return kept.Answer, ok
}

// keep keeps an answer, unless one came first, and returns the one that is kept.
func (s *Steady) keep(key steadyKey, answer first) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept, ok := s.kept[key]; ok {
		return kept.Answer
	}
	if s.kept == nil {
		s.kept = map[steadyKey]first{}
	}
	s.kept[key], s.bytes, s.order = answer, s.bytes+len(answer.Body), append(s.order, key)
	for len(s.order) > maxSteady || s.bytes > maxSteadyBytes {
		s.drop(s.greediest())
	}
	return answer.Answer
}

// greediest returns the judge that takes most of the room.
func (s *Steady) greediest() (judge casefile.Address) {
	takes := map[casefile.Address]int{}
	for _, f := range s.kept {
		takes[f.judge] += f.size()
	}
	for other, n := range takes {
		if n > takes[judge] || n == takes[judge] && slices.Compare(other[:], judge[:]) > 0 {
			judge = other
		}
	}
	return judge
}

// drop forgets the oldest answer that a judge asked for.
func (s *Steady) drop(judge casefile.Address) {
	i := slices.IndexFunc(s.order, func(k steadyKey) bool { return s.kept[k].judge == judge })
	key := s.order[i]
	s.bytes, s.order = s.bytes-len(s.kept[key].Body), slices.Delete(s.order, i, i+1)
	delete(s.kept, key)
}
