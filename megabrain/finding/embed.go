package finding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ojud/casefile/canon"
	"ojud/megabrain/meaning"
)

// Embedder gives a vector for each text: a model.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Vectors asks the embedding of the class for the vectors of results, by worker, as an evaluator
// posts them. A result without the prose of the class has none.
func (c TaskClass) Vectors(ctx context.Context, by Embedder, results map[string][]byte) (map[string]json.RawMessage, error) {
	if c.Embedding == nil {
		return nil, errors.New("finding: the class names no embedding")
	}
	var workers, texts []string
	for _, w := range slices.Sorted(maps.Keys(results)) {
		if canon.Exact(results[w], MaxResult) != nil {
			continue
		}
		if text, ok := c.Text(results[w]); ok {
			workers, texts = append(workers, w), append(texts, text)
		}
	}
	if len(texts) == 0 {
		return nil, nil
	}
	all, err := by.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(all) != len(texts) {
		return nil, fmt.Errorf("finding: %d vectors for %d texts", len(all), len(texts))
	}
	out := map[string]json.RawMessage{}
	for i, v := range all {
		if len(v) != c.Embedding.Dimensions {
			return nil, fmt.Errorf("finding: the model gives vectors of %d numbers, and the embedding of the class has %d", len(v), c.Embedding.Dimensions)
		}
		raw, err := json.Marshal(integers(v))
		if err != nil {
			return nil, err
		}
		if _, err := c.Embedding.vector(raw); err != nil {
			return nil, fmt.Errorf("finding: the vector of %s: %w", workers[i], err)
		}
		out[workers[i]] = raw
	}
	return out, nil
}

// integers is a vector as evaluators post it: in the same direction, and as long as fits.
func integers(v []float32) []int16 {
	most := 0.0
	for _, x := range v {
		most = max(most, math.Abs(float64(x)))
	}
	out := make([]int16, len(v))
	if most == 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return out
	}
	for i, x := range v {
		out[i] = int16(math.Round(float64(x) / most * math.MaxInt16))
	}
	return out
}

// Distances are those between each two texts by a model, in 10,000ths, and how many numbers its
// vectors have. They show what near has to be in a class.
func Distances(ctx context.Context, by Embedder, texts []string) (distances [][]int, dimensions int, err error) {
	all, err := by.Embed(ctx, texts)
	switch {
	case err != nil:
		return nil, 0, err
	case len(all) != len(texts) || len(texts) == 0:
		return nil, 0, fmt.Errorf("finding: %d vectors for %d texts", len(all), len(texts))
	case len(all[0]) > maxDimensions:
		return nil, 0, fmt.Errorf("finding: the model gives vectors of %d numbers; a class takes at most %d", len(all[0]), maxDimensions)
	}
	if slices.ContainsFunc(all, func(v []float32) bool { return len(v) != len(all[0]) }) {
		return nil, 0, errors.New("finding: the model gives vectors of several lengths")
	}
	for i, v := range all {
		row := make([]int, i)
		for j := range i {
			row[j] = meaning.Distance(integers(v), integers(all[j]))
		}
		distances = append(distances, row)
	}
	return distances, len(all[0]), nil
}

// Text is what the embedding of a class is asked about a result: its prose, with line breaks
// between the fields.
func (c TaskClass) Text(content []byte) (string, bool) {
	all, ok := c.Texts(content)
	text := strings.Join(all, "\n")
	return text, ok && strings.TrimSpace(text) != ""
}
