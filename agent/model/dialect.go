package model

import (
	"encoding/json"
	"net/http"

	"github.com/tmc/langchaingo/llms"

	"ojud/agent"
	jsonschema "ojud/schema"
)

// doer is the HTTP client of langchaingo's clients.
type doer interface {
	Do(r *http.Request) (*http.Response, error)
}

// dialect is the way to use one kind of server through langchaingo, with the fixes that this needs.
type dialect interface {
	// client makes langchaingo's client for one request.
	client(e Endpoint, d doer) (llms.Model, error)
	// messages returns the prompt's messages, with the system text first.
	messages(c *call) []llms.MessageContent
	// options returns the other options of the request.
	options(e Endpoint, c *call) []llms.CallOption
	// edit adds the parts of the request that langchaingo cannot express.
	edit(body map[string]json.RawMessage, c *call) error
	// stream asks for the answer in pieces.
	stream(body map[string]json.RawMessage) error
	// pieces joins an answer that comes in pieces.
	pieces() pieces
	// tidy converts an answer to the form that langchaingo reads without loss.
	tidy(answer []byte) ([]byte, error)
	// authorize puts a key into a header.
	authorize(h http.Header, key string)
	// spent returns the tokens of prompt and answer.
	spent(info map[string]any) (prompt, completion int)
	// input returns the input of a tool from the form that tidy made.
	input(arguments string) json.RawMessage
}

// placeholder is a key for langchaingo, which insists on one.
const placeholder = "none"

func dialectOf(provider string) dialect {
	if provider == providerAnthropic {
		return anthropicDialect{}
	}
	return openaiDialect{}
}

// speak makes langchaingo's messages. An assistant's text and calls are parts of one message.
func speak(c *call) []llms.MessageContent {
	var out []llms.MessageContent
	if system := system(c); system != "" {
		out = append(out, llms.TextParts(llms.ChatMessageTypeSystem, system))
	}
	for _, m := range c.prompt.Messages {
		switch m.Role {
		case agent.User:
			out = append(out, llms.TextParts(llms.ChatMessageTypeHuman, m.Text))
		case agent.Assistant:
			out = append(out, assistant(c, m))
		case agent.ToolRole:
			out = append(out, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{
				ToolCallID: plainID(m.Result.ID), Name: c.names.spell(m.Result.Name), Content: told(*m.Result)}}})
		}
	}
	return out
}

// system returns the system text. If the server cannot enforce the schema, the text asks for it.
func system(c *call) string {
	if c.schema != schemaObject && c.schema != schemaPrompt {
		return c.prompt.System
	}
	demand := "Answer with one JSON value that satisfies the following JSON Schema, and with nothing before or after it:\n" + string(c.prompt.Schema)
	if c.prompt.System == "" {
		return demand
	}
	return c.prompt.System + "\n\n" + demand
}

func assistant(c *call, m agent.Message) llms.MessageContent {
	out := llms.MessageContent{Role: llms.ChatMessageTypeAI}
	if m.Text != "" {
		out.Parts = append(out.Parts, llms.TextContent{Text: m.Text})
	}
	for _, made := range m.Calls {
		out.Parts = append(out.Parts, llms.ToolCall{ID: plainID(made.ID), Type: "function",
			FunctionCall: &llms.FunctionCall{Name: c.names.spell(made.Name), Arguments: string(made.Input)}})
	}
	return out
}

func told(r agent.ToolResult) string {
	if r.Error == "" && r.Output != nil {
		return string(r.Output)
	}
	text, err := json.Marshal(map[string]string{"error": r.Error})
	if err != nil {
		panic(err) // a map of strings can be encoded
	}
	return string(text)
}

func tools(c *call) []llms.Tool {
	var out []llms.Tool
	for _, t := range c.prompt.Tools {
		form := t.InputSchema
		if form == nil {
			form = json.RawMessage(`{"type":"object"}`)
		}
		out = append(out, llms.Tool{Type: "function",
			Function: &llms.FunctionDefinition{Name: c.names.spell(t.Name), Description: t.Description, Parameters: jsonschema.Plain(form)}})
	}
	return out
}

// common returns the options that every provider knows.
func common(c *call) []llms.CallOption {
	out := []llms.CallOption{llms.WithMaxTokens(c.tokens), llms.WithTemperature(c.prompt.Temperature)}
	if len(c.prompt.Tools) > 0 {
		out = append(out, llms.WithTools(tools(c)))
	}
	return out
}

// put writes a member of a request.
func put(body map[string]json.RawMessage, name string, value any) error {
	raw, err := json.Marshal(value)
	body[name] = raw
	return err
}
