package shelf

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

// Trial is what came of asking a source as a peer's request would.
type Trial struct {
	Source  string          `json:"source"`
	OK      bool            `json:"ok"`
	Asked   string          `json:"asked"` // what was tried: Answer, Server or Nothing
	Request json.RawMessage `json:"request,omitempty"`
	MadeUp  bool            `json:"made_up"` // nobody said the request

	Problem string `json:"problem,omitempty"` // for the owner
	Told    string `json:"told,omitempty"`    // what a peer would be told of it

	Answer   json.RawMessage  `json:"answer,omitempty"`
	Hash     *casefile.Digest `json:"answer_hash,omitempty"`
	Millis   int64            `json:"took_ms"`
	Fetched  int              `json:"fetched_bytes"` // of what the upstream said
	Given    int              `json:"answer_bytes"`
	Schema   string           `json:"schema,omitempty"`   // satisfied, not satisfied, or any value
	Withheld []string         `json:"withheld,omitempty"` // what was removed or masked, and where
}

// What a trial asked for.
const (
	AskedAnswer  = "answer"  // an answer
	AskedServer  = "server"  // only whether the server is there and has the tool: to call it might do something
	AskedNothing = "nothing" // no request could be made up
)

// Test tries a source of the home in this process, beside a node that may be running. An error is one of the shelf; that the source does not
// answer is a Trial that is not OK. Without a request one is made up where that can do no harm.
func (s *Shelf) Test(ctx context.Context, name string, request []byte) (Trial, error) {
	src, err := s.read(name)
	if err != nil {
		return Trial{}, err
	}
	return s.try(ctx, src, nil, request)
}

// try asks a source that need not be on the shelf. up is its upstream if that is open already.
func (s *Shelf) try(ctx context.Context, src datasource.Source, up kind.Upstream, request []byte) (t Trial, err error) {
	t = Trial{Source: src.Name, Request: request, Asked: AskedAnswer}
	if up == nil {
		if up, err = s.open(src.Upstream, src.Limits.Bytes); err != nil {
			return t.failed(err), nil
		}
		defer func() { err = errors.Join(err, up.Close()) }()
	}
	if err := s.start(ctx, up); err != nil {
		t.Asked = AskedServer
		return t.failed(err), ctx.Err()
	}
	if len(request) == 0 {
		t.MadeUp = true
		if t.Request, t.Asked = s.sample(src); t.Request == nil {
			t.OK = true
			return t, nil
		}
	}
	return s.rehearse(ctx, src, up, t)
}

// start waits until a server of the Model Context Protocol is there, which may take longer than one answer may.
func (s *Shelf) start(ctx context.Context, up kind.Upstream) error {
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

// rehearse asks through a book with that source alone, as a node's book would.
func (s *Shelf) rehearse(ctx context.Context, src datasource.Source, up kind.Upstream, t Trial) (out Trial, err error) {
	stage, err := os.MkdirTemp(s.dir, ".test-*")
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	if err := datasource.Write(stage, src); err != nil {
		return t, err
	}
	heard := &witness{Upstream: up}
	book, err := datasource.New(datasource.Config{Dir: stage, Poll: time.Hour}, datasource.Deps{
		Home: s.deps.Home, Open: func(datasource.Source) (kind.Upstream, error) { return heard, nil },
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
	return t.report(src, heard.said(), answer, err), nil
}

// report fills in what came of it. That an API has nothing of a name that nobody chose is no fault of the source.
func (t Trial) report(src datasource.Source, raw json.RawMessage, answer datasource.Answer, err error) Trial {
	t.Fetched, t.Schema = len(raw), "satisfied"
	if len(src.OutputSchema) == 0 || string(src.OutputSchema) == anything {
		t.Schema = "any value"
	}
	if err != nil {
		if t.Schema = ""; errors.Is(err, datasource.ErrSchema) && raw != nil {
			t.Schema = "not satisfied"
		}
		t = t.failed(err)
		_, api := src.Upstream.(*kind.HTTP)
		t.OK = api && t.MadeUp && errors.Is(err, datasource.ErrRequest)
		return t
	}
	hash := casefile.Digest(answer.Hash)
	t.OK, t.Answer, t.Hash, t.Given = true, answer.Body, &hash, len(answer.Body)
	t.Withheld = withheld(raw, answer.Body)
	return t
}

// witness remembers what an upstream said. Closing it is for whoever opened the upstream.
type witness struct {
	kind.Upstream
	mu  sync.Mutex
	raw json.RawMessage
}

// Answer implements kind.Upstream.
func (w *witness) Answer(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
	raw, err := w.Upstream.Answer(ctx, request)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.raw = raw
	return raw, err
}

// Close implements kind.Upstream.
func (*witness) Close() error { return nil }

func (w *witness) said() json.RawMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.raw
}
