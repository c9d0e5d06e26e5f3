package mind

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"ojud/agent"
)

// TestShown: a guest does not read what a tool of the host says when it fails, and the operator
// does.
func TestShown(t *testing.T) {
	t.Parallel()
	w := &Worker{parts: Supplies{Log: slog.New(slog.DiscardHandler)}}
	fails := agent.NewTool(agent.Repr{Name: "psql"}, func(context.Context, agent.Call) (agent.Answer, error) {
		return agent.Answer{}, agent.Failure("password hunter2 rejected")
	})
	for _, k := range []struct {
		guest string
		reads bool
	}{{"did:key:z6Mk", false}, {"", true}} {
		_, err := w.shown(fails, k.guest).Use(t.Context(), agent.Call{})
		if err == nil || strings.Contains(agent.Words(err), "hunter2") != k.reads {
			t.Errorf("%+v: %v", k, err)
		}
	}
}
