package door

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/shell"
)

// TestAttackSpendAbroad: what an agent lets calls of other hosts spend comes out of the budget of
// the call in which it makes them, together with what its own model costs, and counts as used.
// Otherwise a guest, or a text that a model reads, spends the agent's money elsewhere, whatever the
// budget of the call is, or twice the budget.
func TestAttackSpendAbroad(t *testing.T) {
	t.Parallel()
	f := publish(t, sleepHome(t), "127.0.0.1:0", shell.Means{})
	spend := func(tokens int) string {
		return fmt.Sprintf(`{"thought":"I ask.","action":"call","tool":"agent.delegate","input":{"target":"agent://%s/e/echo","payload":"owl","tokens":%d}}`, f.at, tokens)
	}
	const done = `{"thought":"Done.","action":"finish","result":"done"}`
	home := agentsHome(t, map[string]string{"s.toml": fmt.Sprintf(caller, f.at)})
	var sent []int64
	model := &script{answers: []string{spend(250_000), spend(150_000), spend(100_000), done, spend(5_000), spend(5_000), done}}
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
	if len(sent) != 1 || sent[0] != 150_000 || strings.Count(all, "which has less left") != 2 {
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

// generous is a program that lets calls of another host spend something.
const generous = `
import json, os, urllib.error, urllib.request
for n in 6, 5, 4:
    order = json.dumps({"target": "agent://%FAR%/e/echo", "tokens": n}).encode()
    head = {"Authorization": "Bearer " + os.environ["AGENT_TOKEN"], "Content-Type": "application/json"}
    try:
        urllib.request.urlopen(urllib.request.Request(os.environ["AGENT_HOST"] + "/v1/agent.delegate", order, head))
    except urllib.error.HTTPError:
        pass
print(1)
`

// TestSpendAbroadProgram: an agent without a model, inside a chain, may give all that the call may
// spend to agents of other hosts, and no more.
func TestSpendAbroadProgram(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Log("NOT RUN: Python is not on this machine")
		return
	}
	f := publish(t, sleepHome(t), "127.0.0.1:0", shell.Means{})
	program := fmt.Sprintf(`autonomy = 2
[mind]
kind = "executable"
run = ["python3", "-B", "../../s.py"]
[[capabilities]]
name = "solve"
[[remotes]]
address = "agent://%s/e/*"
under = "e.chain"
`, f.at)
	home := agentsHome(t, map[string]string{"s.toml": program, "s.py": strings.ReplaceAll(generous, "%FAR%", f.at)})
	var sent []int64
	h := beginWith(t, home, shell.Means{Reach: func(_ context.Context, e shell.Errand) (shell.Returned, error) {
		sent = append(sent, *e.Order.Tokens)
		return shell.Returned{Status: host.OK}, nil
	}})
	f.letCall(t, h, home, 1_000_000)
	g, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	var r shell.Returned
	input := map[string]any{"target": "agent://s/solve", "payload": "x", "allow": []string{"agent.delegate", "agent.reach"}, "tokens": 10}
	if err := g.Use(t.Context(), "agent.delegate", input, &r); err != nil || r.Status != host.OK {
		t.Errorf("%s %s, %v", r.Status, r.Error, err)
	}
	if !slices.Equal(sent, []int64{6, 4}) {
		t.Errorf("of a budget of 10 tokens were sent %d", sent)
	}
}

// TestSpent: while the host runs, its operator sees what a delegate did spend; an agent of the host
// does not.
func TestSpent(t *testing.T) {
	t.Parallel()
	const spender = "#!/bin/sh\nread -r run\necho '{\"final\":{\"output\":1,\"usage\":{\"prompt_tokens\":700}}}'\n"
	f := publish(t, agentsHome(t, map[string]string{"s.toml": "[mind]\nkind = \"channel\"\nrun = [\"./s.sh\"]\n[[capabilities]]\nname = \"do\"\n", "s.sh": spender}), "127.0.0.1:0", shell.Means{})
	carol := freshKey(t)
	a := Abroad{Key: carol, Chain: f.allow(carol.Principal(), "/s/do", 1_000), To: f.remote("s/do"), Spend: delegation.Amounts{0, 900, 0}}
	if r, _, err := a.Invoke(t.Context(), 0, json.RawMessage("1")); err != nil || r.Status != host.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	g, err := Open(f.home)
	if err != nil {
		t.Fatal(err)
	}
	link := a.Chain[0].ID()
	var said []shell.Spending
	if err := g.Use(t.Context(), "host.spent", map[string][]string{"links": {link, "none"}}, &said); err != nil || len(said) != 2 || said[0].Link != link || said[0].Spent != (delegation.Amounts{0, 700, 0}) || said[1].Spent != (delegation.Amounts{}) {
		t.Errorf("%+v, %v", said, err)
	}
	if err := g.Use(t.Context(), "host.spent", map[string][]string{"links": make([]string, 17)}, &said); err == nil {
		t.Error("more links than a chain has")
	}
	if _, err := f.host.Use(t.Context(), shell.Caller{ID: "s"}, "host.spent", json.RawMessage(`{"links":[]}`)); err == nil {
		t.Error("an agent sees what is spent under delegations")
	}
}
