package agenttest

import (
	"encoding/json"
	"fmt"
	"regexp"

	"ojud/agent"
)

var callID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// Check returns an error if model servers would refuse a prompt. The user must speak first,
// speakers must take turns, no message may be empty, and every call needs its own id, an object as
// input, and a result.
func Check(p agent.Prompt) error {
	if len(p.Messages) == 0 || p.Messages[0].Role != agent.User {
		return fmt.Errorf("the user does not speak first")
	}
	if p.MaxTokens < 1 || p.MaxTokens > 32768 || p.Temperature < 0 || p.Temperature > 2 || p.Seed < 0 {
		return fmt.Errorf("sampling is out of bounds: %+v", p)
	}
	c := conversation{open: map[string]bool{}, seen: map[string]bool{}}
	for i, m := range p.Messages {
		if err := c.message(m); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	if len(c.open) > 0 {
		return fmt.Errorf("%d calls have no result", len(c.open))
	}
	return nil
}

type conversation struct {
	last       agent.Role
	open, seen map[string]bool
}

func (c *conversation) message(m agent.Message) error {
	if m.Role == c.last && m.Role != agent.ToolRole {
		return fmt.Errorf("%s speaks twice", m.Role)
	}
	c.last = m.Role
	switch {
	case m.Role == agent.ToolRole:
		return c.result(m)
	case m.Text == "" && len(m.Calls) == 0:
		return fmt.Errorf("%s says nothing", m.Role)
	case m.Role == agent.User && (len(m.Calls) > 0 || len(c.open) > 0):
		return fmt.Errorf("the user calls, or speaks before a call has its result")
	}
	return c.calls(m.Calls)
}

func (c *conversation) result(m agent.Message) error {
	if m.Result == nil || !c.open[m.Result.ID] {
		return fmt.Errorf("a result of no call: %+v", m.Result)
	}
	delete(c.open, m.Result.ID)
	if m.Result.Output != nil && !json.Valid(m.Result.Output) {
		return fmt.Errorf("the result of call %s is no JSON", m.Result.ID)
	}
	return nil
}

func (c *conversation) calls(calls []agent.ToolCall) error {
	for _, call := range calls {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(call.Input, &object); err != nil || object == nil {
			return fmt.Errorf("the input of call %s is no object: %s", call.ID, call.Input)
		}
		if !callID.MatchString(call.ID) || c.seen[call.ID] {
			return fmt.Errorf("the id %q of a call", call.ID)
		}
		c.open[call.ID], c.seen[call.ID] = true, true
	}
	return nil
}
