package model

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	jsonschema "ojud/schema"
)

// openaiDialect is the chat completions API, which most servers speak more or less.
type openaiDialect struct{}

// client sets every option, because the library reads missing ones from the environment.
func (openaiDialect) client(e Endpoint, d doer) (llms.Model, error) {
	return openai.New(openai.WithHTTPClient(d), openai.WithToken(placeholder), openai.WithBaseURL(e.URL), openai.WithModel(e.Model), openai.WithOrganization(""))
}

func (openaiDialect) messages(c *call) []llms.MessageContent { return speak(c) }

func (openaiDialect) options(e Endpoint, c *call) []llms.CallOption {
	out := common(c)
	if c.prompt.Seed != 0 {
		out = append(out, llms.WithSeed(int(c.prompt.Seed)))
	}
	if e.LegacyMaxTokens {
		out = append(out, openai.WithLegacyMaxTokensField())
	}
	return out
}

func (openaiDialect) edit(body map[string]json.RawMessage, c *call) error {
	if c.fixed {
		delete(body, "temperature")
	}
	switch c.schema {
	case schemaJSON:
		return put(body, "response_format", map[string]any{"type": "json_schema",
			"json_schema": map[string]any{"name": "answer", "strict": true, "schema": jsonschema.Plain(c.prompt.Schema)}})
	case schemaObject:
		return put(body, "response_format", map[string]string{"type": "json_object"})
	}
	return nil
}

func (openaiDialect) authorize(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

func (openaiDialect) spent(info map[string]any) (prompt, completion int) {
	prompt, _ = info["PromptTokens"].(int)
	completion, _ = info["CompletionTokens"].(int)
	return prompt, completion
}

func (openaiDialect) input(arguments string) json.RawMessage {
	if strings.TrimSpace(arguments) == "" {
		return json.RawMessage("{}") // some servers send this for a tool without parameters
	}
	return json.RawMessage(arguments)
}

// The parts of the API's answers that are read.
type (
	completion struct {
		Choices []choice `json:"choices"`
		Usage   usage    `json:"usage"`
	}
	choice struct {
		Message      message `json:"message"`
		FinishReason string  `json:"finish_reason"`
	}
	message struct {
		Role    string   `json:"role"`
		Content content  `json:"content"`
		Calls   []called `json:"tool_calls,omitempty"`
	}
	called struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	}
	usage struct {
		Prompt     count `json:"prompt_tokens"`
		Completion count `json:"completion_tokens"`
	}
	content   string // a text, null, or a list of parts
	arguments string // the text of an object, or the object
	count     int64  // of tokens; 0 if it is not a whole number
)

// tidy implements dialect. It reads the first choice, and the other forms that servers are known to
// write: content as a list of parts, arguments as an object, null.
func (openaiDialect) tidy(answer []byte) ([]byte, error) {
	var c completion
	if err := json.Unmarshal(answer, &c); err != nil {
		return nil, err
	}
	c.Choices = c.Choices[:min(len(c.Choices), 1)]
	for i := range c.Choices {
		for j := range c.Choices[i].Message.Calls {
			c.Choices[i].Message.Calls[j].Type = "function"
		}
	}
	return json.Marshal(c)
}

func (c *content) UnmarshalJSON(raw []byte) error {
	if !bytes.HasPrefix(raw, []byte("[")) {
		return json.Unmarshal(raw, (*string)(c))
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		if p.Type == "text" {
			*c += content(p.Text)
		}
	}
	return nil
}

func (a *arguments) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte("{")) {
		*a = arguments(raw)
		return nil
	}
	return json.Unmarshal(raw, (*string)(a))
}

func (c *count) UnmarshalJSON(raw []byte) error {
	if n, err := json.Number(raw).Int64(); err == nil && n > 0 {
		*c = count(min(n, maxCount))
	}
	return nil
}

// maxCount bounds the tokens that an answer can claim.
const maxCount = 100_000_000
