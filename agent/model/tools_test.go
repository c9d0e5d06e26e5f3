package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ojud/agent"
)

// TestTools: tools are described, called and answered. Their names are spelled as servers allow and
// come back as in the prompt (fault 8 among others: Ollama is asked this way, too).
func TestTools(t *testing.T) {
	s := serve(t, calls("posts_read", `"{\"id\":9007199254740993}"`, "posts_read_2", `""`), says("done"))
	l := opened(t, config(entry(s, canCall, func(e *Endpoint) { e.Provider = ollama })))
	p := question(withTools)
	reply := ask(t, l, p)
	same(t, "calls", encode(t, reply.Calls),
		`[{"id":"c0","name":"posts.read","input":{"id":9007199254740993}},{"id":"c1","name":"posts:read","input":{}}]`)
	p.Messages = append(p.Messages, agent.Message{Role: agent.Assistant, Text: "Let me see.", Calls: reply.Calls},
		agent.Message{Role: agent.ToolRole, Result: &agent.ToolResult{ID: "c0", Name: "posts.read", Output: json.RawMessage(`{"text":"hi"}`)}},
		agent.Message{Role: agent.ToolRole, Result: &agent.ToolResult{ID: "c1", Name: "posts:read", Error: "no such post"}})
	same(t, "text", ask(t, l, p).Text, "done")
	got := s.requests()
	same(t, "tools", got[0].said("tools"), `[{"type":"function","function":{"name":"posts_read","description":"reads","parameters":{"type":"object",`+
		`"properties":{"id":{"type":"integer"}}}}},{"type":"function","function":{"name":"posts_read_2","description":"reads too","parameters":{"type":"object"}}}]`)
	same(t, "messages", got[1].said("messages"), `[{"role":"system","content":"You judge."},{"role":"user","content":"Well?"},`+
		`{"role":"assistant","content":"Let me see.","tool_calls":[{"id":"c0","type":"function","function":{"name":"posts_read","arguments":"{\"id\":9007199254740993}"}},`+
		`{"id":"c1","type":"function","function":{"name":"posts_read_2","arguments":"{}"}}]},`+
		`{"role":"tool","content":"{\"text\":\"hi\"}","tool_call_id":"c0"},{"role":"tool","content":"{\"error\":\"no such post\"}","tool_call_id":"c1"}]`)
}

// TestToolForms: calls in other forms than the API's are read, and each gets its own id (faults 4
// and 5, without streaming).
func TestToolForms(t *testing.T) {
	for name, test := range map[string]struct{ body, want string }{
		"object":     {`[{"id":"a","function":{"name":"f","arguments":{"x":1}}}]`, `[{"id":"a","name":"f","input":{"x":1}}]`},
		"no ids":     {`[{"function":{"name":"f","arguments":"{}"}},{"function":{"name":"g","arguments":"{}"}}]`, ``},
		"same ids":   {`[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"a","function":{"name":"g","arguments":"{}"}}]`, ``},
		"strange id": {`[{"id":"a b/` + strings.Repeat("c", 200) + `","function":{"name":"f","arguments":"{}"}}]`, ``},
		"unknown":    {`[{"id":"a","type":"function","function":{"name":"rm -rf","arguments":"{}"}}]`, `[{"id":"a","name":"rm -rf","input":{}}]`},
		"parallel": {`[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{\"y\":2}"}}]`,
			`[{"id":"a","name":"f","input":{"x":1}},{"id":"b","name":"g","input":{"y":2}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, raw(`{"choices":[{"message":{"tool_calls":`+test.body+`},"finish_reason":"tool_calls"}]}`))
			reply := ask(t, opened(t, config(entry(s, canCall))), question(withTools))
			if test.want != "" {
				same(t, "calls", encode(t, reply.Calls), test.want)
			}
			seen := map[string]bool{}
			for _, c := range reply.Calls {
				if seen[c.ID] || plainID(c.ID) != c.ID {
					t.Errorf("id %q", c.ID)
				}
				seen[c.ID] = true
			}
		})
	}
}

// TestToolFaults: a call that cannot be read is not made.
func TestToolFaults(t *testing.T) {
	var many []string
	for range maxCalls + 1 {
		many = append(many, "f", `"{}"`)
	}
	for name, does := range map[string]behaviour{
		"cut":      calls("f", `"{\"x\":"`),
		"no JSON":  calls("f", `"x=1"`),
		"a list":   calls("f", `"[1]"`),
		"a fence":  calls("f", "\"```json\\n{}\\n```\""),
		"thoughts": calls("f", `"<think></think>{}"`),
		"twice":    calls("f", `"{\"x\":1,\"x\":2}"`),
		"no name":  calls("", `"{}"`),
		"many":     calls(many...),
		"number":   raw(`{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":7}}]}}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			l := opened(t, config(entry(serve(t, does), canCall)))
			if reply, err := l.Generate(soon(t, 20*time.Second), question(withTools)); !errors.Is(err, agent.ErrGarbled) {
				t.Errorf("reply %+v, error %v", reply, err)
			}
		})
	}
}

