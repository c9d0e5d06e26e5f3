package homes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ojud/agent/model"
)

// ErrNoModel means that a model does not answer. A court would wait for it until the time limit.
var ErrNoModel = errors.New("homes: the model does not answer")

// Probe sends each model of some judges a tiny request, at the model's price, and returns the
// results. A model that several judges ask is asked once. The error is ErrNoModel for the first
// that failed.
func Probe(ctx context.Context, all []model.Config) (out []model.Health, err error) {
	seen := map[model.Endpoint]bool{}
	for _, cfg := range all {
		cfg.Models = slices.DeleteFunc(slices.Clone(cfg.Models), func(e model.Endpoint) bool {
			old := seen[e]
			seen[e] = true
			return old
		})
		if len(cfg.Models) == 0 {
			continue
		}
		ladder, err := model.New(cfg, model.Deps{})
		if err != nil {
			return out, fmt.Errorf("homes: %w", err)
		}
		found := ladder.Probe(ctx)
		out = append(out, found...)
		if err := ladder.Close(); err != nil {
			return out, fmt.Errorf("homes: %w", err)
		}
		for _, h := range found {
			if h.Err != nil {
				return out, fmt.Errorf("%w: %s: %w", ErrNoModel, h.Name, h.Err)
			}
		}
	}
	return out, nil
}
