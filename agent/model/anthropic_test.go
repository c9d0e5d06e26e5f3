package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"ojud/agent"
)

func anthropicEntry(s *server) Endpoint {
	return entry(s, canCall, func(e *Endpoint) { e.Provider = providerAnthropic })
}

// claude answers as Anthropic does.
func claude(content, stop string) behaviour {
	return raw(fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":%s,"stop_reason":%q,"stop_sequence":null,
		"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":5,"service_tier":"standard"}}`, content, stop))
}

// TestAnthropic checks the messages API, with its schema, its version and its key.
func TestAnthropic(t *testing.T) {
	s := serve(t, claude(`[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"redacted_thinking","data":"x"},{"type":"text","text":"{\"accept\":"},
		{"type":"text","text":"true}"}]`, "end_turn"))
	reply := ask(t, opened(t, config(anthropicEntry(s))), question(withSchema, func(p *agent.Prompt) { p.Temperature, p.Seed = 1.5, 7 }))
	same(t, "text", reply.Text, `{"accept":true}`)
	same(t, "usage", [4]int{reply.Usage.Calls, reply.Usage.Prompt, reply.Usage.Completion, int(reply.Usage.Cost)}, [4]int{1, 10, 5, 20})
	got := s.requests()[0]
	same(t, "path", got.path, "/v1/messages")
	same(t, "key", got.header.Get("X-Api-Key")+got.header.Get("Authorization"), secret)
	same(t, "version", got.header.Get("Anthropic-Version"), "2023-06-01")
	same(t, "request", encode(t, got.body), `{"max_tokens":100,"messages":[{"role":"user","content":[{"text":"Well?","type":"text"}]}],"model":"served",`+
		`"output_config":{"format":{"schema":`+string(schema)+`,"type":"json_schema"}},"system":"You judge.","temperature":1}`)
}

// TestAnthropicTools checks several calls in one turn, with text and with numbers that a float
// cannot hold, in both directions.
func TestAnthropicTools(t *testing.T) {
	s := serve(t, claude(`[{"type":"text","text":"Let me see."},{"type":"tool_use","id":"toolu_1","name":"posts_read","input":{"id":9007199254740993}},
		{"type":"tool_use","id":"toolu_2","name":"posts_read_2","input":{}}]`, "tool_use"), claude(`[{"type":"text","text":"done"}]`, "end_turn"))
	l := opened(t, config(anthropicEntry(s)))
	p := question(withTools)
	reply := ask(t, l, p)
	same(t, "text", reply.Text, "Let me see.")
	same(t, "calls", encode(t, reply.Calls),
		`[{"id":"toolu_1","name":"posts.read","input":{"id":9007199254740993}},{"id":"toolu_2","name":"posts:read","input":{}}]`)
	p.Messages = append(p.Messages, agent.Message{Role: agent.Assistant, Text: reply.Text, Calls: reply.Calls},
		agent.Message{Role: agent.ToolRole, Result: &agent.ToolResult{ID: "toolu_1", Name: "posts.read", Output: json.RawMessage(`9007199254740993`)}},
		agent.Message{Role: agent.ToolRole, Result: &agent.ToolResult{ID: "toolu_2", Name: "posts:read", Error: "none"}})
	same(t, "text", ask(t, l, p).Text, "done")
	got := s.requests()
	same(t, "tools", got[0].said("tools"), `[{"name":"posts_read","description":"reads","input_schema":{"type":"object","properties":{"id":{"type":"integer"}}}},`+
		`{"name":"posts_read_2","description":"reads too","input_schema":{"type":"object"}}]`)
	same(t, "messages", got[1].said("messages"), `[{"role":"user","content":[{"text":"Well?","type":"text"}]},`+
		`{"role":"assistant","content":[{"text":"Let me see.","type":"text"}]},`+
		`{"role":"assistant","content":[{"id":"toolu_1","input":{"id":9007199254740993},"name":"posts_read","type":"tool_use"}]},`+
		`{"role":"assistant","content":[{"id":"toolu_2","input":{},"name":"posts_read_2","type":"tool_use"}]},`+
		`{"role":"user","content":[{"content":"9007199254740993","tool_use_id":"toolu_1","type":"tool_result"}]},`+
		`{"role":"user","content":[{"content":"{\"error\":\"none\"}","tool_use_id":"toolu_2","type":"tool_result"}]}]`)
}

// TestAnthropicFaults: the same faults as with the other API.
func TestAnthropicFaults(t *testing.T) {
	for name, test := range map[string]struct {
		does behaviour
		want error
	}{
		"cut":          {claude(`[{"type":"text","text":"yes"}]`, "max_tokens"), agent.ErrGarbled},
		"refusal":      {claude(`[]`, "refusal"), agent.ErrRefused},
		"nothing":      {claude(`[]`, "end_turn"), agent.ErrGarbled},
		"null":         {raw(`null`), agent.ErrGarbled},
		"null content": {claude(`[null]`, "end_turn"), agent.ErrGarbled},
		"input":        {claude(`[{"type":"tool_use","id":"a","name":"f","input":7}]`, "tool_use"), agent.ErrGarbled},
		"no input":     {claude(`[{"type":"tool_use","id":"a","name":"f"}]`, "tool_use"), agent.ErrGarbled},
		"overloaded":   {status(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), agent.ErrBusy},
		"401":          {status(401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`), agent.ErrRefused},
	} {
		t.Run(name, func(t *testing.T) {
			l := opened(t, config(anthropicEntry(serve(t, test.does))))
			if reply, err := l.Generate(soon(t, 20*time.Second), question(withTools)); !errors.Is(err, test.want) {
				t.Errorf("reply %+v, error %v, want %v", reply, err, test.want)
			}
		})
	}
}

// TestAnthropicLowered: the API has no JSON mode between a schema and none.
func TestAnthropicLowered(t *testing.T) {
	s := serve(t, status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"output_config: minLength is not supported"}}`),
		claude("[{\"type\":\"text\",\"text\":\"```json\\n{\\\"accept\\\":true}\\n```\"}]", "end_turn"))
	same(t, "text", ask(t, opened(t, config(anthropicEntry(s))), question(withSchema)).Text, `{"accept":true}`)
	same(t, "requests", len(s.requests()), 2)
	same(t, "format", s.requests()[1].said("output_config"), "")
}
