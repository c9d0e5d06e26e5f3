package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ojud/agent"
	"ojud/agent/model"
)

// teller answers in pieces. It says the next piece only when the one before was heard.
type teller struct {
	*httptest.Server
	asked []map[string]json.RawMessage
}

func newTeller(t *testing.T, answer func(w http.ResponseWriter, n int, say func(event string))) *teller {
	t.Helper()
	s := &teller{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		var body map[string]json.RawMessage
		if err = errors.Join(err, json.Unmarshal(raw, &body)); err != nil {
			t.Error(err)
			return
		}
		s.asked = append(s.asked, body)
		answer(w, len(s.asked), func(event string) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, err := fmt.Fprintf(w, "data: %s\n\n", event)
			if err == nil {
				err = http.NewResponseController(w).Flush()
			}
			if err != nil && r.Context().Err() == nil {
				t.Error(err)
			}
		})
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *teller) ladder(t *testing.T, provider string, change ...func(*model.Config)) *model.Ladder {
	t.Helper()
	cfg := model.DefaultConfig()
	cfg.Models = []model.Endpoint{{Name: "m", Provider: provider, URL: s.URL + "/v1", Model: "m"}}
	for _, c := range change {
		c(&cfg)
	}
	l, err := model.New(cfg, model.Deps{Env: func(string) (string, bool) { return "sk-verysecretkey", true }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func delta(text string) string {
	raw, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]string{"content": text}}}})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

const (
	stopped = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	spent   = `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5}}`
)

func hello(heard func(string)) agent.Prompt {
	return agent.Prompt{Messages: []agent.Message{{Role: agent.User, Text: "hello"}}, MaxTokens: 100, Heard: heard}
}

// TestStream: each piece of an answer is heard when the server says it, and the answer is the same
// as one that comes at once. Nobody who does not listen is answered in pieces.
func TestStream(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 100)
	s := newTeller(t, func(w http.ResponseWriter, n int, say func(string)) {
		if n > 1 {
			if _, err := io.WriteString(w, `{"choices":[{"message":{"content":"at once"},"finish_reason":"stop"}]}`); err != nil {
				t.Error(err)
			}
			return
		}
		if got := <-heard; got != "" {
			t.Errorf("the beginning is %q", got)
		}
		for _, word := range []string{"An ", "owl ", "sat."} {
			say(delta(word))
			if got := <-heard; got != word { // the server goes on when it was heard
				t.Errorf("heard %q, not %q", got, word)
			}
		}
		say(stopped)
		say(spent)
		say("[DONE]")
	})
	l := s.ladder(t, "openai")
	reply, err := l.Generate(t.Context(), hello(func(text string) { heard <- text }))
	if err != nil || reply.Text != "An owl sat." || reply.Usage.Prompt != 7 || reply.Usage.Completion != 5 {
		t.Errorf("%+v, %v", reply, err)
	}
	if len(heard) > 0 {
		t.Errorf("heard %q at the end", <-heard)
	}
	if reply, err := l.Generate(t.Context(), hello(nil)); err != nil || reply.Text != "at once" {
		t.Errorf("%+v, %v", reply, err)
	}
	if string(s.asked[0]["stream"]) != "true" || s.asked[1]["stream"] != nil {
		t.Errorf("stream is %s, and then %s", s.asked[0]["stream"], s.asked[1]["stream"])
	}
}

