package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestEmbedder: vectors come back in the order of the texts, whatever order the server gives them
// in, with line breaks in the texts as they are. Anything that is not one vector for each text is
// an error, and no error has the key.
func TestEmbedder(t *testing.T) {
	t.Parallel()
	const secret = "sk-secret-of-a-server"
	one := func(index int, numbers string) string {
		return fmt.Sprintf(`{"index":%d,"embedding":[%s]}`, index, numbers)
	}
	for name, x := range map[string]struct {
		status int
		body   string
		want   string // of the error
	}{
		"in order":       {200, `{"data":[` + one(0, "1,0") + "," + one(1, "0,1") + `]}`, ""},
		"in another":     {200, `{"data":[` + one(1, "0,1") + "," + one(0, "1,0") + `],"usage":{"prompt_tokens":300}}`, ""},
		"a wrong count":  {200, `{"data":[` + one(1, "0,1") + "," + one(0, "1,0") + `],"usage":{"prompt_tokens":-300}}`, ""},
		"one is missing": {200, `{"data":[` + one(0, "1,0") + `]}`, "not in the form"},
		"one twice":      {200, `{"data":[` + one(0, "1,0") + "," + one(0, "1,0") + `]}`, "not in the form"},
		"one too many":   {200, `{"data":[` + one(0, "1,0") + "," + one(1, "0,1") + "," + one(2, "0,1") + `]}`, "not in the form"},
		"an empty one":   {200, `{"data":[` + one(0, "1,0") + "," + one(1, "") + `]}`, "not in the form"},
		"other length":   {200, `{"data":[` + one(0, "1,0") + "," + one(1, "1") + `]}`, "vector 2 has 1 numbers"},
		"no number":      {200, `{"data":[` + one(0, "1,0") + "," + one(1, "NaN,1") + `]}`, "not in the form"},
		"beyond a float": {200, `{"data":[` + one(0, "1,0") + "," + one(1, "1e99,1") + `]}`, "not in the form"},
		"words":          {200, `I would love to.`, "not in the form"},
		"nothing":        {200, `{}`, "not in the form"},
		"no such model":  {404, `{"error":{"message":"unknown model, key ` + secret + `"}}`, "model"},
		"it is down":     {500, `out of memory`, "model"},
		"a long answer":  {200, `{"data":[` + strings.Repeat(" ", maxAnswer) + `]}`, "more than"},
	} {
		asked := ""
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer "+secret {
				t.Errorf("%s: %s with %q", name, r.URL.Path, r.Header.Get("Authorization"))
			}
			raw, err := io.ReadAll(io.LimitReader(r.Body, 1000))
			if err != nil {
				t.Error(err)
			}
			asked = string(raw)
			w.WriteHeader(x.status)
			if _, err := fmt.Fprint(w, x.body); err != nil && x.status == 200 && len(x.body) < maxAnswer {
				t.Error(err)
			}
		}))
		cfg := DefaultConfig()
		cfg.Embeddings = []Endpoint{{Name: "small", Provider: OpenAI, URL: server.URL + "/v1", Model: "m", Key: "${env:KEY}", PromptPrice: 2}}
		e, err := NewEmbedder(cfg, "small", Deps{Env: func(string) (string, bool) { return secret, true }})
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Embed(t.Context(), []string{"a\nb", "c"})
		if x.want == "" && (err != nil || fmt.Sprint(got) != "[[1 0] [0 1]]") || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want) || strings.Contains(err.Error(), secret)) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if !strings.Contains(asked, `"input":["a\nb","c"]`) || !strings.Contains(asked, `"model":"m"`) {
			t.Errorf("%s: it asked %s", name, asked)
		}
		// Tokens of an answer that cannot be used are paid, too. A refusal costs nothing.
		tokens := estimate(len(asked))
		if name == "in another" {
			tokens = 300
		}
		if x.status != http.StatusOK {
			tokens = 0
		}
		if u := e.Usage(); u.Prompt != tokens || u.Cost != uint64(2*tokens) || u.Calls != min(tokens, 1) {
			t.Errorf("%s: %+v, want %d tokens", name, u, tokens)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	}
}

