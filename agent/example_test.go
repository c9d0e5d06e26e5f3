package agent_test

import (
	"context"
	"encoding/json"
	"fmt"

	"ojud/agent"
)

// tides is a scripted model: it asks for the tide, then answers.
type tides struct{ answers []string }

// Name implements agent.Model.
func (*tides) Name() string { return "tides" }

// Generate implements agent.Model.
func (m *tides) Generate(context.Context, agent.Prompt) (agent.Reply, error) {
	answer := m.answers[0]
	m.answers = m.answers[1:]
	return agent.Reply{Text: answer}, nil
}

// An agent learns of a tool that only its client can run. It ends with a result of the form that
// its description promises.
func ExampleNewReAct() {
	model := &tides{[]string{
		`{"thought": "I need the tide.", "action": "call", "tool": "tide", "input": {"port": "Husum"}}`,
		`{"thought": "High water is at 6.", "action": "finish", "result": {"sail": true}}`,
	}}
	pilot, err := agent.NewReAct(agent.Setup{
		Repr: agent.Repr{
			Name: "pilot", Description: "Says whether a ship can sail.",
			OutputSchema: []byte(`{"type":"object","properties":{"sail":{"type":"boolean"}},"required":["sail"],"additionalProperties":false}`),
		},
		Config: agent.DefaultConfig(),
	}, agent.ModelSetup{Model: model, Instructions: "You are a pilot."})
	if err != nil {
		fmt.Println(err)
		return
	}
	channel, err := pilot.Run(context.Background(), agent.Request{
		Input: []byte(`{"ship":"Aurora"}`),
		Tools: []agent.Repr{{Name: "tide", Description: "When high water is.", InputSchema: []byte(`{"type":"object"}`)}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer channel.Close()
	for event, err := range channel.Steps(false) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch e := event.(type) {
		case agent.Step:
			fmt.Println("step", e.N, e.Text)
		case agent.ClientCall:
			fmt.Println("call", e.ID, e.Name, string(e.Input))
			if err := channel.Input(agent.ToolResult{ID: e.ID, Output: json.RawMessage(`{"high_water":"06:00"}`)}); err != nil {
				fmt.Println(err)
			}
		case agent.FinalResult:
			fmt.Println("result", string(e.Output))
		}
	}
	// Output:
	// step 1 I need the tide.
	// call 1 tide {"port":"Husum"}
	// step 2 High water is at 6.
	// result {"sail":true}
}
