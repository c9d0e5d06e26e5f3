package exam

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/voting"
)

// At is the time at which all holders of an exam answer, in Unix seconds of the chain's clock: 2026-01-01.
const At int64 = 1_767_225_600

// fixtureEvidence is the evidence of an item: it answers from the item's fixtures and remembers what it was asked. It may be used by several
// goroutines at once.
type fixtureEvidence struct {
	item    string
	sources []string // that the task names
	said    []Fixture

	mu       sync.Mutex
	asked    []judge.Request
	receipts []voting.Hash
}

var _ judge.Evidence = (*fixtureEvidence)(nil)

// Ask answers as the item says. A source that the task does not name is judge.ErrNotNamed, one about which the item says nothing
// judge.ErrUnavailable, another request than those in the item judge.ErrBadRequest.
func (w *fixtureEvidence) Ask(ctx context.Context, r judge.Request) ([]judge.Answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, judge.Request{DataSource: r.DataSource, Request: slices.Clone(r.Request)})
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if !slices.Contains(w.sources, r.DataSource) {
		return nil, fmt.Errorf("%w: %.64q", judge.ErrNotNamed, r.DataSource)
	}
	request, err := casefile.Canonical(r.Request, casefile.MaxDocument)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", judge.ErrBadRequest, err)
	}
	f, err := w.find(r.DataSource, request)
	if err != nil {
		return nil, err
	}
	return w.answers(f, request), nil
}

// find looks for the fixture of a request.
func (w *fixtureEvidence) find(source string, request []byte) (Fixture, error) {
	err := fmt.Errorf("%w: %s", judge.ErrUnavailable, source)
	for _, f := range w.said {
		if f.Source != source {
			continue
		}
		if f.Request == nil || bytes.Equal(f.Request, request) {
			return f, nil
		}
		err = fmt.Errorf("%w: %s knows nothing of it", judge.ErrBadRequest, source)
	}
	return Fixture{}, err
}

func (w *fixtureEvidence) answers(f Fixture, request []byte) (out []judge.Answer) {
	for _, h := range f.Holders {
		receipt := sha256.Sum256(bytes.Join([][]byte{[]byte(w.item), []byte(f.Source), request, []byte(h.Name), h.Content}, []byte{0}))
		w.receipts = append(w.receipts, receipt)
		out = append(out, judge.Answer{Content: slices.Clone(h.Content), Receipt: receipt, Holder: sha256.Sum256([]byte("holder\x00" + h.Name)), At: At})
	}
	return out
}

// Asked returns what was asked, in order, also what got no answer.
func (w *fixtureEvidence) Asked() []judge.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked)
}

// Receipts returns the ids of all answers that were given.
func (w *fixtureEvidence) Receipts() []voting.Hash {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.receipts)
}

// canonical is JSON in canonical form; an item's was checked by Validate.
func canonical(raw json.RawMessage, limit int) (json.RawMessage, error) {
	if raw == nil {
		return nil, nil
	}
	return casefile.Canonical(raw, limit)
}