// TestStreamTools: calls of tools come in pieces, too, from both kinds of servers.
func TestStreamTools(t *testing.T) {
	t.Parallel()
	for provider, events := range map[string][]string{
		"openai": {
			delta("I look."), `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"look","arguments":"{\"at\""}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":\"oak\"}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, spent,
		},
		"anthropic": {
			`{"type":"message_start","message":{"usage":{"input_tokens":7,"output_tokens":1}}}`, `{"type":"ping"}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I "}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"look."}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c1","name":"look","input":{}}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"at\":"}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"oak\"}"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}`, `{"type":"message_stop"}`,
		},
	} {
		s := newTeller(t, func(_ http.ResponseWriter, _ int, say func(string)) {
			for _, e := range events {
				say(e)
			}
		})
		l := s.ladder(t, provider, func(c *model.Config) { c.Models[0].Tools = true })
		all := ""
		p := hello(func(text string) { all += text })
		p.Tools = []agent.Repr{{Name: "look", Description: "Looks", InputSchema: json.RawMessage(`{"type":"object"}`)}}
		reply, err := l.Generate(t.Context(), p)
		if err != nil || len(reply.Calls) != 1 || reply.Calls[0].Name != "look" || string(reply.Calls[0].Input) != `{"at":"oak"}` || reply.Text != "I look." || all != "I look." {
			t.Errorf("%s: %+v, %q, %v", provider, reply, all, err)
		}
		if reply.Usage.Prompt != 7 || reply.Usage.Completion != 5 {
			t.Errorf("%s: %+v", provider, reply.Usage)
		}
	}
}

// TestAttackStream: an answer in pieces that breaks off, is no form of the API, says an error, or
// has no end, is no answer; and a key that comes in pieces is not told.
func TestAttackStream(t *testing.T) {
	t.Parallel()
	for words, k := range map[string]struct {
		events []string
		want   error
	}{
		"it breaks off":          {[]string{delta("An owl")}, agent.ErrGarbled},
		"an error":               {[]string{delta("An owl"), `{"error":{"message":"out of memory"}}`}, agent.ErrGarbled},
		"no JSON":                {[]string{delta("An owl"), "owl"}, agent.ErrGarbled},
		"calls without end":      {[]string{`{"choices":[{"delta":{"tool_calls":[{"index":1000000000}]}}]}`}, agent.ErrGarbled},
		"a negative call":        {[]string{`{"choices":[{"delta":{"tool_calls":[{"index":-1}]}}]}`}, agent.ErrGarbled},
		"a text without end":     {slicesRepeat(delta(strings.Repeat("x", 64<<10)), 40), agent.ErrTooLarge},
		"a piece without an end": {[]string{`"` + strings.Repeat("x", 1<<20)}, agent.ErrDown},
	} {
		s := newTeller(t, func(_ http.ResponseWriter, _ int, say func(string)) {
			for _, e := range k.events {
				say(e)
			}
		})
		size := 0
		l := s.ladder(t, "openai", func(c *model.Config) { c.Retries = 0 })
		if reply, err := l.Generate(t.Context(), hello(func(text string) { size += len(text) })); !errors.Is(err, k.want) || size > 1<<20 {
			t.Errorf("%s: %+v, %v; heard %d bytes", words, reply, err, size)
		}
	}
	s := newTeller(t, func(_ http.ResponseWriter, _ int, say func(string)) {
		for _, part := range []string{"It is sk-v", "ery", "secret", "key; sk-v", "ex"} {
			say(delta(part))
		}
		say(stopped)
	})
	var all strings.Builder
	l := s.ladder(t, "openai", func(c *model.Config) { c.Models[0].Key = "${env:KEY}" })
	reply, err := l.Generate(t.Context(), hello(func(text string) { all.WriteString(text) }))
	if want := "It is [secret]; sk-vex"; err != nil || reply.Text != want || all.String() != want {
		t.Errorf("%q, %q, %v", reply.Text, all.String(), err)
	}
}

func slicesRepeat(text string, n int) (out []string) {
	for range n {
		out = append(out, text)
	}
	return out
}

// TestStreamRefused: a server that does not answer in pieces is asked without them, and remembered.
// A second attempt is heard from its beginning.
func TestStreamRefused(t *testing.T) {
	t.Parallel()
	s := newTeller(t, func(w http.ResponseWriter, n int, _ func(string)) {
		if n == 1 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"stream is not supported"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"at once"},"finish_reason":"stop"}]}`)
	})
	l := s.ladder(t, "openai")
	for range 2 {
		if reply, err := l.Generate(t.Context(), hello(func(string) {})); err != nil || reply.Text != "at once" {
			t.Errorf("%+v, %v", reply, err)
		}
	}
	if len(s.asked) != 3 || s.asked[2]["stream"] != nil {
		t.Errorf("%d requests, the last with stream %s", len(s.asked), s.asked[len(s.asked)-1]["stream"])
	}
	ctx, stop := context.WithCancel(t.Context())
	cut := newTeller(t, func(_ http.ResponseWriter, _ int, say func(string)) {
		say(delta("An owl"))
		<-ctx.Done()
	})
	l = cut.ladder(t, "openai")
	_, err := l.Generate(ctx, hello(func(text string) {
		if text != "" {
			stop() // whoever listens goes away in the middle
		}
	}))
	if !errors.Is(err, agent.ErrDown) {
		t.Errorf("%v", err)
	}
}
