package model

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ojud/agent"
)

func thinksFirst(e *Endpoint) { e.ThinkFirst = true }

// TestThinkFirst: such a model is asked twice for an answer in a form, first for free text. Both
// calls begin alike, so that a server reads the beginning once.
func TestThinkFirst(t *testing.T) {
	type message struct{ Role, Content string }
	long := strings.Repeat("é", maxThought)
	for name, c := range map[string]struct {
		first behaviour
		want  string // what the model is told of its thoughts
	}{
		"a thought":                  {says("  It has ten lines.\n"), "It has ten lines."},
		"a thought that is cut off":  {stops("It has ten", "length"), "It has ten"},
		"a thought with JSON":        {says(`{"accept":false}`), `{"accept":false}`},
		"too long":                   {says(long), long[:maxThought]},
		"nothing":                    {says(""), "I have nothing to add."},
		"a call of a tool, has none": {calls("ask", `"{}"`), "I have nothing to add."},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.first, says(`{"accept":true}`))
			l := opened(t, config(entry(s, thinksFirst)))
			reply := ask(t, l, question(withSchema))
			same(t, "text", reply.Text, `{"accept":true}`)
			same(t, "usage", reply.Usage.Calls*100+reply.Usage.Prompt, 220)
			got := s.requests()
			same(t, "requests", len(got), 2)
			same(t, "the form of the thought", got[0].said("response_format"), "")
			if !strings.Contains(got[1].said("response_format"), "accept") {
				t.Errorf("the answer has no form: %s", got[1].said("response_format"))
			}
			var first, second []message
			for i, into := range []*[]message{&first, &second} {
				if err := json.Unmarshal(got[i].body["messages"], into); err != nil {
					t.Fatal(err)
				}
			}
			if len(first) != 2 || len(second) != 4 || first[0] != second[0] || first[1] != second[1] || first[1].Content != "Well?\n\n"+thinkWords {
				t.Fatalf("%q\n%q", first, second)
			}
			same(t, "thought", second[2], message{"assistant", c.want})
			same(t, "last", second[3], message{"user", formWords})
		})
	}
}

// TestThinkFirstNot: nothing is thought about a free answer, with tools, after a tool's result, or
// if the probe asks. If the server fails, that is the answer; a budget bounds both calls.
func TestThinkFirstNot(t *testing.T) {
	s := serve(t, says(`{"accept":true}`))
	l := opened(t, config(entry(s, thinksFirst, canCall)))
	ask(t, l, question())
	ask(t, l, question(withSchema, func(p *agent.Prompt) { p.Tools = []agent.Repr{{Name: "ask"}} }))
	ask(t, l, question(withSchema, func(p *agent.Prompt) {
		p.Messages = append(p.Messages, agent.Message{Role: agent.Assistant, Calls: []agent.ToolCall{{ID: "1", Name: "ask", Input: []byte(`{}`)}}},
			agent.Message{Role: agent.ToolRole, Result: &agent.ToolResult{ID: "1", Name: "ask", Output: []byte(`1`)}})
	}))
	if health := l.Probe(t.Context()); health[0].Err != nil {
		t.Error(health[0].Err)
	}
	same(t, "requests", len(s.requests()), 4)

	s = serve(t, failure(401, "no such key"))
	l = opened(t, config(entry(s, thinksFirst)))
	if _, err := l.Generate(t.Context(), question(withSchema)); !errors.Is(err, agent.ErrRefused) {
		t.Errorf("%v", err)
	}
	same(t, "requests", len(s.requests()), 1)

	s = serve(t, says("So it is."))
	l = opened(t, config(entry(s, thinksFirst)))
	b := l.Budget()
	b.Calls = 1
	reply, err := l.Session(b).Generate(t.Context(), question(withSchema))
	if !errors.Is(err, agent.ErrSpent) || reply.Usage.Calls != 1 {
		t.Errorf("%+v, %v", reply.Usage, err)
	}
}
