package brainagent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ojud/agent/work"
	"ojud/ledger/brain"
	"ojud/schema"
)

// embedded adds the vectors of the class's embedding to the scores of an evaluator, if they lack
// them. Scores count without vectors, too, so neither a model that is down nor an answer that is
// too long with them costs the stake. It says what the vectors have cost.
func (a *Participant) embedded(ctx context.Context, q question, raw []byte) (_ []byte, use work.Use) {
	if a.role != brain.EvaluatorRole || a.Embed == nil || q.Kind.Embedding == nil {
		return raw, use
	}
	e, err := readScores(raw)
	if err != nil || len(e.Vectors) > 0 {
		return raw, use
	}
	results := map[string][]byte{}
	for w, content := range q.Results {
		results[w] = content
	}
	if e.Vectors, use, err = a.Embed(ctx, q.Kind, results); err == nil {
		var whole []byte
		if whole, err = plain(e); err == nil {
			if _, err = a.checked(q, whole); err == nil {
				return whole, use
			}
		}
	}
	a.tell("vectors "+q.Task, q.Task, "scores without vectors of the class's embedding: "+err.Error())
	return raw, use
}

func readWork(raw []byte) (w handedIn, err error) {
	if err = strict(raw, &w); err == nil && len(w.Result) == 0 {
		err = errors.New("the answer has no result; it is such as {\"result\": {…}, \"summary\": \"…\"}")
	}
	return w, err
}

func readScores(raw []byte) (e scored, err error) {
	if err = strict(raw, &e); err == nil && len(e.Scores) == 0 {
		err = errors.New("the answer has no scores; it is such as {\"scores\": [{\"worker\": \"…\", \"score\": 80, \"confidence\": 90}]}")
	}
	return e, err
}

// strict reads an answer without further members and without a name twice.
func strict(raw []byte, into any) error {
	if len(raw) > maxAnswer {
		return fmt.Errorf("the answer has %d bytes; it has at most %d", len(raw), maxAnswer)
	}
	l := schema.DefaultLimits()
	l.ValueBytes = maxAnswer
	if _, err := l.Decode(raw); err != nil {
		return fmt.Errorf("the answer: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("the answer is not in its form: %w", err)
	}
	return nil
}

// maxReasons bounds what the transaction says of the reasons, in bytes.
const maxReasons = 400

// reasons are what the chain's transaction says of the scores.
func (e scored) reasons() string {
	var all []string
	for _, s := range e.Scores {
		if s.Why != "" {
			all = append(all, s.Why)
		}
	}
	text := strings.Join(all, " | ")
	return strings.ToValidUTF8(text[:min(len(text), maxReasons)], "")
}

// check says what is wrong with scores.
func (e scored) check(results map[string]json.RawMessage) error {
	seen := map[string]bool{}
	for i, s := range e.Scores {
		switch {
		case results[s.Worker] == nil:
			return fmt.Errorf("scores[%d].worker is %.64q, who handed in nothing", i, s.Worker)
		case seen[s.Worker]:
			return fmt.Errorf("scores[%d] is the second about %s", i, s.Worker)
		case s.Score < 0 || s.Score > 100 || s.Confidence < 0 || s.Confidence > 100:
			return fmt.Errorf("scores[%d] has a score of %d and a confidence of %d; both are 0 to 100", i, s.Score, s.Confidence)
		}
		seen[s.Worker] = true
	}
	for worker := range results {
		if !seen[worker] {
			return fmt.Errorf("the answer has no score of %s", worker)
		}
	}
	return nil
}
