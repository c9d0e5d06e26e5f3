package megabrain

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
)

// Embed asks the embedding that the class of a task names for the vectors of the results, by
// worker. It returns none if the class names no embedding, and fails if a result with points is not
// here: its worker would be as far from the others as can be. The caller opens the model by its
// name, and gets it back to close.
func Embed(ctx context.Context, d *Desk, at onchain.Address, scores []Score, open func(name string) (by finding.Embedder, done func() error, err error)) (_ map[string]json.RawMessage, err error) {
	s, err := d.Task(ctx, at)
	if err != nil {
		return nil, err
	}
	c, err := d.Class(ctx, s.Task.Parties.Class)
	if err != nil {
		return nil, err
	}
	of, _, err := d.Document(ctx, c, s)
	if err != nil || of.Embedding == nil {
		return nil, err
	}
	by, done, err := open(of.Embedding.Name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if failed := done(); err == nil {
			err = failed
		}
	}()
	all, err := d.Results(ctx, at, -1)
	if err != nil {
		return nil, err
	}
	results, err := texts(all, scores)
	if err != nil {
		return nil, err
	}
	vectors, err := of.Vectors(ctx, by, results)
	if err != nil {
		return nil, fmt.Errorf("megabrain: the embedding of the class: %w", err)
	}
	return vectors, nil
}

// texts are the results that are here, by worker. One that is not here and gets no points is left
// out.
func texts(all []HandedIn, scores []Score) (map[string][]byte, error) {
	results := map[string][]byte{}
	for _, h := range all {
		switch {
		case h.Text != "":
			results[h.Worker] = []byte(h.Text)
		case slices.ContainsFunc(scores, func(s Score) bool { return s.Worker == h.Worker && s.Score > 0 }):
			return nil, fmt.Errorf("megabrain: the result of %s has points and is not here (%s), so it would have no vector; try again, or give it no points", h.Worker, cmp.Or(h.Lacks, "it was not revealed"))
		}
	}
	return results, nil
}
