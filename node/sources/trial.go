package sources

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/kind"
)

// Trial is the outcome of asking a source as a peer's request would.
type Trial struct {
	Source  string          `json:"source"`
	OK      bool            `json:"ok"`
	Asked   string          `json:"asked"` // kind of trial: AskedAnswer, AskedServer or AskedNothing
	Request json.RawMessage `json:"request,omitempty"`
	MadeUp  bool            `json:"made_up"` // the request was made up

	Problem string `json:"problem,omitempty"` // for the owner
	Told    string `json:"told,omitempty"`    // the text that a peer gets

	Answer   json.RawMessage  `json:"answer,omitempty"`
	Hash     *casefile.Digest `json:"answer_hash,omitempty"`
	Millis   int64            `json:"took_ms"`
	Fetched  int              `json:"fetched_bytes"` // of the upstream's answer
	Given    int              `json:"answer_bytes"`
	Schema   string           `json:"schema,omitempty"`   // satisfied, not satisfied, or any value
	Withheld []string         `json:"withheld,omitempty"` // parts that were removed or masked
}

// The values of Trial.Asked.
const (
	AskedAnswer  = "answer"  // an answer
	AskedServer  = "server"  // only whether the server runs and has the tool, because calling it may do something
	AskedNothing = "nothing" // no request could be made up
)

// Test tries a source of the home in this process, even while a node runs. An error is one of the
// home. If the source does not answer, the Trial is not OK. If request is empty, Test makes one up
// that only reads.
func (h *Home) Test(ctx context.Context, name string, request []byte) (Trial, error) {
	src, err := h.read(name)
	if err != nil {
		return Trial{}, err
	}
	return h.try(ctx, src, nil, request)
}

// try asks a source, which need not be in the home. up is its upstream if that is open already.
func (h *Home) try(ctx context.Context, src datasource.Source, up kind.Upstream, request []byte) (t Trial, err error) {
	t = Trial{Source: src.Name, Request: request, Asked: AskedAnswer}
	if up == nil {
		if up, err = h.open(src.Upstream, src.Limits.Bytes); err != nil {
			return t.failed(err), nil
		}
		defer func() { err = errors.Join(err, up.Close()) }()
	}
	if err := h.start(ctx, up); err != nil {
		t.Asked = AskedServer
		return t.failed(err), ctx.Err()
	}
	guessed := false
	if len(request) == 0 {
		sample, asked, err := h.sample(ctx, src)
		t.MadeUp, t.Request, t.Asked, guessed = true, sample.Request, asked, sample.Guessed
		if err != nil {
			return t.failed(err), nil
		}
		if t.Request == nil {
			t.OK = true
			return t, nil
		}
	}
	return h.rehearse(ctx, src, up, t, guessed)
}

// Reach checks that the server of a source can be reached, without a request. It does nothing for
// sources that have no server of their own, or whose server Test starts.
func (h *Home) Reach(ctx context.Context, name string) error {
	src, err := h.read(name)
	if err != nil {
		return err
	}
	if r, ok := src.Upstream.(kind.Reacher); ok {
		return r.Reach(ctx, h.env(src.Limits.Bytes))
	}
	return nil
}

// sample makes up a request that only reads, and says what it asks for.
func (h *Home) sample(ctx context.Context, src datasource.Source) (sample kind.Sample, asked string, err error) {
	if _, ok := src.Upstream.(kind.Discoverer); ok {
		return sample, AskedServer, nil
	}
	sample, err = src.Upstream.Sample(h.env(src.Limits.Bytes))
	if err != nil || sample.Request == nil || !fits(ctx, src, sample.Request) {
		return kind.Sample{}, AskedNothing, err
	}
	return sample, AskedAnswer, nil
}

// fits reports whether the source takes the request.
func fits(ctx context.Context, src datasource.Source, request json.RawMessage) bool {
	card, err := src.Card().Encode()
	if err != nil {
		return false
	}
	_, shape, err := datasource.ParseCard(card)
	if err != nil {
		return false
	}
	_, err = shape.Request(ctx, request)
	return err == nil
}

// start waits until a server runs, which may take longer than an answer may.
func (h *Home) start(ctx context.Context, up kind.Upstream) error {
	ctx, cancel := context.WithTimeout(ctx, startMost)
	defer cancel()
	describer, ok := up.(kind.Describer)
	if !ok {
		return nil
	}
	if _, err := describer.Describe(ctx); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

func (t Trial) failed(err error) Trial {
	t.OK, t.Problem, t.Told = false, err.Error(), datasource.Reason(err)
	return t
}

// rehearse asks through a book that has only this source, as a node's book does.
func (h *Home) rehearse(ctx context.Context, src datasource.Source, up kind.Upstream, t Trial, guessed bool) (out Trial, err error) {
	stage, err := os.MkdirTemp(h.dir, ".test-*")
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	if err := datasource.Write(stage, src); err != nil {
		return t, err
	}
	heard := &witness{Upstream: up}
	book, err := datasource.New(datasource.Config{Dir: stage, PollInterval: time.Hour}, datasource.Deps{
		Home: h.deps.Dir, Open: func(datasource.Source) (kind.Upstream, error) { return heard, nil },
	})
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	began := time.Now()
	answer, err := book.Answer(ctx, src.Name, t.Request)
	if t.Millis = time.Since(began).Milliseconds(); ctx.Err() != nil {
		return t, ctx.Err()
	}
	return t.report(src, heard.said(), answer, guessed, err), nil
}

// report fills in the outcome. An API need not know a guessed value.
func (t Trial) report(src datasource.Source, raw json.RawMessage, answer datasource.Answer, guessed bool, err error) Trial {
	t.Fetched, t.Schema = len(raw), "satisfied"
	if len(src.OutputSchema) == 0 || string(src.OutputSchema) == "{}" {
		t.Schema = "any value"
	}
	if err != nil {
		if t.Schema = ""; errors.Is(err, datasource.ErrSchema) && raw != nil {
			t.Schema = "not satisfied"
		}
		t = t.failed(err)
		t.OK = guessed && errors.Is(err, datasource.ErrRequest)
		return t
	}
	hash := casefile.Digest(answer.Hash)
	t.OK, t.Answer, t.Hash, t.Given = true, answer.Body, &hash, len(answer.Body)
	t.Withheld = withheld(raw, answer.Body)
	return t
}

// witness remembers an upstream's answer. Its caller closes the upstream.
type witness struct {
	kind.Upstream
	mu  sync.Mutex
	raw json.RawMessage
}

func (w *witness) Answer(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
	raw, err := w.Upstream.Answer(ctx, request)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.raw = raw
	return raw, err
}

func (*witness) Close() error { return nil }

func (w *witness) said() json.RawMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.raw
}
