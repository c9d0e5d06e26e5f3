package mind

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"ojud/agent"
	"ojud/agent/host/keep"
	"ojud/agent/host/manifest"
)

// MaxContext bounds the context that a client gives to a call, in bytes.
const MaxContext = 64 << 10

// Outward returns the client's part of a context.
func Outward(raw json.RawMessage) json.RawMessage {
	var b background
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil // a tool replaced the context
	}
	return b.Client
}

// inward returns a context with another part of the client.
func inward(raw, client json.RawMessage) (json.RawMessage, error) {
	var b background
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, err
	}
	if len(client) > MaxContext {
		return nil, fmt.Errorf("%w: the context has %d bytes; the limit is %d", agent.ErrLimit, len(client), MaxContext)
	}
	b.Client = client
	return json.Marshal(b)
}

// background is what the mind knows besides the payload.
type background struct {
	Call     string              `json:"call"`
	Caller   string              `json:"caller"`
	Target   string              `json:"target"`
	Memories []keep.Recollection `json:"memories,omitempty"`
	Client   json.RawMessage     `json:"client,omitempty"` // the context that the client gave
}

// ContextFile is a file by which a program sees a context and may change it. The program finds its
// path in AGENT_CONTEXT.
type ContextFile struct {
	path string
	was  json.RawMessage
}

// WriteContext makes a file of a context in a folder; "" is that of temporary files. The caller
// takes it back.
func WriteContext(dir string, context json.RawMessage) (*ContextFile, error) {
	f, err := os.CreateTemp(dir, "context-*.json")
	if err != nil {
		return nil, err
	}
	c := &ContextFile{f.Name(), context}
	if len(context) == 0 {
		c.was = json.RawMessage("null")
	}
	_, err = f.Write(c.was)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(c.path))
	}
	return c, nil
}

// Environ is the variable that a program gets.
func (c *ContextFile) Environ() string { return "AGENT_CONTEXT=" + c.path }

// Take removes the file, and returns the context if the program has changed it.
func (c *ContextFile) Take() (changed json.RawMessage, err error) {
	defer func() { err = errors.Join(err, os.Remove(c.path)) }()
	f, err := os.Open(c.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, MaxContext+1))
	raw = bytes.TrimSpace(raw)
	switch {
	case err != nil || bytes.Equal(raw, c.was):
		return nil, err
	case len(raw) > MaxContext:
		return nil, fmt.Errorf("the file of AGENT_CONTEXT has more than %d bytes", MaxContext)
	case !json.Valid(raw):
		return nil, errors.New("the file of AGENT_CONTEXT is no JSON value any more")
	}
	return raw, nil
}

// tool runs the program of a tool. It sees the client's part of the context, and may change it.
func (w *Worker) tool(ctx context.Context, launch manifest.Launch, c agent.Call) (out, whole json.RawMessage, err error) {
	file, err := WriteContext(w.dir, Outward(c.Context))
	if err != nil {
		return nil, nil, err
	}
	out, err = w.run(ctx, launch, c.Input, []string{file.Environ()})
	client, wrong := file.Take()
	if err = errors.Join(err, wrong); err == nil && client != nil {
		whole, err = inward(c.Context, client)
	}
	return out, whole, err
}
