package agent

import (
	"context"
	"encoding/json"
)

// Agent does something step by step. New makes one from a Body, NewReAct and NewPlanner from a
// ModelSetup. For an agent elsewhere, write a Body that speaks to it.
type Agent interface {
	// Repr describes the agent. It does not change.
	Repr() Repr
	// Forms returns the schemas of its context and its parameters.
	Forms() Forms
	// Run begins to work on a request. The caller reads the channel's steps to the end, or closes
	// it. The error is ErrRequest if the agent does not take the request. The work ends when ctx
	// does.
	Run(ctx context.Context, r Request) (*Channel, error)
}

// Forms are the JSON Schemas of an agent's context and parameters (seed 001); nil accepts any JSON.
type Forms struct {
	Context json.RawMessage `json:"contextSchema,omitempty"`
	Params  json.RawMessage `json:"paramsSchema,omitempty"`
}

// Request is an order for an agent. Fields of JSON that are nil count as null.
type Request struct {
	Input json.RawMessage // satisfies Repr.InputSchema
	// Context goes to tools and minions; those inside may change it. Each step ends with it.
	Context json.RawMessage
	Params  json.RawMessage
	// Inward makes the context of the run of the present one and what the client says that it is
	// now; nil: it is what the client says.
	Inward func(present, theirs json.RawMessage) (json.RawMessage, error)
	// Tools and Minions run at the client: their calls come out of the channel as ClientCall. If
	// the agent has one of the same name, it uses its own.
	Tools, Minions []Repr
	// LocalTools and LocalMinions run inside, like the agent's own.
	LocalTools   []Tool
	LocalMinions []Agent
}

// Tool is a tool that runs in the same process as the agent.
type Tool interface {
	Repr() Repr
	// Use makes a call. It returns soon after ctx ends. The agent reads only the words of a
	// Failure, because another error may contain something that strangers must not read.
	Use(ctx context.Context, c Call) (Answer, error)
}

// Call is a call of a tool. Its input satisfies the tool's schema, but a model wrote it, so it must
// not be trusted.
type Call struct {
	ToolCall
	Context json.RawMessage
}

// Answer is the result of a call.
type Answer struct {
	Output  json.RawMessage // satisfies Repr.OutputSchema
	Context json.RawMessage // the new context of the run; nil does not change it
}

// Failure is an error of a tool, for agents, models and clients to read, up to 500 bytes.
type Failure string

// Error returns the words.
func (f Failure) Error() string { return string(f) }

// NewTool makes a tool from a function.
func NewTool(r Repr, use func(context.Context, Call) (Answer, error)) Tool { return function{r, use} }

type function struct {
	repr Repr
	use  func(context.Context, Call) (Answer, error)
}

func (f function) Repr() Repr { return f.repr }

func (f function) Use(ctx context.Context, c Call) (Answer, error) { return f.use(ctx, c) }
