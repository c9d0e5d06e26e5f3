package agent

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// ModelSetup is what an agent thinks with, for NewReAct and NewPlanner.
type ModelSetup struct {
	Model Model
	// Instructions are the system prompt: what the agent is for, in the words of its owner. No stranger's text belongs there; inputs, context,
	// descriptions of tools and results are shown as data, by Quote.
	Instructions string
	// Native offers tools the way the model's server does, until it says ErrTools. Otherwise, and after that, the model calls them by JSON that a
	// schema constrains, which small local models can, too.
	Native bool
	// Quote shows data to the model, under a name of the agent's own choice such as "input" or "result of call 3 (search)". Raw is one line of
	// JSON. nil: the name and the line. A judge marks data with random delimiters and takes out hidden characters here.
	Quote func(name string, raw json.RawMessage) string
}

const (
	maxInstructions = 64 << 10 // bytes
	maxTokens       = 32768    // of an answer, as Prompt.MaxTokens
)

// Validate reports what is wrong with a mind.
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

// Sampling are the parameters of agents with a mind.
type Sampling struct {
	Temperature float64 `json:"temperature"`
	Seed        int64   `json:"seed"`
	MaxTokens   int     `json:"max_tokens"` // of one answer; 0: 1024
}

// samplingForm is the schema of Sampling.
const samplingForm = `{"type":["object","null"],"properties":{` +
	`"temperature":{"type":"number","minimum":0,"maximum":2},` +
	`"seed":{"type":"integer","minimum":0,"maximum":9007199254740991},` +
	`"max_tokens":{"type":"integer","minimum":0,"maximum":32768}},"additionalProperties":false}`

// sampling reads the parameters of a run, which satisfy samplingForm.
func sampling(params json.RawMessage) (Sampling, error) {
	var s Sampling
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
