package model

import (
	"encoding/json"
	"fmt"

	"ojud/agent"
)

const (
	maxPrompt   = 4 << 20 // bytes of all texts, schemas and tools
	maxMessages = 512
	maxTools    = 128
)

// call is one request to one model.
type call struct {
	prompt  agent.Prompt
	tokens  int    // limit of the answer
	schema  string // how the schema is enforced; "": there is none
	fixed   bool   // the server takes no temperature
	quiet   bool   // the server does not answer in pieces, or nobody hears them
	free    bool   // a text that is cut off is enough
	names   names
	attempt int // from 0
}

// check refuses prompts that no server could answer. Errors are agent.ErrRefused.
func check(p agent.Prompt) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: the prompt: %s", agent.ErrRefused, fmt.Sprintf(format, args...))
	}
	switch n := size(p); {
	case n > maxPrompt:
		return wrong("it has %d bytes; at most %d", n, maxPrompt)
	case len(p.Messages) < 1 || len(p.Messages) > maxMessages || p.Messages[0].Role != agent.User:
		return wrong("it has %d messages; give it 1 to %d, the user's first", len(p.Messages), maxMessages)
	case len(p.Tools) > maxTools:
		return wrong("it has %d tools; at most %d", len(p.Tools), maxTools)
	case p.MaxTokens < 1 || p.MaxTokens > mostTokens:
		return wrong("MaxTokens is %d; set it to 1 to %d", p.MaxTokens, mostTokens)
	case !(p.Temperature >= 0 && p.Temperature <= 2):
		return wrong("Temperature is %g; set it to 0 to 2", p.Temperature)
	case p.Seed < 0:
		return wrong("Seed is %d; set it to 0 or more", p.Seed)
	case p.Schema != nil && !json.Valid(p.Schema):
		return wrong("Schema is no JSON")
	}
	for i, m := range p.Messages {
		if what := checkMessage(m); what != "" {
			return wrong("message %d: %s", i, what)
		}
	}
	for _, t := range p.Tools {
		if t.Name == "" || t.InputSchema != nil && !json.Valid(t.InputSchema) {
			return wrong("tool %.64q has no name, or an InputSchema that is no JSON", t.Name)
		}
	}
	return nil
}

// checkMessage returns the problem of a message, or "".
func checkMessage(m agent.Message) string {
	switch m.Role {
	case agent.User:
		if m.Text == "" || m.Calls != nil || m.Result != nil {
			return "the user says a text, and nothing else"
		}
	case agent.Assistant:
		if m.Text == "" && len(m.Calls) == 0 || m.Result != nil {
			return "the assistant says a text or makes calls"
		}
	case agent.ToolRole:
		if m.Result == nil || m.Text != "" || m.Calls != nil {
			return "a tool has a result, and nothing else"
		}
	default:
		return fmt.Sprintf("no role %.20q", m.Role)
	}
	for _, c := range m.Calls {
		if object(c.Input) != nil {
			return fmt.Sprintf("the input of call %.64q is no JSON object", c.ID)
		}
	}
	if m.Result != nil && m.Result.Output != nil && !json.Valid(m.Result.Output) {
		return fmt.Sprintf("the output of call %.64q is no JSON", m.Result.ID)
	}
	return ""
}

func size(p agent.Prompt) int {
	n := len(p.System) + len(p.Schema)
	for _, m := range p.Messages {
		n += len(m.Text)
		for _, c := range m.Calls {
			n += len(c.Name) + len(c.Input)
		}
		if m.Result != nil {
			n += len(m.Result.Output) + len(m.Result.Error)
		}
	}
	for _, t := range p.Tools {
		n += len(t.Name) + len(t.Description) + len(t.InputSchema)
	}
	return n
}

// estimate estimates tokens: English has four bytes for each; three leaves room.
func estimate(bytes int) int { return (bytes + 2) / 3 }
