package agent

import "encoding/json"

// Event is something that a run does: a Step or a *StepReader, ClientCall, ToolResult, MinionStart, MinionResult, StepEnd, and in the end
// one FinalResult. What a minion does comes between its MinionStart and its MinionResult, with ids that begin with the minion's call: call 1
// of the minion that call 2 started is "2/1".
type Event interface{ event() }

// Step is what an agent thought and decided at once.
type Step struct {
	Minion string     `json:"minion,omitempty"` // the call of the minion whose step it is; empty: the agent's own
	N      int        `json:"n"`                // from 1
	Text   string     `json:"text,omitempty"`   // what it said about it
	Plan   []string   `json:"plan,omitempty"`   // what it is going to do, if it planned in this step
	Calls  []ToolCall `json:"calls,omitempty"`
	Fault  string     `json:"fault,omitempty"` // why the answer of its model could not be used
	Usage  Usage      `json:"usage,omitzero"`
}

// ClientCall is a call that the client makes, because the agent cannot. It is answered with Channel.Input: with a ToolResult of the same id,
// or, if it is a minion's, with a MinionChannel. What the client cannot or will not do, it answers with ToolResult.Error.
type ClientCall struct {
	ToolCall
	Minion  bool            `json:"minion,omitempty"` // a minion is called
	Context json.RawMessage `json:"context,omitempty"`
}

// MinionStart says that a minion has begun to work on a call.
type MinionStart struct {
	ID   string `json:"id"` // of the call
	Name string `json:"name"`
}

// MinionResult says how a minion's work ended.
type MinionResult struct {
	ToolResult
	Context json.RawMessage `json:"context,omitempty"` // the minion's in the end
	Usage   Usage           `json:"usage,omitzero"`
}

// StepEnd says that every call of a step has its result, and with which context the run goes on.
type StepEnd struct {
	Minion  string          `json:"minion,omitempty"`
	N       int             `json:"n"`
	Context json.RawMessage `json:"context,omitempty"`
}

// FinalResult ends a run that succeeded.
type FinalResult struct {
	Output  json.RawMessage `json:"output"` // satisfies Repr.OutputSchema
	Context json.RawMessage `json:"context,omitempty"`
	Steps   int             `json:"steps"`
	Usage   Usage           `json:"usage,omitzero"` // with that of the minions
}

func (Step) event()         {}
func (*StepReader) event()  {}
func (ClientCall) event()   {}
func (ToolResult) event()   {}
func (MinionStart) event()  {}
func (MinionResult) event() {}
func (StepEnd) event()      {}
func (FinalResult) event()  {}

// below returns what a minion's event is in the run that called the minion.
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

// inside names something of a minion in the run that called it.
func inside(call, id string) string {
	if id == "" {
		return call
	}
	return call + "/" + id
}
