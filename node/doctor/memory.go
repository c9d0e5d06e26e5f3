package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"ojud/agent/judge"
	"ojud/agent/judge/memory"
	"ojud/casefile"
	"ojud/node"
	"ojud/node/status"
)

// tryMemory passes on the findings of remembered.
func tryMemory(ctx context.Context, home node.Home, cfg node.Config, _ Deps, say func(status.Finding) error) error {
	for _, f := range remembered(ctx, home, cfg) {
		if err := say(f); err != nil {
			return err
		}
	}
	return nil
}

// remembered checks the judge's lessons from its cases, if it has a model and a memory.
func remembered(ctx context.Context, home node.Home, cfg node.Config) []status.Finding {
	if cfg.Judge.Kind != judge.KindModel || !cfg.Judge.Memory.On {
		return nil
	}
	f := status.Finding{Name: "memory"}
	s, err := memory.Open(home.Dir, casefile.Address(home.Keys.Judge()), cfg.Judge.Memory, memory.Deps{})
	if err != nil {
		f.Detail, f.Next = err.Error(), "fix or remove the folder "+memory.Folder+" of the home; without it the judge learns anew, and nothing else is lost"
		return []status.Finding{f}
	}
	learned, broken, err := s.List(ctx)
	switch bad := slices.Sorted(maps.Keys(broken)); {
	case err != nil:
		f.Detail, f.Next = err.Error(), "see that "+s.Dir()+" can be read"
	case len(bad) > 0:
		f.Detail, f.Next = fmt.Sprintf("%d files cannot be read and are left out, the first %s: %v", len(bad), bad[0], broken[bad[0]]), "remove them, or all that was learned: ojud judge memory clear"
	default:
		f.OK, f.Detail = true, fmt.Sprintf("%d rounds of earlier cases", len(learned))
	}
	return []status.Finding{f}
}
