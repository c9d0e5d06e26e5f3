package model

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
)

// anthropicDialect is the messages API: https://docs.anthropic.com/en/api/messages.
type anthropicDialect struct{}

func (anthropicDialect) client(e Endpoint, d doer) (llms.Model, error) {
	return anthropic.New(anthropic.WithHTTPClient(d), anthropic.WithToken(placeholder), anthropic.WithBaseURL(e.URL), anthropic.WithModel(e.Model))
}

// exactly carries an input of a tool as text through langchaingo, which would round its numbers.
type exactly struct {
	Text string `json:"text"`
}

// messages implements dialect. langchaingo sends only the first part of a message, so each part
// becomes a message. The API joins consecutive messages of one role.
func (anthropicDialect) messages(c *call) []llms.MessageContent {
	var out []llms.MessageContent
	for _, m := range speak(c) {
		for _, part := range m.Parts {
			if made, ok := part.(llms.ToolCall); ok {
				made.FunctionCall = &llms.FunctionCall{Name: made.FunctionCall.Name, Arguments: exact(json.RawMessage(made.FunctionCall.Arguments))}
				part = made
			}
			out = append(out, llms.MessageContent{Role: m.Role, Parts: []llms.ContentPart{part}})
		}
	}
	return out
}

func exact(input json.RawMessage) string {
	raw, err := json.Marshal(exactly{string(input)})
	if err != nil {
		panic(err) // a string can be encoded
	}
	return string(raw)
}

func (anthropicDialect) options(_ Endpoint, c *call) []llms.CallOption {
	return append(common(c), llms.WithTemperature(min(c.prompt.Temperature, 1))) // the API's most
}

// edit implements dialect. The API has no mode between a schema and none.
func (anthropicDialect) edit(body map[string]json.RawMessage, c *call) error {
	if c.fixed {
		delete(body, "temperature")
	}
	if c.schema == schemaJSON {
		format := map[string]any{"format": map[string]any{"type": "json_schema", "schema": c.prompt.Schema}}
		if err := put(body, "output_config", format); err != nil {
			return err
		}
	}
	var messages []struct {
		Role    string                       `json:"role"`
		Content []map[string]json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(body["messages"], &messages); err != nil {
		return err
	}
	for _, m := range messages {
		for _, block := range m.Content {
			if err := unwrap(block); err != nil {
				return err
			}
		}
	}
	return put(body, "messages", messages)
}

// unwrap restores an exact input.
func unwrap(block map[string]json.RawMessage) error {
	if string(block["type"]) != `"tool_use"` {
		return nil
	}
	var wrapped exactly
	if err := json.Unmarshal(block["input"], &wrapped); err != nil {
		return err
	}
	block["input"] = json.RawMessage(wrapped.Text)
	return nil
}

func (anthropicDialect) authorize(h http.Header, key string) { h.Set("X-Api-Key", key) }

func (anthropicDialect) spent(info map[string]any) (prompt, completion int) {
	prompt, _ = info["InputTokens"].(int)
	completion, _ = info["OutputTokens"].(int)
	return prompt, completion
}

func (anthropicDialect) input(arguments string) json.RawMessage {
	var wrapped exactly
	if err := json.Unmarshal([]byte(arguments), &wrapped); err != nil {
		return json.RawMessage(arguments) // no object, so it will be refused
	}
	return json.RawMessage(wrapped.Text)
}

// The parts of the API's answers that are read.
type (
	answered struct {
		Content []block `json:"content"`
		Stop    string  `json:"stop_reason"`
		Usage   struct {
			Input  count `json:"input_tokens"`
			Output count `json:"output_tokens"`
			Cached count `json:"cache_read_input_tokens,omitempty"`
			Caches count `json:"cache_creation_input_tokens,omitempty"`
		} `json:"usage"`
	}
	block struct {
		Type  string          `json:"type"`
		Text  string          `json:"text,omitempty"`
		ID    string          `json:"id,omitempty"`
		Name  string          `json:"name,omitempty"`
		Input json.RawMessage `json:"input,omitempty"`
	}
)

// tidy implements dialect. It keeps texts and calls only, because langchaingo fails on unknown
// kinds of content, and keeps inputs exact. Cached tokens count as prompt tokens, because the API
// does not include them in input_tokens.
func (anthropicDialect) tidy(answer []byte) ([]byte, error) {
	var a answered
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, err
	}
	var kept []block
	for _, b := range a.Content {
		switch b.Type {
		case "text":
			kept = append(kept, block{Type: b.Type, Text: b.Text})
		case "tool_use":
			input := bytes.TrimSpace(b.Input)
			kept = append(kept, block{Type: b.Type, ID: b.ID, Name: b.Name, Input: json.RawMessage(exact(input))})
		}
	}
	if len(kept) == 0 {
		kept = []block{{Type: "text"}} // without content, langchaingo loses the reason why the model stopped
	}
	a.Content = kept
	a.Usage.Input, a.Usage.Cached, a.Usage.Caches = min(a.Usage.Input+a.Usage.Cached+a.Usage.Caches, maxCount), 0, 0
	return json.Marshal(a)
}
