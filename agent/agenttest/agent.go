package agenttest

import (
	"context"
	"encoding/json"
	"testing"

	"ojud/agent"
)

// Steps is an agent that makes these steps and ends with this output, or with err.
type Steps struct {
	Name   string
	Steps  []agent.Step
	Output string
	Err    error
}

// Agent returns the agent.
func (s Steps) Agent(t testing.TB) agent.Agent {
	t.Helper()
	return Do(t, agent.Setup{Repr: agent.Repr{Name: s.Name}}, func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
		for _, step := range s.Steps {
			if _, err := r.Step(step); err != nil {
				return nil, err
			}
		}
		return json.RawMessage(s.Output), s.Err
	})
}

// Do makes an agent from a body. A missing Config is the default.
func Do(t testing.TB, s agent.Setup, body agent.Body) agent.Agent {
	t.Helper()
	if s.Config == (agent.Config{}) {
		s.Config = agent.DefaultConfig()
	}
	a, err := agent.New(s, body)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Tool returns a tool that answers every call with a function of its input.
func Tool(name string, answer func(input string) (string, error)) agent.Tool {
	return agent.NewTool(agent.Repr{Name: name, Description: name}, func(_ context.Context, c agent.Call) (agent.Answer, error) {
		output, err := answer(string(c.Input))
		return agent.Answer{Output: json.RawMessage(output)}, err
	})
}
