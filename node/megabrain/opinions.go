package megabrain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ojud/ledger/brain"
	"ojud/megabrain/finding"
)

// checkSays says what is wrong with what the document of an evaluation says of results together.
// Readers take what is not in its form for nothing.
func checkSays(ctx context.Context, d *Desk, s Seen, document []byte) error {
	var says finding.Says
	if err := json.Unmarshal(document, &says); err != nil {
		return fmt.Errorf("megabrain: the evaluation: %w", err)
	}
	if says.Empty() {
		return nil
	}
	var of finding.TaskClass
	if len(says.Vectors) > 0 { // else nothing of the class is looked at, and no memory node is asked
		c, err := d.Class(ctx, s.Task.Parties.Class)
		if err != nil {
			return err
		}
		store, err := storeOf(ctx, d, c, s)
		if err != nil {
			return err
		}
		if of, _, err = documentOf(ctx, store, c); err != nil {
			return err
		}
	}
	var workers []string
	for _, w := range s.Task.Work[:s.Task.Counts.Drawn] {
		if w.State == seatRevealed {
			workers = append(workers, w.Agent.String())
		}
	}
	if err := says.Check(of, workers); err != nil {
		return fmt.Errorf("megabrain: the evaluation: %w", err)
	}
	return nil
}

// opinions are the documents of the evaluators of a task. One that no node has says nothing of
// results together, if that is wanted or no time is left.
func (s Folder) opinions(ctx context.Context, t *brain.TaskAccount, without bool) ([][]byte, error) {
	out := make([][]byte, t.Counts.Seated)
	for i, e := range t.Judges[:t.Counts.Seated] {
		if e.State != seatRevealed {
			continue
		}
		content, err := s.Get(ctx, e.EvaluationHash)
		switch {
		case err == nil:
			out[i] = content
		case errors.Is(err, errNoContent) && !without && !s.Late:
			return nil, fmt.Errorf("megabrain: which results mean the same is open, and the evaluation of %s may say it: %w", e.Agent, err)
		case !errors.Is(err, errNoContent) && !errors.Is(err, ErrTooLarge):
			return nil, err
		}
	}
	return out, nil
}

// testifyOpinions shows what evaluators say of results together, and the document that shows the
// posted outcome. An evaluator shows all that it has.
func testifyOpinions(ctx context.Context, d *Desk, s Seen, own seat, store Folder) (err error) {
	if own.judge == nil {
		return nil
	}
	hashes := [][32]byte{s.Task.Finding.Evidence}
	for _, e := range s.Task.Judges[:s.Task.Counts.Seated] {
		if e.State == seatRevealed {
			hashes = append(hashes, e.EvaluationHash)
		}
	}
	for _, hash := range hashes {
		content, getting := store.Get(ctx, hash)
		if errors.Is(getting, errNoContent) || errors.Is(getting, ErrTooLarge) {
			continue // it says nothing, unless another shows it
		}
		if getting == nil {
			_, getting = d.publish(ctx, s.Task.Dispute, document(content, hash))
		}
		if getting != nil {
			err = errors.Join(err, fmt.Errorf("megabrain: what an evaluator says, %x: %w", hash, getting))
		}
	}
	return err
}
