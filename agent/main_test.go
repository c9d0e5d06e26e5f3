package agent_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"ojud/agent"
	"ojud/agent/agenttest"
)

// TestMain fails when a run leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var rewrite = flag.Bool("rewrite", false, "write golden files anew")

// golden compares a text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not as it was (-rewrite writes it anew):\n%s", file, got)
	}
}

// run starts an agent.
func run(t *testing.T, a agent.Agent, q agent.Request) *agent.Channel {
	t.Helper()
	ch, err := a.Run(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ch.Close)
	return ch
}

// do makes an agent from a body and a configuration.
func do(t *testing.T, change func(*agent.Setup), body agent.Body) agent.Agent {
	t.Helper()
	s := agent.Setup{Repr: agent.Repr{Name: "tested"}, Config: agent.DefaultConfig()}
	if change != nil {
		change(&s)
	}
	return agenttest.Do(t, s, body)
}

// steps is a body that makes one step for each of these calls and ends with the last result.
func steps(calls ...agent.ToolCall) agent.Body {
	return func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
		out := json.RawMessage(`"nothing"`)
		for _, c := range calls {
			results, err := r.Step(agent.Step{Calls: []agent.ToolCall{c}})
			if err != nil {
				return nil, err
			}
			out = results[0].Output
			if results[0].Error != "" {
				if out, err = json.Marshal(results[0].Error); err != nil {
					return nil, err
				}
			}
		}
		return out, nil
	}
}

func call(name, input string) agent.ToolCall {
	return agent.ToolCall{Name: name, Input: json.RawMessage(input)}
}

// tool describes a tool that the client runs.
func tool(name string) agent.Repr { return agent.Repr{Name: name, Description: "for the test"} }
