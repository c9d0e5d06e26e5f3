package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ojud/agent/judge/class"
	"ojud/agent/likeness"
	"ojud/casefile"
)

// Search describes the case that needs recollections.
type Search struct {
	Case  casefile.Address // the case; its own rounds are not recalled
	Class class.Class
	Text  string // the demands of the task
}

// Recollection is a lesson that was found.
type Recollection struct {
	Lesson
	Likeness float64 // cosine of the two tasks, at most 1
}

// Recall returns lessons from earlier cases of the same class with similar tasks, the most similar
// first: of each case its last round, at most Config.Recall.
func (s *Learned) Recall(ctx context.Context, c Search) ([]Recollection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(ctx); err != nil {
		return nil, err
	}
	vector, ok := likeness.Draw(c.Text).Vector()
	if !ok || s.index.Count() == 0 || s.cfg.Recall == 0 {
		return nil, nil
	}
	// Ask for all, because the index returns any of those that are equally similar.
	found, err := s.index.QueryEmbedding(ctx, vector, s.index.Count(), map[string]string{"class": string(c.Class)}, nil)
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	var near []Recollection
	for _, f := range found {
		if e := s.entries[f.ID]; e.Case != c.Case && float64(f.Similarity) >= s.cfg.Least {
			near = append(near, Recollection{e, float64(f.Similarity)})
		}
	}
	slices.SortFunc(near, func(a, b Recollection) int {
		return cmp.Or(cmp.Compare(b.Likeness, a.Likeness), cmp.Compare(b.At, a.At), cmp.Compare(a.file(), b.file()))
	})
	out := lastRounds(near)
	out = out[:min(len(out), s.cfg.Recall)]
	s.metrics.recalled.Add(float64(len(out)))
	return out, nil
}

// lastRounds keeps the last round of each case; all rounds of a case are equally alike.
func lastRounds(all []Recollection) (out []Recollection) {
	place := map[casefile.Address]int{}
	for _, m := range all {
		i, ok := place[m.Case]
		switch {
		case !ok:
			place[m.Case] = len(out)
			out = append(out, m)
		case m.Round > out[i].Round:
			out[i] = m
		}
	}
	return out
}