// TestEmbeddings: the settings of embedding models are checked as those of others.
func TestEmbeddings(t *testing.T) {
	t.Parallel()
	good := Endpoint{Name: "small", Provider: OpenAI, URL: "http://127.0.0.1:1/v1", Model: "m"}
	for want, change := range map[string]func(*Config){
		"":                                 func(*Config) {},
		"embeddings[1].name is \"small\"":  func(c *Config) { c.Embeddings = append(c.Embeddings, good) },
		"gives no vectors":                 func(c *Config) { c.Embeddings[0].Provider = providerAnthropic },
		"embeddings[0].url":                func(c *Config) { c.Embeddings[0].URL = "ftp://a" },
		"there is no such embedding model": func(c *Config) { c.Embeddings = nil },
		"embeddings[0].name is \"\"":       func(c *Config) { c.Embeddings[0].Name = "" },
		"embeddings[0].name is \"a\\n":     func(c *Config) { c.Embeddings[0].Name = "a\nb" },
		"64 printable characters":          func(c *Config) { c.Embeddings[0].Name = strings.Repeat("é", 65) },
	} {
		cfg := DefaultConfig()
		cfg.Embeddings = []Endpoint{good}
		change(&cfg)
		if _, err := NewEmbedder(cfg, "small", Deps{}); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// TestEmbeddingOfAnyName: a class names its embedding by any text of 64 characters that
// prints, and cannot be changed.
func TestEmbeddingOfAnyName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"BGE M3", "e5@v2", "gte+", strings.Repeat("é", 64)} {
		cfg := DefaultConfig()
		cfg.Embeddings = []Endpoint{{Name: name, Provider: OpenAI, URL: "http://127.0.0.1:1/v1", Model: "m"}}
		e, err := NewEmbedder(cfg, name, Deps{})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// slow answers each request after a time.
type slow time.Duration

// RoundTrip implements http.RoundTripper.
func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	var request struct {
		Input []string `json:"input"`
	}
	if err := errors.Join(json.NewDecoder(r.Body).Decode(&request), r.Body.Close()); err != nil {
		return nil, err
	}
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(time.Duration(s)):
	}
	var all []string
	for i := range request.Input {
		all = append(all, fmt.Sprintf(`{"index":%d,"embedding":[1,0]}`, i))
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"data":[` + strings.Join(all, ",") + `]}`)), Request: r}, nil
}

// TestEmbedderTimeout: the time of the settings is that of each request, however many there are.
func TestEmbedderTimeout(t *testing.T) {
	for each, want := range map[slow]string{slow(9 * time.Second): "", slow(11 * time.Second): "no answer in time"} {
		synctest.Test(t, func(t *testing.T) {
			cfg := DefaultConfig()
			cfg.Embeddings = []Endpoint{{Name: "small", Provider: OpenAI, URL: "http://127.0.0.1:1/v1", Model: "m", Timeout: 10 * time.Second}}
			e, err := NewEmbedder(cfg, "small", Deps{Transport: each})
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.Embed(t.Context(), slices.Repeat([]string{"a"}, 2*embedBatch+1))
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || err == nil && len(got) != 2*embedBatch+1 {
				t.Errorf("%s: %d vectors, %v", time.Duration(each), len(got), err)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// FuzzVectors: whatever a server answers, there is one vector for each text, or an error.
func FuzzVectors(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":1,"embedding":[0.5]},{"index":0,"embedding":[1]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		tidy, _, err := inOrder(raw, 2)
		if err != nil {
			return
		}
		var got struct{ Data []vector }
		if err := json.Unmarshal(tidy, &got); err != nil || len(got.Data) != 2 || got.Data[0].Index != 0 || got.Data[1].Index != 1 || len(got.Data[1].Embedding) == 0 {
			t.Errorf("%q became %s: %v", raw, tidy, err)
		}
	})
}
