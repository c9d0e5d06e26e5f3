package agent

import (
	"context"
	"encoding/json"
)

// Agent does something step by step. New makes one of a Body, NewReAct and NewPlanner make one of a Model; an agent that runs elsewhere is a
// Body that speaks to it.
type Agent interface {
	// Repr describes the agent; it does not change.
	Repr() Repr
	// Forms says what its context and its parameters look like.
	Forms() Forms
	// Run begins to work on a request. The caller reads the channel's steps to the end, or closes it. ErrRequest: the request is not one that
	// this agent takes. The work ends when ctx does.
	Run(ctx context.Context, r Request) (*Channel, error)
}

// Forms are the JSON Schemas of what else goes into an agent besides its input (seed 001, AgentRepr); nil accepts any JSON.
type Forms struct {
	Context json.RawMessage `json:"contextSchema,omitempty"`
	Params  json.RawMessage `json:"paramsSchema,omitempty"`
}

// Request is what an agent is asked to do, and with what. Texts that are nil count as null.
type Request struct {
	Input json.RawMessage // satisfies Repr.InputSchema
	// Context goes to the tools and minions, which may change it where they run inside, and comes back at the end of every step.
	Context json.RawMessage
	Params  json.RawMessage
	// Tools and Minions are run by the client: their calls come out of the channel as ClientCall. Where the agent has one of that name itself,
	// its own is used.
	Tools, Minions []Repr
	// LocalTools and LocalMinions are run inside, as the agent's own are.
	LocalTools   []Tool
	LocalMinions []Agent
}

// Tool is something that an agent can use and that runs where the agent does.
type Tool interface {
	Repr() Repr
	// Use does what a call asks for. It returns soon after ctx has ended. Of its error the agent reads the words of a Failure and of no other:
	// an error of a library may name what strangers must not read.
	Use(ctx context.Context, c Call) (Answer, error)
}

// Call is a call of a tool, whose input satisfies the tool's schema. Everything in it comes from a model: data, not to be trusted.
type Call struct {
	ToolCall
	Context json.RawMessage
}

// Answer is what a tool found or did.
type Answer struct {
	Output  json.RawMessage // satisfies Repr.OutputSchema
	Context json.RawMessage // replaces that of the run; nil leaves it
}

// Failure is an error of a tool in words that an agent, its model and its client may read: at most 500 bytes of it are kept.
type Failure string

// Error returns the words.
func (f Failure) Error() string { return string(f) }

// NewTool makes a tool of a function.
func NewTool(r Repr, use func(context.Context, Call) (Answer, error)) Tool { return function{r, use} }

type function struct {
	repr Repr
	use  func(context.Context, Call) (Answer, error)
}

// Repr implements Tool.
func (f function) Repr() Repr { return f.repr }

// Use implements Tool.
func (f function) Use(ctx context.Context, c Call) (Answer, error) { return f.use(ctx, c) }
