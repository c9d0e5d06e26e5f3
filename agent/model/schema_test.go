package model

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ojud/agent"
)

// TestSchemaSent: the whole schema goes with the call. langchaingo would take one per client and
// drop most of it.
func TestSchemaSent(t *testing.T) {
	s := serve(t, says(` {"accept": true} `))
	l := opened(t, config(entry(s)))
	p := question(withSchema)
	p.Schema = []byte(`{"type":"object","properties":{"n":{"type":["integer","null"],"minimum":9007199254740993,"pattern":"<>"}},"anyOf":[{}]}`)
	same(t, "text", ask(t, l, p).Text, `{"accept": true}`)
	ask(t, l, question(withSchema))
	ask(t, l, question())
	got := s.requests()
	same(t, "first", got[0].said("response_format"), `{"json_schema":{"name":"answer","schema":{"type":"object","properties":{"n":{"type":["integer","null"],`+
		`"minimum":9007199254740993,"pattern":"\u003c\u003e"}},"anyOf":[{}]},"strict":true},"type":"json_schema"}`)
	same(t, "second", got[1].said("response_format"), `{"json_schema":{"name":"answer","schema":`+string(schema)+`,"strict":true},"type":"json_schema"}`)
	same(t, "third", got[2].said("response_format"), "")
}

// TestSchemaPlain: llama.cpp refuses true as a part of a schema, in an answer's and in a tool's.
func TestSchemaPlain(t *testing.T) {
	s := serve(t, says(`{}`), says(`{}`))
	l := opened(t, config(entry(s, canCall)))
	p := question(withSchema)
	p.Schema = []byte(`{"properties":{"any":true}}`)
	ask(t, l, p)
	p = question()
	p.Tools = []agent.Repr{{Name: "try", InputSchema: p.Schema}, {Name: "prove", InputSchema: []byte(`{"properties":{"right":true}}`)}}
	ask(t, l, p)
	got := s.requests()
	same(t, "answer", got[0].said("response_format"), `{"json_schema":{"name":"answer","schema":{"properties":{"any":{}}},"strict":true},"type":"json_schema"}`)
	if tools := got[1].said("tools"); !strings.Contains(tools, `{"properties":{"right":{}}}`) {
		t.Error(tools)
	}
}

// TestSchemaLowered: a server without schemas is asked for JSON, and if that fails, in words. The
// form that worked is remembered for that schema.
func TestSchemaLowered(t *testing.T) {
	refuses := failure(400, "response_format is not supported")
	s := serve(t, refuses, refuses, says(`{"accept":true}`))
	l := opened(t, config(entry(s)))
	reply := ask(t, l, question(withSchema))
	same(t, "calls", reply.Usage.Calls, 3)
	same(t, "prompt tokens", reply.Usage.Prompt, 10)
	ask(t, l, question(withSchema))
	got := s.requests()
	same(t, "requests", len(got), 4)
	same(t, "second", got[1].said("response_format"), `{"type":"json_object"}`)
	same(t, "third", got[2].said("response_format"), "")
	want := `[{"role":"system","content":"You judge.\n\nAnswer with one JSON value that satisfies the following JSON Schema, and with nothing before or after it:\n` +
		`{\"type\":\"object\",\"properties\":{\"accept\":{\"type\":\"boolean\"}},\"required\":[\"accept\"],\"additionalProperties\":false}"},{"role":"user","content":"Well?"}]`
	for _, i := range []int{1, 2, 3} {
		same(t, "messages", got[i].said("messages"), want)
	}
	same(t, "remembered", got[3].said("response_format"), "")
}

// TestRefusedForGood: if a server refuses every form, the call is refused and nothing is learnt:
// the cause was something else.
func TestRefusedForGood(t *testing.T) {
	refuses := failure(400, "the prompt is longer than 2048")
	s := serve(t, refuses, refuses, refuses, says(`{"accept":true}`))
	l := opened(t, config(entry(s)))
	if _, err := l.Generate(soon(t, 20*time.Second), question(withSchema)); !errors.Is(err, agent.ErrRefused) {
		t.Fatal(err)
	}
	ask(t, l, question(withSchema))
	got := s.requests()
	same(t, "requests", len(got), 4)
	if got[3].said("response_format") == "" {
		t.Error("the schema is not sent any more")
	}
}

// TestTemperature: models that take no temperature are asked without it.
func TestTemperature(t *testing.T) {
	s := serve(t, failure(400, "Unsupported value: 'temperature' does not support 0 with this model."), says("yes"))
	l := opened(t, config(entry(s)))
	ask(t, l, question())
	ask(t, l, question())
	got := s.requests()
	same(t, "requests", len(got), 3)
	same(t, "first", got[0].said("temperature"), "0")
	same(t, "others", got[1].said("temperature")+got[2].said("temperature"), "")
}

// TestMaxTokens: the bound has the name that the server knows, also for Ollama. The entry's bound
// holds.
func TestMaxTokens(t *testing.T) {
	for _, change := range []func(*Endpoint){func(e *Endpoint) { e.LegacyMaxTokens = true }, func(e *Endpoint) { e.Provider = ollama }} {
		s := serve(t, says("yes"))
		ask(t, opened(t, config(entry(s, change))), question())
		same(t, "old name", s.requests()[0].said("max_tokens"), "100")
		same(t, "new name", s.requests()[0].said("max_completion_tokens"), "")
	}
	s := serve(t, says("yes"))
	ask(t, opened(t, config(entry(s, func(e *Endpoint) { e.MaxTokens = 50 }))), question())
	same(t, "bound of the entry", s.requests()[0].said("max_completion_tokens"), "50")
}

// TestGoogle: Google's models are asked at its OpenAI-compatible endpoint, with its answers.
func TestGoogle(t *testing.T) {
	same(t, "home", (Endpoint{Provider: google}).whole().URL, "https://generativelanguage.googleapis.com/v1beta/openai")
	s := serve(t, raw(`{"choices":[{"finish_reason":"stop","index":0,"message":{"content":"{\"accept\":true}","role":"assistant",
		"extra_content":{"google":{"thought_signature":"x"}}}}],"created":1,"id":"x","model":"gemini","object":"chat.completion",
		"usage":{"completion_tokens":5,"prompt_tokens":10,"total_tokens":215}}`))
	l := opened(t, config(entry(s, func(e *Endpoint) { e.Provider, e.URL = google, s.URL+"/v1beta/openai" })))
	same(t, "text", ask(t, l, question(withSchema)).Text, `{"accept":true}`)
	same(t, "path", s.requests()[0].path, "/v1beta/openai/chat/completions")
	same(t, "key", s.requests()[0].header.Get("Authorization"), "Bearer "+secret)
}
