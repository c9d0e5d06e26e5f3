package model

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"ojud/agent"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secret is a key. It must appear only in a request's header.
const secret = `sk-planted/key+with=marks~`

// request is a request as the server got it.
type request struct {
	path   string
	header http.Header
	body   map[string]json.RawMessage
}

// said returns the text of a member.
func (r request) said(name string) string { return string(r.body[name]) }

// server is a model server. It answers the n-th request with the n-th behaviour, and the rest with
// the last.
type server struct {
	*httptest.Server
	mu  sync.Mutex
	got []request
}

type behaviour func(w http.ResponseWriter, r *http.Request)

func serve(t testing.TB, behaviours ...behaviour) *server {
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		got := request{path: r.URL.Path, header: r.Header}
		if err := json.Unmarshal(raw, &got.body); err != nil {
			t.Errorf("the request is no JSON: %s", raw)
		}
		s.mu.Lock()
		s.got = append(s.got, got)
		b := behaviours[min(len(s.got), len(behaviours))-1]
		s.mu.Unlock()
		b(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.got...)
}

// says answers with a text as OpenAI does.
func says(text string) behaviour { return stops(text, "stop") }

func stops(text, why string) behaviour { return raw(completed(text, why)) }

func completed(text, why string) string {
	return fmt.Sprintf(`{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%q},
		"finish_reason":%q}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`, text, why)
}

// calls answers with calls of tools: pairs of a name and arguments in the answer's form.
func calls(pairs ...string) behaviour {
	var made []string
	for i := 0; i < len(pairs); i += 2 {
		made = append(made, fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":%q,"arguments":%s}}`, i/2, pairs[i], pairs[i+1]))
	}
	return raw(`{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[` + strings.Join(made, ",") +
		`]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}`)
}

func raw(body string) behaviour {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(body))
	}
}

func status(code int, body string, header ...string) behaviour {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		w.Write([]byte(body))
	}
}

func failure(code int, message string) behaviour {
	return status(code, fmt.Sprintf(`{"error":{"message":%q,"type":"x"}}`, message))
}

// hangs does not answer until the client is gone.
func hangs(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// half sends only the start of an answer.
func half(w http.ResponseWriter, r *http.Request) {
	w.Write([]byte(completed(`{"accept":true}`, "stop")[:150]))
	if err := http.NewResponseController(w).Flush(); err != nil {
		return
	}
	<-r.Context().Done()
}

// streamed answers with server-sent events that the client did not ask for.
func streamed(parts ...string) behaviour {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "data: %s\n\n", p)
	}
	return raw(b.String())
}

func redirect(code int, to string) behaviour { return status(code, "", "Location", to) }

// endless writes a gigabyte, or until the client closes.
func endless(w http.ResponseWriter, _ *http.Request) {
	piece := []byte(strings.Repeat("x", 1<<16))
	for range 1 << 14 {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

// bomb sends a gigabyte compressed to a megabyte.
func bomb(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	piece := []byte(strings.Repeat("x", 1<<20))
	for range 1 << 10 {
		if _, err := z.Write(piece); err != nil || z.Flush() != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
	}
}

// entry returns the entry of a model at a server.
func entry(s *server, change ...func(*Endpoint)) Endpoint {
	e := Endpoint{Name: "m", Provider: OpenAI, URL: s.URL + "/v1", Model: "served", Key: "${env:MODEL_KEY}", PromptPrice: 1, CompletionPrice: 2}
	for _, f := range change {
		f(&e)
	}
	return e
}

func named(name string) func(*Endpoint) { return func(e *Endpoint) { e.Name = name } }

func canCall(e *Endpoint) { e.Tools = true }

func config(entries ...Endpoint) Config {
	c := DefaultConfig()
	c.Models = entries
	c.Retries = 0
	return c
}

// book collects the log of a ladder.
type book struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// opened returns a ladder that logs everything. Its log must never hold the key.
func opened(t testing.TB, c Config, change ...func(*Deps)) *Ladder {
	t.Helper()
	log := &book{}
	deps := Deps{
		Env: func(name string) (string, bool) { return secret, name == "MODEL_KEY" }, Metrics: prometheus.NewRegistry(),
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(&deps)
	}
	l, err := New(c, deps)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if leaks(log.String()) {
			t.Errorf("the log holds the key:\n%s", log)
		}
	})
	return l
}

// leaks reports whether a text holds the key, or enough of it.
func leaks(text string) bool {
	return strings.Contains(text, "planted") || strings.Contains(text, "c2stcGxhbnRlZ") // the start in base64
}

var schema = json.RawMessage(`{"type":"object","properties":{"accept":{"type":"boolean"}},"required":["accept"],"additionalProperties":false}`)

func question(change ...func(*agent.Prompt)) agent.Prompt {
	p := agent.Prompt{System: "You judge.", Messages: []agent.Message{{Role: agent.User, Text: "Well?"}}, MaxTokens: 100}
	for _, f := range change {
		f(&p)
	}
	return p
}

func withSchema(p *agent.Prompt) { p.Schema = schema }

func withTools(p *agent.Prompt) {
	p.Tools = []agent.Repr{{Name: "posts.read", Description: "reads", InputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"}}}`)},
		{Name: "posts:read", Description: "reads too"}}
}

// soon returns a context that ends before the test does.
func soon(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func ask(t testing.TB, m agent.Model, p agent.Prompt) agent.Reply {
	t.Helper()
	reply, err := m.Generate(soon(t, 30*time.Second), p)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func same[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got  %v\nwant %v", what, got, want)
	}
}

func encode(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
