// Package face has what all faces of agents and courts have in common: tools that strangers call,
// and answers to clients that may not read them.
package face

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Say tells the client how far a call is.
type Say func(line string)

// About describes a tool to a client.
type About struct {
	Name, Description string
	// Acts says that a call changes something outside, so that a client asks its user before.
	Acts bool
}

// Tool is something that a client may call. Make makes one.
type Tool struct {
	About
	Schema json.RawMessage // of the arguments
	call   func(ctx context.Context, args json.RawMessage, say Say) (any, error)
	wrong  error // the type of the arguments has no schema
}

// Check refuses tools that cannot be served together.
func Check(tools []Tool) error {
	names := map[string]bool{}
	for _, t := range tools {
		switch {
		case t.wrong != nil:
			return fmt.Errorf("tool %s: %w", t.Name, t.wrong)
		case names[t.Name]:
			return fmt.Errorf("two tools have the name %q", t.Name)
		}
		names[t.Name] = true
	}
	return nil
}

// Call calls a tool. Arguments that do not fit never reach it.
func (t Tool) Call(ctx context.Context, args json.RawMessage, say Say) (any, error) {
	return t.call(ctx, args, say)
}

// Make makes a tool. In is a struct, and the schema of the arguments follows from it: its json tags
// name them, and its jsonschema tags describe them.
func Make[In any](about About, call func(context.Context, In, Say) (any, error)) Tool {
	t := Tool{About: about}
	var checked *jsonschema.Resolved
	schema, err := jsonschema.For[In](nil)
	if err == nil {
		checked, err = schema.Resolve(nil)
	}
	if err == nil {
		t.Schema, err = json.Marshal(schema)
	}
	t.wrong = err
	t.call = func(ctx context.Context, args json.RawMessage, say Say) (any, error) {
		if len(args) == 0 || string(args) == "null" {
			args = json.RawMessage("{}")
		}
		var given any
		var in In
		err := json.Unmarshal(args, &given)
		if err == nil {
			err = checked.Validate(given)
		}
		if err == nil {
			err = json.Unmarshal(args, &in)
		}
		if err != nil {
			return nil, fmt.Errorf("the arguments do not fit: %w", err)
		}
		return call(ctx, in, say)
	}
	return t
}

// patient is an answer whose reader may be slow, but not for ever: each write has its own time.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
	time    time.Duration
}

// Patient bounds how long a client may leave unread what it is sent.
func Patient(w http.ResponseWriter, d time.Duration) http.ResponseWriter {
	return &patient{w, http.NewResponseController(w), d}
}

// Unwrap lets a ResponseController find the answer.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Flush implements http.Flusher. What cannot be sent now fails at the next write.
func (p *patient) Flush() { _ = p.control.Flush() }

// Write implements io.Writer.
func (p *patient) Write(b []byte) (int, error) {
	if err := p.control.SetWriteDeadline(time.Now().Add(p.time)); err != nil {
		return 0, err
	}
	return p.ResponseWriter.Write(b)
}
