package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms/openai"

	"ojud/agent"
)

// embedBatch is how many texts one request has. With 3,072 numbers for each, the answer stays
// within the bound of all answers.
const embedBatch = 8

// Embedder asks a model for vectors of texts, through the embeddings API of OpenAI, which most
// servers speak (llama.cpp, Ollama, vLLM).
type Embedder struct {
	entry Endpoint
	wire  *wire
	own   *http.Transport // nil if Deps brought one

	mu   sync.Mutex
	used agent.Usage
}

// NewEmbedder returns the embedding model of the settings with this name. It asks no server. Close
// it.
func NewEmbedder(cfg Config, name string, deps Deps) (*Embedder, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(cfg.Embeddings, func(e Endpoint) bool { return e.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w: models.embeddings names no model %q", ErrNoEmbedding, name)
	}
	deps = deps.whole()
	e := &Embedder{entry: cfg.Embeddings[i].whole()}
	if deps.Transport == nil {
		e.own = newTransport()
		deps.Transport = e.own
	}
	e.wire = newWire(deps.Transport, &key{ref: e.entry.Key, env: deps.Env, dir: deps.Dir}, openaiDialect{}.authorize)
	return e, nil
}

// ErrNoEmbedding means that the settings do not name an embedding model.
var ErrNoEmbedding = errors.New("model: there is no such embedding model")

// Close closes idle connections.
func (e *Embedder) Close() error {
	if e.own != nil {
		e.own.CloseIdleConnections()
	}
	return nil
}

// Usage is what all requests have cost, by prompt_price. As with other models, tokens are estimated
// if the server does not say, or if the answer did not come.
func (e *Embedder) Usage() agent.Usage {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.used
}

func (e *Embedder) spend(u agent.Usage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	u.Calls, u.Cost = 1, e.entry.cost(u.Prompt, 0)
	e.used.Add(u)
}

// Embed returns a vector for each text, in their order. Vectors have one length, and only finite
// numbers.
func (e *Embedder) Embed(ctx context.Context, texts []string) (out [][]float32, err error) {
	x := &embedding{over: e.wire, timeout: e.entry.Timeout, spend: e.spend}
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("model: %s: langchaingo panicked: %v", e.entry.Name, failure)
		}
	}()
	client, err := openai.New(openai.WithHTTPClient(x), openai.WithToken(placeholder), openai.WithBaseURL(e.entry.URL), openai.WithModel(e.entry.Model),
		openai.WithEmbeddingModel(e.entry.Model), openai.WithOrganization(""))
	if err != nil {
		return nil, fmt.Errorf("model: %s: %w", e.entry.Name, err)
	}
	by, err := embeddings.NewEmbedder(client, embeddings.WithStripNewLines(false), embeddings.WithBatchSize(embedBatch))
	if err == nil {
		out, err = by.EmbedDocuments(ctx, texts)
	}
	switch {
	case x.fault != nil:
		return nil, fmt.Errorf("model: %s: %w", e.entry.Name, x.fault)
	case err != nil:
		return nil, fmt.Errorf("model: %s: %w", e.entry.Name, cmp.Or(ctx.Err(), err))
	case len(out) != len(texts):
		return nil, fmt.Errorf("model: %s: it gives %d vectors for %d texts", e.entry.Name, len(out), len(texts))
	}
	for i, v := range out {
		if len(v) == 0 || len(v) != len(out[0]) {
			return nil, fmt.Errorf("model: %s: vector %d has %d numbers, and the first one has %d", e.entry.Name, i+1, len(v), len(out[0]))
		}
	}
	return out, nil
}

// embedding is langchaingo's connection for one call. langchaingo takes vectors in the order in
// which they come, and does not see that one is missing; so embedding puts them in order, and
// refuses an answer that lacks one.
type embedding struct {
	over    http.RoundTripper
	timeout time.Duration // of one request
	spend   func(agent.Usage)
	fault   *fault
}

// Do implements doer.
func (x *embedding) Do(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		x.fault = unreachable(err)
		return nil, x.fault
	}
	began, answer, tokens := time.Now(), (*http.Response)(nil), 0
	if answer, tokens, err = x.ask(r, raw); err != nil {
		x.fault = unreachable(err)
	}
	if err == nil || !x.fault.free {
		x.spend(agent.Usage{Prompt: cmp.Or(tokens, estimate(len(raw))), Time: time.Since(began)})
	}
	if err != nil {
		return nil, x.fault
	}
	return answer, nil
}

// ask sends a request, and says how many tokens the server counted; 0: it does not say.
func (x *embedding) ask(r *http.Request, raw []byte) (_ *http.Response, tokens int, err error) {
	var request struct {
		Input []string `json:"input"`
	}
	if err := json.Unmarshal(raw, &request); err != nil {
		return nil, 0, err
	}
	ctx, stop := context.WithTimeout(r.Context(), x.timeout)
	defer stop()
	sent := r.Clone(ctx)
	sent.Body, sent.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	sent.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	answer, err := x.over.RoundTrip(sent)
	if err != nil {
		return nil, 0, err
	}
	said, err := io.ReadAll(answer.Body) // it is in memory, within the bounds of wire
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, 0, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, 0, refusal(answer, short(string(said)), time.Now())
	}
	tidy, tokens, err := inOrder(said, len(request.Input))
	if err != nil {
		return nil, tokens, err
	}
	out := *answer
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(tidy)), int64(len(tidy))
	return &out, tokens, nil
}

// inOrder brings an answer with one vector for each of n texts into their order, and says how many
// tokens the server counted; 0: it does not say.
func inOrder(said []byte, n int) (tidy []byte, tokens int, err error) {
	var vectors struct {
		Data  []vector `json:"data"`
		Usage usage    `json:"usage"`
	}
	garbled := &fault{class: agent.ErrGarbled, what: "the vectors are not in the form of the API"}
	if err := json.Unmarshal(said, &vectors); err != nil {
		garbled.detail = short(err.Error())
		return nil, tokens, garbled
	}
	tokens = int(vectors.Usage.Prompt)
	ordered := make([]vector, n)
	for _, v := range vectors.Data {
		if v.Index < 0 || v.Index >= n || len(v.Embedding) == 0 || ordered[v.Index].Embedding != nil {
			return nil, tokens, garbled
		}
		ordered[v.Index] = v
	}
	if len(vectors.Data) != n {
		return nil, tokens, garbled
	}
	tidy, err = json.Marshal(map[string]any{"data": ordered})
	return tidy, tokens, err
}

// vector is one of an answer.
type vector struct {
	Index     int       `json:"index"`
	Embedding []float32 `json:"embedding"`
}
