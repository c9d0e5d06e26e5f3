package agent

import (
	"encoding/json"
	"fmt"
)

// Run is a run as the body of its agent sees it. One goroutine uses it.
type Run struct {
	agent   *made
	ch      *Channel
	request Request
	kit     kit
	context json.RawMessage
	steps   int
	calls   int               // that may still be made
	bytes   int               // that may still be said and heard
	seen    map[string]int    // how often each call was made
	garbled map[string]string // calls whose inputs are no JSON, and what is wrong with them
	last    int               // number of the last call
	writing bool              // a step has begun and not ended
}

// Input is the input of the request.
func (r *Run) Input() json.RawMessage { return r.request.Input }

// Params are the parameters of the request.
func (r *Run) Params() json.RawMessage { return r.request.Params }

// Context is the context as it is now.
func (r *Run) Context() json.RawMessage { return r.context }

// SetContext replaces the context. An error: it is too large, or not as the agent's Forms say.
func (r *Run) SetContext(raw json.RawMessage) error {
	if len(raw) > r.agent.Config.InputBytes {
		return fmt.Errorf("%w: a context of %d bytes; at most %d", ErrLimit, len(raw), r.agent.Config.InputBytes)
	}
	if err := holds(r.ch.ctx, r.agent.context, raw); err != nil {
		return bad("the context: %w", err)
	}
	r.context = raw
	return nil
}

// Tools describes what the run may call, tools and minions alike, by name. Their texts may be a stranger's.
func (r *Run) Tools() []Repr { return r.kit.reprs() }

// StepsLeft is how many more steps the run may have.
func (r *Run) StepsLeft() int { return r.agent.Config.Steps - r.steps }

// CallsLeft is how many more calls the run may make.
func (r *Run) CallsLeft() int { return r.calls }

// Extras takes the extra inputs that have come since it was last asked.
func (r *Run) Extras() []json.RawMessage {
	r.ch.mu.Lock()
	defer r.ch.mu.Unlock()
	out := r.ch.extras
	r.ch.extras = nil
	return out
}

// Check reports whether a result is one that the run can end with; ErrOutput says what is wrong with it. Every result of a body is checked; a body
// that can mend it asks before.
func (r *Run) Check(output json.RawMessage) error {
	if len(output) > r.agent.Config.InputBytes {
		return fmt.Errorf("%w: it has %d bytes; at most %d", ErrOutput, len(output), r.agent.Config.InputBytes)
	}
	if err := holds(r.ch.ctx, r.agent.self.out, output); err != nil {
		return fmt.Errorf("%w: %w", ErrOutput, err)
	}
	return nil
}

// spend counts what is said and heard.
func (r *Run) spend(n int) error {
	if r.bytes -= n; r.bytes < 0 {
		return fmt.Errorf("%w: it has said and heard more than %d bytes", ErrLimit, r.agent.Config.TotalBytes)
	}
	return nil
}
