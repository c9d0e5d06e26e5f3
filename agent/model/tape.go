package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ojud/agent"
)

// tape records the requests and answers of models, or replays them. A file is one request. Its name
// is the hash of the model's configured name, the path and the body. It has the answers in order,
// because the same request may be repeated for another sample. It has no header of a request and no
// address, and keys are masked.
//
// Only answers are recorded, including refusals (4xx). In a replay, a server that was busy or down
// is healthy.
type tape struct {
	mode, dir string

	mu    sync.Mutex
	takes map[string]*take // by file
}

// newTape returns nil if nothing is recorded or replayed.
func newTape(t Tape, dir string) (*tape, error) {
	if t.Mode == "" {
		return nil, nil
	}
	if !filepath.IsAbs(t.Dir) {
		t.Dir = filepath.Join(dir, t.Dir)
	}
	if t.Mode == TapeRecord {
		if err := os.MkdirAll(t.Dir, 0o700); err != nil {
			return nil, fmt.Errorf("model: tape: %w", err)
		}
	} else if info, err := os.Stat(t.Dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("model: tape.dir %s is no folder; record first, with tape.mode %q", t.Dir, TapeRecord)
	}
	return &tape{mode: t.Mode, dir: t.Dir, takes: map[string]*take{}}, nil
}

// over puts the tape before the network.
func (t *tape) over(model string, w *wire) http.RoundTripper {
	switch {
	case t == nil:
		return w
	case t.mode == TapeReplay:
		return &player{t, model}
	}
	return &recorder{t, model, w}
}

// pause is the wait of retries. A replay does not wait.
func (t *tape) pause() func(context.Context, time.Duration) error {
	if t != nil && t.mode == TapeReplay {
		return func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	}
	return pause
}

// heading reads a request, closes its body, and returns its file name. The request gets a new body.
func heading(model string, r *http.Request) (asked *http.Request, head *take, file string, err error) {
	r = r.Clone(r.Context())
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return nil, nil, "", err
	}
	sum := sha256.Sum256([]byte("ojud model tape 1\n" + model + "\n" + r.URL.Path + "\n" + string(body)))
	r.Body = io.NopCloser(bytes.NewReader(body))
	return r, &take{Model: model, Path: r.URL.Path, Request: body}, hex.EncodeToString(sum[:16]) + ".json", nil
}

// recorder is an http.RoundTripper that records the answers of the next one.
type recorder struct {
	tape  *tape
	model string
	next  *wire
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	asked, head, file, err := heading(r.model, request)
	if err != nil {
		return nil, err
	}
	answer, err := r.next.RoundTrip(asked)
	if err != nil || !lasting(answer.StatusCode) {
		return answer, err
	}
	body, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, err
	}
	if err := r.tape.record(file, head, newSpoken(answer.StatusCode, body), r.next.key.mask); err != nil {
		return nil, &fault{class: agent.ErrDown, what: "the recording cannot be written", detail: err.Error()}
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, nil
}

// lasting reports whether a status means more than an ill server.
func lasting(status int) bool {
	return status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout
}

// record adds an answer to a file. It replaces an earlier run's answers to the request.
func (t *tape) record(file string, head *take, s spoken, mask func(string) string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.takes[file]
	if kept == nil {
		kept = head
		t.takes[file] = kept
	}
	kept.Answers = append(kept.Answers, s)
	raw, err := json.MarshalIndent(kept, "", " ")
	if err != nil {
		return err
	}
	temporary := filepath.Join(t.dir, file+".new")
	if err := os.WriteFile(temporary, []byte(mask(string(raw))+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, filepath.Join(t.dir, file))
}

// player is an http.RoundTripper that answers only from recordings.
type player struct {
	tape  *tape
	model string
}

// RoundTrip adds the owner's headers, but not for another host after a redirect.
func (p *player) RoundTrip(request *http.Request) (*http.Response, error) {
	_, _, file, err := heading(p.model, request)
	if err != nil {
		return nil, err
	}
	s, err := p.tape.play(file)
	if err != nil {
		return nil, &fault{class: fmt.Errorf("%w: %w", agent.ErrDown, ErrUnrecorded), what: file, detail: err.Error(), free: true, asked: true}
	}
	return s.response(request)
}

func (t *tape) play(file string) (spoken, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.takes[file]
	if kept == nil {
		var err error
		if kept, err = readTake(filepath.Join(t.dir, file)); err != nil {
			return spoken{}, err
		}
		t.takes[file] = kept
	}
	if kept.next == len(kept.Answers) {
		return spoken{}, fmt.Errorf("it was recorded %d times and made more often; record again", len(kept.Answers))
	}
	kept.next++
	return kept.Answers[kept.next-1], nil
}
