package agent

import (
	"encoding/json"
	"fmt"
)

// Run is a run, as the body of its agent sees it. One goroutine uses it.
type Run struct {
	agent   *made
	ch      *Channel
	request Request
	kit     kit
	context json.RawMessage
	steps   int
	calls   int               // that are left
	bytes   int               // that are left
	seen    map[string]int    // how often each call was made
	garbled map[string]string // calls without JSON input, and the reason
	last    int               // number of the last call
	writing bool              // a step is in progress
}

// Input returns the input of the request.
func (r *Run) Input() json.RawMessage { return r.request.Input }

// Params returns the parameters of the request.
func (r *Run) Params() json.RawMessage { return r.request.Params }

// Context returns the present context.
func (r *Run) Context() json.RawMessage { return r.context }

// SetContext replaces the context, unless it is too large or violates the agent's Forms.
func (r *Run) SetContext(raw json.RawMessage) error {
	if len(raw) > r.agent.Config.InputBytes {
		return fmt.Errorf("%w: the context has %d bytes; the limit is %d", ErrLimit, len(raw), r.agent.Config.InputBytes)
	}
	if err := holds(r.ch.ctx, r.agent.context, raw); err != nil {
		return bad("the context: %w", err)
	}
	r.context = raw
	return nil
}

// Tools describes tools and minions, sorted by name. Their texts may be a stranger's.
func (r *Run) Tools() []Repr { return r.kit.reprs() }

// Extras takes the extra inputs since the last call.
func (r *Run) Extras() []json.RawMessage {
	r.ch.mu.Lock()
	defer r.ch.mu.Unlock()
	out := r.ch.extras
	r.ch.extras = nil
	return out
}

// Check returns an ErrOutput if the run cannot end with a result. Every result of a body is
// checked; a body that can fix its result checks it before.
func (r *Run) Check(output json.RawMessage) error {
	if len(output) > r.agent.Config.InputBytes {
		return fmt.Errorf("%w: it has %d bytes; the limit is %d", ErrOutput, len(output), r.agent.Config.InputBytes)
	}
	if err := holds(r.ch.ctx, r.agent.self.out, output); err != nil {
		return fmt.Errorf("%w: %w", ErrOutput, err)
	}
	return nil
}

// spend counts bytes of input and output.
func (r *Run) spend(n int) error {
	if r.bytes -= n; r.bytes < 0 {
		return fmt.Errorf("%w: all its texts together exceed %d bytes", ErrLimit, r.agent.Config.TotalBytes)
	}
	return nil
}
