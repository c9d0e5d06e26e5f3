package door

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"ojud/agent/host"
	"ojud/agent/host/shell"
)

// TestAttackSpendAbroad: what an agent lets calls of other hosts spend comes out of the budget of
// the call in which it makes them, all together, and counts as used. Otherwise a guest, or a text
// that a model reads, spends the agent's money elsewhere, whatever the budget of the call is.
func TestAttackSpendAbroad(t *testing.T) {
	t.Parallel()
	f := publish(t, sleepHome(t), "127.0.0.1:0", shell.Means{})
	spend := func(tokens int) string {
		return fmt.Sprintf(`{"thought":"I ask.","action":"call","tool":"agent.delegate","input":{"target":"agent://%s/e/echo","payload":"owl","tokens":%d}}`, f.at, tokens)
	}
	const done = `{"thought":"Done.","action":"finish","result":"done"}`
	home := agentsHome(t, map[string]string{"s.toml": fmt.Sprintf(caller, f.at)})
	var sent []int64
	model := &script{answers: []string{spend(250_000), spend(150_000), spend(100_000), done, spend(5_000), spend(5_001), done}}
	h := beginWith(t, home, shell.Means{Transport: model, Reach: func(_ context.Context, e shell.Errand) (shell.Returned, error) {
		sent = append(sent, *e.Order.Tokens)
		return shell.Returned{Status: host.OK}, nil
	}})
	f.letCall(t, h, home, 1_000_000)
	g, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	all := conversation(t, g, host.Target{Agent: "s", Capability: "solve"})
	if len(sent) != 1 || sent[0] != 150_000 || strings.Count(all, "are given away") != 2 {
		t.Errorf("of a limit of 200000 tokens were sent %d; the agent hears %s", sent, all)
	}
	if v, err := h.host.Look(shell.Caller{ID: host.Operator}, "s"); err != nil || v.Tokens < 150_000 || v.Tokens > 151_000 {
		t.Errorf("the agent used %d tokens, %v", v.Tokens, err)
	}
	var r shell.Returned
	input := map[string]any{"target": "agent://s/solve", "payload": "x", "allow": []string{"agent.delegate", "agent.reach"}, "tokens": 10_000}
	if err := g.Use(t.Context(), "agent.delegate", input, &r); err != nil || r.Status != host.OK {
		t.Errorf("%+v, %v", r, err)
	}
	if len(sent) != 2 || sent[1] != 5_000 {
		t.Errorf("of a budget of 10000 tokens were sent %d", sent)
	}
}
