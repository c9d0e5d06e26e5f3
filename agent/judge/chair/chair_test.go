package chair_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/chair"
	"ojud/agent/judge/judgetest"
	"ojud/agent/model"
	"ojud/test/longtest"
	"ojud/voting"
)

// server is an inference server that finds every requirement met. It remembers its requests.
func server(t *testing.T) (url string, asked func() string) {
	t.Helper()
	var last string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		last = string(raw)
		var items []any
		seen := map[string]bool{}
		for _, id := range regexp.MustCompile(`\bI\d+\b`).FindAllString(last, -1) {
			if !seen[id] {
				seen[id] = true
				items = append(items, map[string]any{"id": id, "reason": "it says so", "evidence": []string{"The owl sits"}, "met": "yes"})
			}
		}
		content, err := json.Marshal(map[string]any{"items": items})
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		if _, err := fmt.Fprintf(w, `{"id":"1","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}],
"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}`, content); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", func() string { return last }
}

func settings(url string) chair.Config {
	c := chair.Config{Judge: judge.DefaultConfig(), Models: model.DefaultConfig()}
	c.Judge.Kind = judge.KindModel
	c.Models.Models = []model.Endpoint{{Name: "local", Provider: "openai", URL: url, Model: "m", Family: "smol"}}
	return c
}

var poem = judgetest.Papers{Task: `{"instruction":["Write a poem about an owl."],"output_schema":{"text":"string"}}`,
	Result: `{"text":"The owl sits in the oak"}`, Objection: `{"reason":"It is dull."}`, Counter: `{"reason":"It is not."}`}

// TestModel: settings make a judge that asks a server over HTTP with its persona.
func TestModel(t *testing.T) {
	url, asked := server(t)
	c := settings(url)
	c.Judge.Persona = "recomputer"
	seat, err := chair.Fill(c, chair.Deps{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	o, err := seat.Judge.Evaluate(t.Context(), judgetest.Brief(t, poem))
	if err != nil || voting.Choice(o.Choice) != voting.Accept || o.Model == "" || o.Model == "code-checks" {
		t.Errorf("%+v, %v", o, err)
	}
	line, _, _ := strings.Cut(seat.PersonaText, "\n")
	quoted, err := json.Marshal(line)
	if err != nil || line == "" || !strings.Contains(asked(), strings.Trim(string(quoted), `"`)) || seat.Family != "smol" || seat.Dimension != "calculation" {
		t.Errorf("family %s, dimension %s, manner %q, %v", seat.Family, seat.Dimension, line, err)
	}
	if err := seat.Close(); err != nil {
		t.Error(err)
	}
}

// TestReasonBeforeVerdict checks the bytes that a server gets: it lets a model write the members of
// an answer in the order of the schema. Sorted, the verdict came before its reason.
func TestReasonBeforeVerdict(t *testing.T) {
	url, asked := server(t)
	for _, provider := range []string{"openai", "anthropic"} {
		c := settings(url)
		c.Models.Models[0].Provider = provider
		seat, err := chair.Fill(c, chair.Deps{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := seat.Judge.Evaluate(t.Context(), judgetest.Brief(t, poem)); err != nil {
			t.Error(err)
		}
		body, last := asked(), -1
		if provider == "anthropic" {
			body = strings.ReplaceAll(body, `\"`, `"`) // if the schema is in the prompt
		}
		for _, member := range []string{`"id":{"type"`, `"reason":{"type"`, `"evidence":{"type"`, `"met":{"type"`} {
			at := strings.Index(body, member)
			if at <= last {
				t.Errorf("%s: %s stands at %d, after %d: %s", provider, member, at, last, body)
			}
			last = at
		}
		if err := seat.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNoServer: if its model is down, a judge gives the opinion of the code checks and says why.
func TestNoServer(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	seat, err := chair.Fill(settings(dead.URL), chair.Deps{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	o, err := seat.Judge.Evaluate(t.Context(), judgetest.Brief(t, poem))
	if all := fmt.Sprint(o); err != nil || voting.Choice(o.Choice) != voting.Abstain || !strings.Contains(all, "cannot be reached") || strings.Contains(all, "127.0.0.1") {
		t.Errorf("%s, %v", all, err)
	}
	if err := seat.Close(); err != nil {
		t.Error(err)
	}
}

// TestCode: without a model, the judge runs only the code checks.
func TestCode(t *testing.T) {
	seat, err := chair.Fill(chair.Config{Judge: judge.DefaultConfig(), Models: model.DefaultConfig()}, chair.Deps{})
	if err != nil || seat.Family != "code" || seat.Dimension != "" || seat.PersonaText != "" || seat.Close() != nil {
		t.Errorf("%+v, %v", seat, err)
	}
	if err := (*chair.Chair)(nil).Close(); err != nil {
		t.Error(err)
	}
}

// TestSettings: an impossible setting is refused with its name.
func TestSettings(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bad.toml"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*chair.Config){
		"models.list is empty": func(c *chair.Config) { c.Models.Models = nil },
		"judge: kind":          func(c *chair.Config) { c.Judge.Kind = "x" },
		"judge.persona":        func(c *chair.Config) { c.Judge.Persona = "nobody" },
		"judge.personas":       func(c *chair.Config) { c.Judge.Personas = []string{"recomputer", "nobody"} },
		"personas has 29":      func(c *chair.Config) { c.Judge.Personas = make([]string, 29) },
		"memory: max_rounds":   func(c *chair.Config) { c.Judge.Memory.Keep = 0 },
		"bad.toml":             func(c *chair.Config) { c.Judge.Persona = "bad.toml" },
		"reasoning.samples":    func(c *chair.Config) { c.Judge.Reasoning.Samples = 1 },
	} {
		c := settings("http://127.0.0.1:1/v1")
		change(&c)
		if _, err := chair.Fill(c, chair.Deps{Dir: dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
