package agenttest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ojud/agent"
)

// Client answers the client's calls of a run, by name; "" answers all others.
type Client map[string]func(agent.ClientCall) agent.Input

// Answer answers every call of a tool with this JSON.
func Answer(output string) func(agent.ClientCall) agent.Input {
	return func(c agent.ClientCall) agent.Input {
		return agent.ToolResult{ID: c.ID, Name: c.Name, Output: json.RawMessage(output)}
	}
}

// Refuse answers every call with an error.
func Refuse(why string) func(agent.ClientCall) agent.Input {
	return func(c agent.ClientCall) agent.Input { return agent.ToolResult{ID: c.ID, Name: c.Name, Error: why} }
}

// Follow reads a run and answers its calls. A call without an answer fails the test.
func (c Client) Follow(t testing.TB, ch *agent.Channel, chunks bool) (events []agent.Event, err error) {
	t.Helper()
	for e, wrong := range ch.Steps(chunks) {
		if wrong != nil {
			err = wrong
			continue
		}
		events = append(events, e)
		if call, ok := e.(agent.ClientCall); ok {
			c.answer(t, ch, call)
		}
	}
	return events, err
}

func (c Client) answer(t testing.TB, ch *agent.Channel, call agent.ClientCall) {
	t.Helper()
	answer := c[call.Name]
	if answer == nil {
		answer = c[""]
	}
	if answer == nil {
		t.Errorf("agenttest: call %s of %s has no answer", call.ID, call.Name)
		answer = Refuse("nobody answers")
	}
	if err := ch.Input(answer(call)); err != nil {
		t.Errorf("agenttest: call %s of %s: %v", call.ID, call.Name, err)
	}
}

// Output returns the result at the end of events, or "" if there is none.
func Output(events []agent.Event) string {
	if len(events) == 0 {
		return ""
	}
	final, ok := events[len(events)-1].(agent.FinalResult)
	if !ok {
		return ""
	}
	return string(final.Output)
}

// Transcript writes one event on each line, and then how the run ended, for golden files.
func Transcript(t testing.TB, events []agent.Event, end error) string {
	t.Helper()
	var b strings.Builder
	for _, e := range events {
		if reader, ok := e.(*agent.StepReader); ok {
			step, err := reader.Step()
			if err != nil {
				fmt.Fprintf(&b, "step %d cut: %v\n", reader.N(), err)
				continue
			}
			e = step
		}
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n", strings.TrimPrefix(fmt.Sprintf("%T", e), "agent."), raw)
	}
	if end != nil {
		fmt.Fprintf(&b, "error %v\n", end)
	}
	return b.String()
}
