package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Run is a run, as the body of its agent sees it. One goroutine uses it.
type Run struct {
	agent   *made
	ch      *Channel
	request Request
	kit     kit
	context json.RawMessage
	steps   int
	calls   int                   // that are left
	bytes   int                   // that are left
	seen    map[string]int        // how often each call was made
	garbled map[string]string     // calls without JSON input, and the reason
	made    map[string]ToolResult // calls that the body made itself, and what came of them
	own     map[string]int        // working minions of the body itself, and their steps
	last    int                   // number of the last call
	writing bool                  // a step is in progress
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
	out := r.ch.extras.list
	r.ch.extras.list = nil
	return out
}

// News has something when extra inputs came since it was read last. Extras takes them.
func (r *Run) News() <-chan struct{} { return r.ch.extras.news }

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

// Spend counts a cost that is in no step.
func (r *Run) Spend(u Usage) { r.ch.spend(u) }

// Relay gives the client an event of a minion that the body runs itself, elsewhere: MinionStart, a
// Step without calls, or MinionResult. The id of such a minion begins with a letter, so that it is
// not that of a call. Steps are numbered here, and end without further calls.
func (r *Run) Relay(e Event) error {
	if r.writing {
		return errors.New("agent: an event of a minion within a step of the agent")
	}
	if err := r.spend(relayCost); err != nil {
		return err
	}
	switch e := e.(type) {
	case MinionStart:
		if _, open := r.own[e.ID]; open || !ownID.MatchString(e.ID) || !names.MatchString(e.Name) || len(r.own) >= r.agent.Config.Offers {
			return fmt.Errorf("agent: no minion can begin with the id %q and the name %q", plain(e.ID, maxName), plain(e.Name, maxName))
		}
		r.own[e.ID] = 0
		return r.ch.emit(e)
	case Step:
		if _, open := r.own[e.Minion]; !open || len(e.Calls) > 0 {
			return fmt.Errorf("agent: a step of the minion %q, which did not begin, or with calls", plain(e.Minion, maxName))
		}
		r.own[e.Minion]++
		e.N, e.Fault = r.own[e.Minion], plain(e.Fault, 4*maxWords)
		if err := r.spend(len(e.Text) + len(strings.Join(e.Plan, "")) + relayCost*len(e.Plan)); err != nil {
			return err
		}
		r.ch.spend(e.Usage)
		if err := r.ch.emit(e); err != nil {
			return err
		}
		return r.ch.emit(StepEnd{Minion: e.Minion, N: e.N, Context: r.context})
	case MinionResult:
		if _, open := r.own[e.ID]; !open {
			return fmt.Errorf("agent: the end of the minion %q, which did not begin", plain(e.ID, maxName))
		}
		delete(r.own, e.ID)
		result, err := r.settle(&job{call: ToolCall{ID: e.ID, Name: e.Name}}, e.ToolResult)
		if err != nil {
			return err
		}
		return r.ch.emit(MinionResult{ToolResult: result, Context: r.context})
	}
	return fmt.Errorf("agent: an event of type %T is not one of a minion", e)
}

// relayCost is what an event of a minion, a plan, an item of it and a call count besides their
// texts, in bytes.
const relayCost = 64

var ownID = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_.-]{0,63}$`)

// spend counts bytes of input and output.
func (r *Run) spend(n int) error {
	if r.bytes -= n; r.bytes < 0 {
		return fmt.Errorf("%w: all its texts together exceed %d bytes", ErrLimit, r.agent.Config.TotalBytes)
	}
	return nil
}
