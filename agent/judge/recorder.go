package judge

import (
	"context"
	"slices"
	"sync"
)

// hearing is a question to a source and its answers.
type hearing struct {
	Source  string
	Request []byte
	answers []Answer
}

// recorder keeps what was answered, for the model to see.
type recorder struct {
	Evidence
	mu    sync.Mutex
	heard []hearing
}

// Ask implements Evidence.
func (r *recorder) Ask(ctx context.Context, q Request) ([]Answer, error) {
	answers, err := r.Evidence.Ask(ctx, q)
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.heard = append(r.heard, hearing{q.DataSource, q.Request, answers})
	}
	return answers, err
}

func (r *recorder) all() []hearing {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.heard)
}
