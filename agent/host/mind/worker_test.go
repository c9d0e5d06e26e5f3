package mind

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"ojud/agent"
)

// TestShown: a guest does not read what a program of the host says when it fails, and the operator
// and errors of servers, which have no secrets, are not cut.
func TestShown(t *testing.T) {
	t.Parallel()
	w := &Worker{parts: Supplies{Log: slog.New(slog.DiscardHandler)}}
	fails := agent.NewTool(agent.Repr{Name: "psql"}, func(context.Context, agent.Call) (agent.Answer, error) {
		return agent.Answer{}, agent.Failure("password hunter2 rejected")
	})
	for _, k := range []struct {
		guest   string
		program bool
		reads   bool
	}{{"did:key:z6Mk", true, false}, {"", true, true}, {"did:key:z6Mk", false, true}} {
		_, err := w.shown(instrument{fails, k.program}, k.guest).Use(t.Context(), agent.Call{})
		if err == nil || strings.Contains(agent.Words(err), "hunter2") != k.reads {
			t.Errorf("%+v: %v", k, err)
		}
	}
}
