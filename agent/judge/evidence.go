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

// Evidence answers a judge's questions about data outside the documents. The node behind it
// searches for holders of a source (itself first), agrees on terms, fetches, and keeps a receipt
// for each answer. It fills in the opinion's data_accessed from these receipts, never from the
// judge. An implementation bounds the questions of one evaluation.
type Evidence interface {
	// Ask returns one answer from each holder that was asked, or two different ones if a holder
	// contradicts itself. If err is nil, there is at least one. Holders may contradict each other;
	// the judge weighs their answers. Ask returns when ctx ends.
	Ask(ctx context.Context, r Request) ([]Answer, error)
}

// Request is a judge's question to a data source, in the form of seed 000 ("access data").
type Request struct {
	DataSource string          `json:"data_source"` // one of the task's data_sources
	Request    json.RawMessage `json:"request"`     // as the source's input schema demands
}

// Answer is the answer of one holder.
type Answer struct {
	Content []byte       // the holder's bytes, at most 1 MiB; hostile
	Receipt voting.Hash  // findings cite the answer by this id
	Holder  casefile.DID // its DID
	At      int64        // Unix seconds of the chain's clock
	// Standing says what stands behind the answer. Weight is that of a staked holder in the draw of
	// the round, in lamports. An Answer without a standing is a stranger's.
	Standing casefile.HolderStanding
	Weight   uint64
}

// The reasons why there is no answer. Errors of Ask wrap one of these.
var (
	ErrUnavailable = errors.New("judge: no holder of the source answered within this judge's time limit")
	ErrRefused     = errors.New("judge: the holder refuses")                     // by its terms or its price
	ErrNotNamed    = errors.New("judge: the task does not name this source")     // task.data_sources
	ErrBadRequest  = errors.New("judge: the source does not take this request")  // its input schema, or it knows no such thing; no stranger says so
	ErrSpent       = errors.New("judge: this evaluation has asked for too much") // number, bytes or money
)

// NoSources is the Evidence of a node that can reach no source.
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

// recorder keeps all answers for the model.
type recorder struct {
	Evidence
	mu    sync.Mutex
	heard []query
}

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
