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
	"ojud/casefile/canon"
	"ojud/voting"
)

// At is the time of all answers in an exam, by the chain's clock: 2026-01-01.
const At int64 = 1_767_225_600

// FixtureEvidence answers from an item's fixtures, any number of goroutines, and keeps questions.
type FixtureEvidence struct {
	item    string
	sources []string // that the task names
	said    []Fixture

	mu       sync.Mutex
	asked    []judge.Request
	receipts []voting.Hash
}

var _ judge.Evidence = (*FixtureEvidence)(nil)

// Ask answers as the item says. The error is judge.ErrNotNamed if the task does not name the
// source, judge.ErrUnavailable if the item has no answer of it, and judge.ErrBadRequest if the item
// has answers to other requests only.
func (w *FixtureEvidence) Ask(ctx context.Context, r judge.Request) ([]judge.Answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, judge.Request{DataSource: r.DataSource, Request: slices.Clone(r.Request)})
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if !slices.Contains(w.sources, r.DataSource) {
		return nil, fmt.Errorf("%w: %.64q", judge.ErrNotNamed, r.DataSource)
	}
	request, err := canon.JSON(r.Request, casefile.MaxDocument)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", judge.ErrBadRequest, err)
	}
	f, err := w.find(r.DataSource, request)
	if err != nil {
		return nil, err
	}
	return w.answers(f, request), nil
}

func (w *FixtureEvidence) find(source string, request []byte) (Fixture, error) {
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

func (w *FixtureEvidence) answers(f Fixture, request []byte) (out []judge.Answer) {
	for _, h := range f.Holders {
		receipt := sha256.Sum256(bytes.Join([][]byte{[]byte(w.item), []byte(f.Source), request, []byte(h.Name), h.Content}, []byte{0}))
		w.receipts = append(w.receipts, receipt)
		out = append(out, judge.Answer{Content: slices.Clone(h.Content), Receipt: receipt, Holder: sha256.Sum256([]byte("holder\x00" + h.Name)), At: At,
			Standing: casefile.StakedHolder, Weight: 1})
	}
	return out
}

// Asked returns all questions in order, including those without an answer.
func (w *FixtureEvidence) Asked() []judge.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked)
}

// Receipts returns the ids of all answers.
func (w *FixtureEvidence) Receipts() []voting.Hash {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.receipts)
}

// canonical returns JSON in canonical form. Validate checked it before.
func canonical(raw json.RawMessage, limit int) (json.RawMessage, error) {
	if raw == nil {
		return nil, nil
	}
	return canon.JSON(raw, limit)
}
