package door

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent"
	"ojud/agent/channel"
	"ojud/agent/host"
	"ojud/agent/host/shell"
)

// plainAgent is an agent in Python without a framework.
const plainAgent = `
from ojud_agent import serve

async def agent(call):
    print("this is not for the host")
    call.begin()
    call.text("I ")
    call.text("look.")
    call.made("think", {"hard": True}, "done")
    call.ask("look", {"at": call.input})
    result, = call.end(usage={"prompt_tokens": 3})
    say, finish = call.minion("helper")
    say("I help.")
    finish("helped")
    call.context = {"seen": result["output"]}
    call.step("More.")
    return result["output"]

serve(agent)
`

const pythonic = `[mind]
kind = "channel"
run = ["%PYTHON%", "-B", "%SCRIPT%"]
pass = ["PYTHONPATH"]
[[capabilities]]
name = "solve"
`

// TestForeign: agents in Python, without a framework and of LangGraph, stream steps to a client,
// have it run a tool, and end. With A2A_CLIENTS=1 the framework has to be there.
func TestForeign(t *testing.T) {
	t.Parallel()
	clients, err := filepath.Abs("../../../clients/python")
	if err != nil {
		t.Fatal(err)
	}
	python := "python3"
	if own := os.Getenv("A2A_PYTHON"); own != "" {
		python = own
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "plain.py"), []byte(plainAgent), 0o600); err != nil {
		t.Fatal(err)
	}
	for script, k := range map[string]struct{ needs, heard, result, context string }{
		filepath.Join(folder, "plain.py"): {
			"json", "begin chunk chunk chunk stop call result result step_end minion_start step step_end minion_result begin chunk stop step_end final end", `"feathers"`, `{"seen":"feathers"}`,
		},
		filepath.Join(clients, "examples", "foreign.py"): {
			"langgraph", "begin chunk chunk stop call result step_end begin chunk stop step_end begin chunk stop step_end final end", `"feathers"`, `{"mine":1}`,
		},
	} {
		if out, err := exec.CommandContext(t.Context(), python, "-c", "import "+k.needs).CombinedOutput(); err != nil {
			if os.Getenv("A2A_CLIENTS") != "" {
				t.Errorf("%s: %v %s", k.needs, err, out)
			}
			t.Logf("NOT RUN: Python with %s is not on this machine: %v", k.needs, err)
			continue
		}
		text := strings.NewReplacer("%PYTHON%", python, "%SCRIPT%", script).Replace(pythonic)
		home := agentsHome(t, map[string]string{"s.toml": text})
		h, err := shell.Open(home, shell.Means{LookupEnv: func(name string) (string, bool) {
			if name == "PYTHONPATH" {
				return clients, true
			}
			return os.LookupEnv(name)
		}})
		if err != nil {
			t.Fatal(err)
		}
		talkForeign(t, h, home, script, k.heard, k.result, k.context)
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

// lastContext keeps the contexts of the last step and of the end.
type lastContext struct {
	session
	step, final json.RawMessage
}

// Receive implements session.
func (c *lastContext) Receive(ctx context.Context) (channel.Body, error) {
	m, err := c.session.Receive(ctx)
	if m.StepEnd != nil {
		c.step = m.StepEnd.Context
	}
	if m.Final != nil {
		c.final = m.Final.Context
	}
	return m, err
}

func talkForeign(t *testing.T, h *shell.Host, home, script, want, result, known string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	d, err := Listen(ctx, home, "127.0.0.1:0", h, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- d.Run(ctx) }()
	g, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	order := channel.RunOrder{
		Input: json.RawMessage(`"oak"`), Context: json.RawMessage(`{"mine":1}`), Chunks: true,
		Tools: []agent.Repr{{Name: "look", Description: "Looks", InputSchema: json.RawMessage(`{"type":"object"}`)}},
	}
	talk, err := g.Talk(ctx, host.Target{Agent: "s", Capability: "solve"}, order, "")
	if err != nil {
		t.Fatal(err)
	}
	last := &lastContext{session: talk}
	heard, end := followTalk(ctx, t, last)
	talk.Close()
	// How many chunks a text comes in depends on how fast the client reads.
	for strings.Contains(heard, "chunk chunk") {
		heard = strings.ReplaceAll(heard, "chunk chunk", "chunk")
	}
	for strings.Contains(want, "chunk chunk") {
		want = strings.ReplaceAll(want, "chunk chunk", "chunk")
	}
	if heard != want {
		t.Errorf("%s: heard %s, not %s", script, heard, want)
	}
	if string(last.step) != known || string(last.final) != known {
		t.Errorf("%s: the context after the last step is %s and at the end %s, not %s", script, last.step, last.final, known)
	}
	a, attested, err := talk.End(end)
	if err != nil || !attested || a.Status != host.OK || string(a.Result) != result {
		t.Errorf("%s: %+v, %t, %v", script, a, attested, err)
	}
	stop()
	if err := errors.Join(<-served); err != nil {
		t.Error(err)
	}
}
