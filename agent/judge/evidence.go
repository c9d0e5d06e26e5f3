package judge

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"ojud/casefile"
	"ojud/voting"
)

// Evidence is how a judge asks for data that is not in the papers. The node behind it finds who has a source (itself first),
// agrees on terms, fetches, and keeps a receipt for every answer; from the receipts, never from the judge, it fills in the
// opinion's data_accessed. An implementation bounds what one evaluation may ask.
type Evidence interface {
	// Ask returns one answer from each holder that was asked, at least one if err is nil. The answers of different holders may
	// contradict each other: that is for the judge to weigh. It returns when ctx is done.
	Ask(ctx context.Context, r Request) ([]Answer, error)
}

// Request is what a judge wants to know (seed 000, "access data").
type Request struct {
	DataSource string          `json:"data_source"` // one of the task's data_sources
	Request    json.RawMessage `json:"request"`     // in the form that the source's input schema demands
}

// Answer is what one holder said.
type Answer struct {
	Content []byte       // as the holder gave it, at most 1 MiB; hostile
	Receipt voting.Hash  // the id under which a finding cites it
	Holder  casefile.DID // who answered
	At      int64        // Unix seconds of the chain's clock
}

// Why there is no answer. Errors of Ask wrap one of these.
var (
	ErrUnavailable = errors.New("judge: no holder of the source answered within this judge's time limit")
	ErrRefused     = errors.New("judge: the holder refuses")                     // its terms, or the price
	ErrNotNamed    = errors.New("judge: the task does not name this source")     // task.data_sources
	ErrBadRequest  = errors.New("judge: the source does not take this request")  // its input schema
	ErrSpent       = errors.New("judge: this evaluation has asked for too much") // number, bytes or money
)

// NoSources is the evidence of a node that has no way to any source.
type NoSources struct{}

var _ Evidence = NoSources{}

// Ask returns ErrUnavailable.
func (NoSources) Ask(context.Context, Request) ([]Answer, error) { return nil, ErrUnavailable }

// query is a question to a source and its answers.
type query struct {
	Source  string
	Request []byte
	answers []Answer
}

// recorder keeps what was answered, for the model to see.
type recorder struct {
	Evidence
	mu    sync.Mutex
	heard []query
}

// Ask implements Evidence.
func (r *recorder) Ask(ctx context.Context, q Request) ([]Answer, error) {
	answers, err := r.Evidence.Ask(ctx, q)
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.heard = append(r.heard, query{q.DataSource, q.Request, answers})
	}
	return answers, err
}

func (r *recorder) all() []query {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.heard)
}
