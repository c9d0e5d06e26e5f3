package agenttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"ojud/agent"
)

// Turn is one answer of a scripted model: it waits, then answers, or hangs until ctx ends.
type Turn struct {
	Reply agent.Reply
	Err   error
	After time.Duration
	Hang  bool
	Do    func(agent.Prompt) (agent.Reply, error) // instead of Reply and Err
}

// Say answers a text.
func Say(text string) Turn { return Turn{Reply: agent.Reply{Text: text}} }

// Call answers with JSON that calls a tool. input is JSON.
func Call(tool, input string) Turn {
	return Say(fmt.Sprintf(`{"thought":"I use %s","action":"call","tool":%q,"input":%s}`, tool, tool, input))
}

// Finish answers with JSON that ends the run with a result, which is JSON.
func Finish(result string) Turn {
	return Say(fmt.Sprintf(`{"thought":"I know it","action":"finish","result":%s}`, result))
}

// Native answers with a server's own tool calls.
func Native(text string, calls ...agent.ToolCall) Turn {
	return Turn{Reply: agent.Reply{Text: text, Calls: calls}}
}

// NativeCall is a call for Native; input is JSON.
func NativeCall(id, name, input string) agent.ToolCall {
	return agent.ToolCall{ID: id, Name: name, Input: json.RawMessage(input)}
}

// Fail answers with an error.
func Fail(err error) Turn { return Turn{Err: err} }

// Model gives the turns of its script in order. It fails the test when the script has run out, and
// if servers would refuse a prompt. Each answer costs one call, and as many tokens as the text and
// the prompt's messages have bytes.
type Model struct {
	t testing.TB

	mu      sync.Mutex
	lines   []Turn
	prompts []agent.Prompt
}

var _ agent.Model = (*Model)(nil)

// NewModel returns a model with these turns. At the end of the test, unused turns fail it.
func NewModel(t testing.TB, lines ...Turn) *Model {
	m := &Model{t: t, lines: lines}
	t.Cleanup(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if len(m.lines) > 0 {
			t.Errorf("agenttest: %d lines of the script were not used", len(m.lines))
		}
	})
	return m
}

// Name returns "scripted".
func (m *Model) Name() string { return "scripted" }

// Prompts returns all prompts.
func (m *Model) Prompts() []agent.Prompt {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.prompts)
}

// Generate answers with the next turn.
func (m *Model) Generate(ctx context.Context, p agent.Prompt) (agent.Reply, error) {
	line, err := m.next(p)
	if err != nil {
		return agent.Reply{}, err
	}
	if line.Hang {
		<-ctx.Done()
		return agent.Reply{}, ctx.Err()
	}
	if line.After > 0 {
		select {
		case <-time.After(line.After):
		case <-ctx.Done():
			return agent.Reply{}, ctx.Err()
		}
	}
	reply := line.Reply
	if line.Do != nil {
		reply, line.Err = line.Do(p)
	}
	reply.Model, reply.Usage = m.Name(), usage(p, reply)
	return reply, line.Err
}

func (m *Model) next(p agent.Prompt) (Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prompts = append(m.prompts, p)
	if err := Check(p); err != nil {
		m.t.Errorf("agenttest: prompt %d: %v", len(m.prompts), err)
	}
	if len(m.lines) == 0 {
		m.t.Errorf("agenttest: the script has run out at prompt %d", len(m.prompts))
		return Turn{}, errors.New("agenttest: the script has run out")
	}
	line := m.lines[0]
	m.lines = m.lines[1:]
	return line, nil
}

func usage(p agent.Prompt, r agent.Reply) agent.Usage {
	u := agent.Usage{Calls: 1, Completion: len(r.Text)}
	for _, m := range p.Messages {
		u.Prompt += len(m.Text)
	}
	return u
}