// TestNoTools: a model that cannot call tools is not asked to. If that is not known yet, it is
// asked once.
func TestNoTools(t *testing.T) {
	s := serve(t, failure(400, `registry.ollama.ai/library/smollm does not support tools`), says("done"))
	l := opened(t, config(entry(s, canCall)))
	for range 3 {
		if _, err := l.Generate(soon(t, 20*time.Second), question(withTools)); !errors.Is(err, agent.ErrTools) || errors.Is(err, agent.ErrRefused) {
			t.Fatal(err)
		}
	}
	same(t, "requests", len(s.requests()), 1)
	ask(t, l, question())
	plain := serve(t, says("done"))
	if _, err := opened(t, config(entry(plain))).Generate(t.Context(), question(withTools)); !errors.Is(err, agent.ErrTools) {
		t.Error(err)
	}
	same(t, "requests", len(plain.requests()), 0)
	reply := ask(t, opened(t, config(entry(plain), entry(s, canCall, named("able")))), question(withTools))
	same(t, "who can", reply.Model, "able")
}

// TestToolsWithSchema: a grammar for the answer would forbid calls, so the prompt describes the
// schema in words. The answer must match it.
func TestToolsWithSchema(t *testing.T) {
	s := serve(t, says(`{"accept":true}`), says("I accept"), calls("posts_read", `"{}"`))
	l := opened(t, config(entry(s, canCall)))
	both := question(withTools, withSchema)
	same(t, "text", ask(t, l, both).Text, `{"accept":true}`)
	if _, err := l.Generate(soon(t, 20*time.Second), both); !errors.Is(err, agent.ErrGarbled) {
		t.Error(err)
	}
	same(t, "calls", len(ask(t, l, both).Calls), 1)
	got := s.requests()[0]
	if got.said("response_format") != "" || !strings.Contains(got.said("messages"), "JSON Schema") {
		t.Errorf("%s", got.body)
	}
}

// TestNames: if a server cannot tell two names of tools apart, they still stay distinct and come
// back.
func TestNames(t *testing.T) {
	var tools []agent.Repr
	long := strings.Repeat("a", 63)
	for _, name := range []string{"a.b", "a:b", "a_b", "a_b_2", long + ".", long + ":", long + "_", "ü"} {
		tools = append(tools, agent.Repr{Name: name})
	}
	n := newNames(tools)
	seen := map[string]bool{}
	for _, tool := range tools {
		spelled := n.spell(tool.Name)
		if seen[spelled] || len(spelled) > maxName || plainName(spelled) != spelled || n.read(spelled) != tool.Name {
			t.Errorf("%q is spelled %q, and read %q", tool.Name, spelled, n.read(spelled))
		}
		seen[spelled] = true
	}
	same(t, "unknown", n.read("x")+n.spell("y.z"), "xy_z")
}

// TestPromptsThatAreWrong: a prompt that no server could answer is refused before it costs
// anything.
func TestPromptsThatAreWrong(t *testing.T) {
	s := serve(t, says("yes"))
	l := opened(t, config(entry(s, canCall)))
	for name, change := range map[string]func(*agent.Prompt){
		"no messages":     func(p *agent.Prompt) { p.Messages = nil },
		"assistant first": func(p *agent.Prompt) { p.Messages = []agent.Message{{Role: agent.Assistant, Text: "hi"}} },
		"no role":         func(p *agent.Prompt) { p.Messages = append(p.Messages, agent.Message{Text: "hi"}) },
		"no text":         func(p *agent.Prompt) { p.Messages[0].Text = "" },
		"no result":       func(p *agent.Prompt) { p.Messages = append(p.Messages, agent.Message{Role: agent.ToolRole}) },
		"no input": func(p *agent.Prompt) {
			p.Messages = append(p.Messages, agent.Message{Role: agent.Assistant, Calls: []agent.ToolCall{{ID: "a", Name: "f"}}})
		},
		"no tokens":   func(p *agent.Prompt) { p.MaxTokens = 0 },
		"many tokens": func(p *agent.Prompt) { p.MaxTokens = mostTokens + 1 },
		"hot":         func(p *agent.Prompt) { p.Temperature = 2.1 },
		"seed":        func(p *agent.Prompt) { p.Seed = -1 },
		"schema":      func(p *agent.Prompt) { p.Schema = json.RawMessage(`{`) },
		"tool schema": func(p *agent.Prompt) { p.Tools = []agent.Repr{{Name: "f", InputSchema: json.RawMessage(`{`)}} },
		"long":        func(p *agent.Prompt) { p.System = strings.Repeat("x", maxPrompt) },
		"many":        func(p *agent.Prompt) { p.Tools = make([]agent.Repr, maxTools+1) },
	} {
		if _, err := l.Generate(t.Context(), question(change)); !errors.Is(err, agent.ErrRefused) || !strings.Contains(fmt.Sprint(err), "the prompt") {
			t.Errorf("%s: %v", name, err)
		}
	}
	same(t, "requests", len(s.requests()), 0)
}
