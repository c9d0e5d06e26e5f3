package agent

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Model is a language model. Implementations wrap a provider; package agent knows none.
type Model interface {
	// Generate answers a prompt, whole: nothing is streamed, so a cut answer cannot be taken for one. It returns when ctx ends. Errors wrap one of
	// those below.
	Generate(ctx context.Context, p Prompt) (Reply, error)
	// Name says which model this is, as opinions and metrics name it: at most 128 bytes.
	Name() string
}

// Prompt is what a model is asked. Its texts may quote strangers; that they are data is for who writes the prompt to say in it.
type Prompt struct {
	System   string
	Messages []Message
	// Schema is the JSON Schema (2020-12) that the answer has to satisfy; nil: any text. The answer is checked against it again by who asks.
	Schema json.RawMessage
	// Tools may be called instead of answering, by a model that can; one that cannot returns ErrTools.
	Tools []Repr
	// MaxTokens bounds the answer, 1 to 32768.
	MaxTokens int
	// Temperature is 0 for the likeliest answer, up to 2.
	Temperature float64
	// Seed makes sampling repeatable where the server can; 0: none.
	Seed int64
}

// Role is who says something in a prompt.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is a turn of a conversation with a model.
type Message struct {
	Role Role
	Text string
	// Calls are those that the assistant made; Result is what came of one, with role tool.
	Calls  []ToolCall
	Result *ToolResult
}

// Reply is what a model answered: a text, or calls of tools.
type Reply struct {
	Text  string
	Calls []ToolCall
	Model string // which model answered, if several stand behind one Model
	Usage Usage
}

// Usage is what an answer took.
type Usage struct {
	Calls      int           `json:"calls"` // requests to a server, repeated ones included
	Prompt     int           `json:"prompt_tokens"`
	Completion int           `json:"completion_tokens"`
	Cost       uint64        `json:"cost_micros"` // millionths of a US dollar, by the prices that the owner configured
	Time       time.Duration `json:"time_ns"`
}

// Add adds up.
func (u *Usage) Add(v Usage) {
	u.Calls += v.Calls
	u.Prompt += v.Prompt
	u.Completion += v.Completion
	u.Cost += v.Cost
	u.Time += v.Time
}

// Why a model gave no answer.
var (
	ErrTools    = errors.New("agent: the model cannot call tools")
	ErrRefused  = errors.New("agent: the model server refuses the request")   // 4xx: another time will not help
	ErrBusy     = errors.New("agent: the model server is busy")               // 429, 503, after what retries were allowed
	ErrDown     = errors.New("agent: the model server cannot be reached")     // no connection, 5xx, no answer in time
	ErrGarbled  = errors.New("agent: the model's answer cannot be used")      // cut off, no JSON, not as the schema says
	ErrSpent    = errors.New("agent: the budget of model calls is used up")   // tokens, money or time
	ErrTooLarge = errors.New("agent: the model server's answer is too large") // bytes
)
