package agent

import "encoding/json"

// Event is an event of a run: a Step or a *StepReader, ClientCall, ToolResult, MinionStart,
// MinionResult, StepEnd, and at the end one FinalResult. The events of a minion come between its
// MinionStart and its MinionResult. Their ids begin with the minion's call: call 1 of the minion
// that call 2 started is "2/1".
type Event interface{ event() }

// Step is a thought of an agent with its decision.
type Step struct {
	Minion string     `json:"minion,omitempty"` // the call of the step's minion; empty: the agent itself
	N      int        `json:"n"`                // from 1
	Text   string     `json:"text,omitempty"`   // the agent's words
	Plan   []string   `json:"plan,omitempty"`   // the plan, if the step made one
	Calls  []ToolCall `json:"calls,omitempty"`
	Fault  string     `json:"fault,omitempty"` // why the answer of its model could not be used
	Usage  Usage      `json:"usage,omitzero"`
}

// ClientCall is a call that the client must make. The client answers it with Channel.Input: with a
// ToolResult of the same id, or, for a minion, with a MinionChannel. If it cannot or does not want
// to make the call, it answers with ToolResult.Error.
type ClientCall struct {
	ToolCall
	Minion  bool            `json:"minion,omitempty"` // of a minion
	Context json.RawMessage `json:"context,omitempty"`
}

// MinionStart says that a minion began to work on a call.
type MinionStart struct {
	ID   string `json:"id"` // of the call
	Name string `json:"name"`
}

// MinionResult is the end of a minion's work.
type MinionResult struct {
	ToolResult
	Context json.RawMessage `json:"context,omitempty"` // the minion's last context
	Usage   Usage           `json:"usage,omitzero"`
}

// StepEnd says that all calls of a step have results. It has the context for the rest of the run.
type StepEnd struct {
	Minion  string          `json:"minion,omitempty"`
	N       int             `json:"n"`
	Context json.RawMessage `json:"context,omitempty"`
}

// FinalResult ends a successful run.
type FinalResult struct {
	Output  json.RawMessage `json:"output"` // satisfies Repr.OutputSchema
	Context json.RawMessage `json:"context,omitempty"`
	Steps   int             `json:"steps"`
	Usage   Usage           `json:"usage,omitzero"` // including its minions'
}

func (Step) event()         {}
func (*StepReader) event()  {}
func (ClientCall) event()   {}
func (ToolResult) event()   {}
func (MinionStart) event()  {}
func (MinionResult) event() {}
func (StepEnd) event()      {}
func (FinalResult) event()  {}

// below returns a minion's event as an event of the calling run.
func below(call string, e Event) Event {
	switch e := e.(type) {
	case Step:
		return e.below(call)
	case *StepReader:
		return &StepReader{buffer: e.buffer, minion: inside(call, e.minion)}
	case ClientCall:
		e.ID = inside(call, e.ID)
		return e
	case ToolResult:
		e.ID = inside(call, e.ID)
		return e
	case MinionStart:
		e.ID = inside(call, e.ID)
		return e
	case MinionResult:
		e.ID = inside(call, e.ID)
		return e
	case StepEnd:
		e.Minion = inside(call, e.Minion)
		return e
	}
	return e
}

func (s Step) below(call string) Step {
	s.Minion = inside(call, s.Minion)
	s.Calls = append([]ToolCall(nil), s.Calls...)
	for i := range s.Calls {
		s.Calls[i].ID = inside(call, s.Calls[i].ID)
	}
	return s
}

// inside returns an id of a minion as an id of the calling run.
func inside(call, id string) string {
	if id == "" {
		return call
	}
	return call + "/" + id
}
