package channel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"ojud/agent"
)

// Body is what a session carries: exactly one of its members. Run, Extra and Cancel come from
// the client, Result from both, and the rest from the agent.
type Body struct {
	Run    *RunOrder         `json:"run,omitempty"`
	Extra  *Extra            `json:"extra,omitempty"`
	Cancel *Cancel           `json:"cancel,omitempty"`
	Result *agent.ToolResult `json:"result,omitempty"` // the end of a call of a tool

	Step         *agent.Step         `json:"step,omitempty"`
	Begin        *StepBegin          `json:"begin,omitempty"` // of a step in chunks
	Chunk        *Piece              `json:"chunk,omitempty"`
	Stop         *StepStop           `json:"stop,omitempty"` // of a step in chunks
	Call         *agent.ClientCall   `json:"call,omitempty"`
	MinionStart  *agent.MinionStart  `json:"minion_start,omitempty"`
	MinionResult *agent.MinionResult `json:"minion_result,omitempty"`
	StepEnd      *agent.StepEnd      `json:"step_end,omitempty"`
	Final        *agent.FinalResult  `json:"final,omitempty"`
	Refused      *InputRefused       `json:"refused,omitempty"`
	End          json.RawMessage     `json:"end,omitempty"` // the end of the call, as agent.invoke returns it
}

// RunOrder is the first message of a client. Its correlation id is the name of the session.
type RunOrder struct {
	Capability string          `json:"capability"`
	Input      json.RawMessage `json:"input"`
	Context    json.RawMessage `json:"context,omitempty"`
	Params     json.RawMessage `json:"params,omitempty"`
	Tools      []agent.Repr    `json:"tools,omitempty"`   // that the client runs
	Minions    []agent.Repr    `json:"minions,omitempty"` // that the client runs
	Chunks     bool            `json:"chunks,omitempty"`
	Timeout    int64           `json:"timeout_ms,omitempty"`
	// Invocation is the file of the call that a caller from elsewhere signed, and Onward that of
	// the chain for what the agent does in it.
	Invocation json.RawMessage `json:"invocation,omitempty"`
	Onward     json.RawMessage `json:"onward,omitempty"`
}

// Extra is an extra input.
type Extra struct {
	Minion  string          `json:"minion,omitempty"` // the call of the minion; empty: the agent itself
	Content json.RawMessage `json:"content"`
}

// Cancel ends the run.
type Cancel struct{}

// StepBegin is where a step is.
type StepBegin struct {
	Minion string `json:"minion,omitempty"`
	N      int    `json:"n"`
}

// Piece is a part of a step: of its text, a call, or its plan.
type Piece struct {
	StepBegin
	Text string          `json:"text,omitempty"`
	Call *agent.ToolCall `json:"call,omitempty"`
	Plan []string        `json:"plan,omitempty"`
}

// StepStop is the end of a step in chunks.
type StepStop struct {
	StepBegin
	Fault string      `json:"fault,omitempty"`
	Usage agent.Usage `json:"usage,omitzero"`
}

// InputRefused says that an input of the client was not taken.
type InputRefused struct {
	ID    string `json:"id,omitempty"` // of the call; empty: an extra input
	Error string `json:"error"`
}

// Beneath returns a message of a minion as one of the run that called it. Its ids begin with the
// call.
func (m Body) Beneath(call string) Body {
	at := func(id string) string {
		if id == "" {
			return call
		}
		return call + "/" + id
	}
	calls := func(list []agent.ToolCall) (out []agent.ToolCall) {
		for _, c := range list {
			c.ID = at(c.ID)
			out = append(out, c)
		}
		return out
	}
	switch {
	case m.Step != nil:
		s := *m.Step
		s.Minion, s.Calls = at(s.Minion), calls(s.Calls)
		m.Step = &s
	case m.Begin != nil:
		m.Begin = &StepBegin{at(m.Begin.Minion), m.Begin.N}
	case m.Chunk != nil:
		c := *m.Chunk
		c.Minion = at(c.Minion)
		if c.Call != nil {
			c.Call = &calls([]agent.ToolCall{*c.Call})[0]
		}
		m.Chunk = &c
	case m.Stop != nil:
		s := *m.Stop
		s.Minion = at(s.Minion)
		m.Stop = &s
	case m.Call != nil:
		c := *m.Call
		c.ID = at(c.ID)
		m.Call = &c
	case m.Result != nil:
		r := *m.Result
		r.ID = at(r.ID)
		m.Result = &r
	case m.MinionStart != nil:
		m.MinionStart = &agent.MinionStart{ID: at(m.MinionStart.ID), Name: m.MinionStart.Name}
	case m.MinionResult != nil:
		r := *m.MinionResult
		r.ID = at(r.ID)
		m.MinionResult = &r
	case m.StepEnd != nil:
		e := *m.StepEnd
		e.Minion = at(e.Minion)
		m.StepEnd = &e
	}
	return m
}

// Encode writes a message.
func (m Body) Encode() (json.RawMessage, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // it would write six bytes for one
	err := e.Encode(m)
	raw := bytes.TrimSpace(out.Bytes())
	if err == nil && len(raw) > maxBody {
		return nil, fmt.Errorf("a message has %d bytes; the limit is %d", len(raw), maxBody)
	}
	return raw, err
}

// DecodeBody reads a message of a stranger.
func DecodeBody(raw json.RawMessage) (Body, error) {
	if m, ok := quickBody(raw); ok {
		return m, nil
	}
	return slowBody(raw)
}

// slowBody reads any message.
func slowBody(raw json.RawMessage) (m Body, err error) {
	doc, err := limits().Decode(raw)
	if err != nil {
		return m, fmt.Errorf("a message is no JSON as it should be: %w", err)
	}
	members, ok := doc.(map[string]any)
	if !ok || len(members) != 1 {
		return m, errors.New("a message is a JSON object with one member")
	}
	if err := known(members, "run", "extra", "cancel", "result", "step", "begin", "chunk", "stop", "call", "minion_start", "minion_result",
		"step_end", "final", "refused", "end"); err != nil {
		return m, err
	}
	for name, v := range members {
		if v == nil {
			return m, fmt.Errorf("%s is null", name)
		}
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, fmt.Errorf("a message has a member of another type: %w", err)
	}
	return m, nil
}
