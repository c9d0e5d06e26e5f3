package agent

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// ModelSetup is the model of an agent and how the agent uses it, for NewReAct and NewPlanner.
type ModelSetup struct {
	Model Model
	// Instructions are the system prompt: the owner's words on the purpose of the agent. They must
	// not contain a stranger's text. Inputs, context, descriptions of tools and results are shown
	// as data, by Quote.
	Instructions string
	// Native offers tools by the server's own API, until it returns ErrTools. Otherwise, and after
	// that, the model calls tools by JSON that a schema constrains, which also works with small
	// local models.
	Native bool
	// Quote returns data for the model, under a name that the agent chose, such as "input" or
	// "result of call 3 (search)". Raw is one line of JSON. If Quote is nil, the model sees the
	// name and the line. A judge adds random delimiters and removes hidden characters here.
	Quote func(name string, raw json.RawMessage) string
}

const (
	maxInstructions = 64 << 10 // bytes
	maxTokens       = 32768    // of an answer, as Prompt.MaxTokens
)

// Validate returns an error that names the problem.
func (m ModelSetup) Validate() error {
	switch {
	case m.Model == nil:
		return bad("no model")
	case len(m.Instructions) > maxInstructions || !utf8.ValidString(m.Instructions):
		return bad("the instructions are not UTF-8 of at most %d bytes", maxInstructions)
	}
	return nil
}

func (m ModelSetup) quote(name string, raw json.RawMessage) string {
	if m.Quote != nil {
		return m.Quote(name, raw)
	}
	return name + ":\n" + string(raw)
}

// samplingParams are the parameters of agents with a model.
type samplingParams struct {
	Temperature float64 `json:"temperature"`
	Seed        int64   `json:"seed"`
	MaxTokens   int     `json:"max_tokens"` // of one answer; 0: 1024
}

const samplingForm = `{"type":["object","null"],"properties":{` +
	`"temperature":{"type":"number","minimum":0,"maximum":2},` +
	`"seed":{"type":"integer","minimum":0,"maximum":9007199254740991},` +
	`"max_tokens":{"type":"integer","minimum":0,"maximum":32768}},"additionalProperties":false}`

// SamplingForm is the JSON Schema of the parameters of agents with a model.
func SamplingForm() json.RawMessage { return json.RawMessage(samplingForm) }

// sampling reads the parameters of a run, which satisfy samplingForm.
func sampling(params json.RawMessage) (samplingParams, error) {
	var s samplingParams
	if err := json.Unmarshal(params, &s); err != nil {
		return s, bad("the parameters: %w", err)
	}
	if s.MaxTokens == 0 {
		s.MaxTokens = 1024
	}
	if s.MaxTokens > maxTokens {
		return s, fmt.Errorf("%w: %d tokens", ErrLimit, s.MaxTokens)
	}
	return s, nil
}
