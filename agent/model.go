package agent

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Model is a language model. Implementations wrap a provider.
type Model interface {
	// Generate answers a prompt. It returns when ctx ends. Errors wrap one of those below. What
	// Prompt.Heard was told is no answer, because a part could be mistaken for the whole.
	Generate(ctx context.Context, p Prompt) (Reply, error)
	// Name names the model for opinions and metrics, in at most 128 bytes.
	Name() string
}

// Prompt is a question to a model, which its author tells that quotes of strangers are data.
type Prompt struct {
	System   string
	Messages []Message
	// Schema is the JSON Schema (2020-12) of the answer. If it is nil, any text is valid. The
	// caller checks the answer again.
	Schema json.RawMessage
	// Tools may be called instead of an answer. A model that cannot call tools returns ErrTools.
	Tools []Repr
	// MaxTokens bounds the answer, 1 to 32768.
	MaxTokens int
	// Temperature is 0 for the most probable answer, at most 2.
	Temperature float64
	// Seed makes sampling repeatable if the server supports it. 0 means none.
	Seed int64
	// Heard is told the text of the answer while it comes, by the goroutine of Generate, and an
	// empty text when the answer begins, also if it begins anew. Not every model tells. nil: nobody
	// hears.
	Heard func(text string)
	// Besides names families, as replies do. A model of another one is asked, if there is one that
	// is not resting. If "" is among them, any may be the same. A single model ignores it.
	Besides []string
}

// Role is the speaker of a message.
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
	// Calls are the assistant's calls. Result is the result of one, with role tool.
	Calls  []ToolCall
	Result *ToolResult
}

// Reply is a model's answer: a text, or calls of tools.
type Reply struct {
	Text  string
	Calls []ToolCall
	Model string // which model answered, if several stand behind one Model
	// Family is the family of the model that answered; "" if it is not known.
	Family string
	Usage  Usage
}

// Usage is the cost of an answer.
type Usage struct {
	Calls      int           `json:"calls"` // requests to a server, repeated ones included
	Prompt     int           `json:"prompt_tokens"`
	Completion int           `json:"completion_tokens"`
	Cost       uint64        `json:"cost_micros"` // millionths of a US dollar, by the configured prices
	Time       time.Duration `json:"time_ns"`
}

// Add adds another cost.
func (u *Usage) Add(v Usage) {
	u.Calls += v.Calls
	u.Prompt += v.Prompt
	u.Completion += v.Completion
	u.Cost += v.Cost
	u.Time += v.Time
}

// The reasons why a model gave no answer.
var (
	ErrTools    = errors.New("agent: the model cannot call tools")
	ErrRefused  = errors.New("agent: the model server refuses the request")   // 4xx: a retry is useless
	ErrBusy     = errors.New("agent: the model server is busy")               // 429, 503, after all retries
	ErrDown     = errors.New("agent: the model server cannot be reached")     // no connection, 5xx, no answer in time
	ErrGarbled  = errors.New("agent: the model's answer cannot be used")      // truncated, no JSON, or invalid by the schema
	ErrSpent    = errors.New("agent: the budget of model calls is used up")   // tokens, money or time
	ErrTooLarge = errors.New("agent: the model server's answer is too large") // bytes
)
