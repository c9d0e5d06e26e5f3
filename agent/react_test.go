package agent_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ojud/agent"
	"ojud/agent/agenttest"
)

const (
	sumForm  = `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"],"additionalProperties":false}`
	wordForm = `{"type":"object","properties":{"word":{"type":"string","maxLength":20}},"required":["word"],"additionalProperties":false}`
)

// sum adds two numbers and counts its calls in the context.
var sumRepr = agent.Repr{Name: "sum", Description: "Adds two numbers.", InputSchema: []byte(sumForm), OutputSchema: []byte(`{"type":"integer"}`)}

func sum() agent.Tool {
	t := agenttest.Tool("sum", func(input string) (string, error) {
		var a, b int
		_, err := fmt.Sscanf(input, `{"a":%d,"b":%d}`, &a, &b)
		return fmt.Sprint(a + b), err
	})
	return agent.NewTool(sumRepr, t.Use)
}

// setup returns the setup of an agent that answers a word.
func setup() agent.Setup {
	return agent.Setup{
		Repr:   agent.Repr{Name: "words", Description: "Finds a word.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(wordForm)},
		Tools:  []agent.Tool{sum()},
		Config: agent.DefaultConfig(),
	}
}

const instructions = "You find words."

// scene is a run of a scripted model.
type scene struct {
	name    string
	planned bool
	native  bool
	lines   []agenttest.Turn
	client  agenttest.Client
	tools   []agent.Repr
	change  func(*agent.Setup)
	want    error // class
}

func (s scene) play(t *testing.T, chunks bool) ([]agent.Event, *agenttest.Model, error) {
	t.Helper()
	m := agenttest.NewModel(t, s.lines...)
	config := setup()
	if s.change != nil {
		s.change(&config)
	}
	build := agent.NewReAct
	if s.planned {
		build = agent.NewPlanner
	}
	a, err := build(config, agent.ModelSetup{Model: m, Instructions: instructions, Native: s.native})
	if err != nil {
		t.Fatal(err)
	}
	ch := run(t, a, agent.Request{Input: []byte(`{"about": "owls"}`), Context: []byte(`{"day":"Monday"}`), Tools: s.tools})
	events, err := s.client.Follow(t, ch, chunks)
	return events, m, err
}

// prompts writes down the prompts that a model got.
func prompts(m *agenttest.Model) string {
	var b strings.Builder
	for i, p := range m.Prompts() {
		fmt.Fprintf(&b, "=== prompt %d, at most %d tokens\n", i+1, p.MaxTokens)
		if i == 0 {
			fmt.Fprintf(&b, "system: %s\n", p.System)
		}
		fmt.Fprintf(&b, "schema: %s\n", p.Schema)
		for _, r := range p.Tools {
			fmt.Fprintf(&b, "tool: %s %s\n", r.Name, r.InputSchema)
		}
		for _, m := range p.Messages {
			fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Text)
			for _, c := range m.Calls {
				fmt.Fprintf(&b, "  calls %s %s %s\n", c.ID, c.Name, c.Input)
			}
			if m.Result != nil {
				fmt.Fprintf(&b, "  result of %s %s: %s%s\n", m.Result.ID, m.Result.Name, m.Result.Output, m.Result.Error)
			}
		}
	}
	return b.String()
}

var search = agent.Repr{Name: "search", Description: "Looks for a word.", InputSchema: []byte(`{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`)}

func scenes() []scene {
	done := agenttest.Finish(`{"word":"owl"}`)
	found := agenttest.Client{"search": agenttest.Answer(`{"found": ["owl"]}`)}
	return []scene{
		{name: "react", lines: []agenttest.Turn{agenttest.Call("sum", `{"a":1,"b":2}`), agenttest.Call("search", `{"q":"owl"}`), done}, client: found, tools: []agent.Repr{search}},
		{name: "react-native", native: true, tools: []agent.Repr{search}, client: found, lines: []agenttest.Turn{
			agenttest.Native("both at once", agenttest.NativeCall("x1", "sum", `{"a":1,"b":2}`), agenttest.NativeCall("x1", "search", `{"q":"owl"}`)),
			agenttest.Native("", agenttest.NativeCall("x2", "finish", `{"result":{"word":7}}`)),
			agenttest.Native("", agenttest.NativeCall("x3", "finish", `{"result":{"word":"owl"}}`)),
		}},
		{name: "react-no-native", native: true, lines: []agenttest.Turn{
			agenttest.Native("", agenttest.NativeCall("x1", "sum", `{"a":1,"b":2}`)), agenttest.Fail(agent.ErrTools), agenttest.Call("sum", `{"a":3,"b":4}`), done,
		}},
		{name: "repairs", lines: []agenttest.Turn{
			agenttest.Say("The word is owl."), agenttest.Say(`{"action":"finish","result":{"word":"ow`), agenttest.Finish(`{"word":"owl","why":"I like it"}`), done,
		}},
		{name: "strange tools", lines: []agenttest.Turn{
			agenttest.Call("rm", `{"path":"/"}`), agenttest.Call("sum", `{"a":"1"}`), agenttest.Call("search", `{"q":"owl"}`), done,
		}, tools: []agent.Repr{search}, client: agenttest.Client{"search": agenttest.Refuse("nobody\nhas it")}},
		{name: "loop", want: agent.ErrLoop, lines: []agenttest.Turn{
			agenttest.Call("sum", `{"a":1,"b":2}`), agenttest.Call("sum", `{"b":2,"a":1}`), agenttest.Call("sum", `{"a":1,"b":2}`), agenttest.Call("sum", `{"a":1,"b":2}`),
		}},
		{name: "last step", change: func(s *agent.Setup) { s.Config.Steps = 2 }, lines: []agenttest.Turn{agenttest.Call("sum", `{"a":1,"b":2}`), done}},
		{name: "no calls left", change: func(s *agent.Setup) { s.Config.Calls = 1 }, lines: []agenttest.Turn{agenttest.Call("sum", `{"a":1,"b":2}`), done}},
		{name: "planner", planned: true, tools: []agent.Repr{search}, client: found, lines: []agenttest.Turn{
			agenttest.Say(`{"thought":"two things","action":"plan","plan":["add","look it up"]}`), agenttest.Call("sum", `{"a":1,"b":2}`), agenttest.Say(`{"action":"next","note":"it is 3"}`),
			agenttest.Say(`{"action":"plan","plan":["search for owl"]}`), agenttest.Call("search", `{"q":"owl"}`), agenttest.Say(`{"action":"next","note":"found"}`), done,
		}},
		{name: "planner-native", planned: true, native: true, lines: []agenttest.Turn{
			agenttest.Native("two things", agenttest.NativeCall("p", "plan", `{"plan":["add"]}`)), agenttest.Native("", agenttest.NativeCall("q", "sum", `{"a":1,"b":2}`)),
			agenttest.Native("", agenttest.NativeCall("r", "next", `{"note":"3"}`)), agenttest.Native("", agenttest.NativeCall("s", "finish", `{"result":{"word":"owl"}}`)),
		}},
	}
}

// Golden transcripts of the client's events and the model's prompts.
func TestScenes(t *testing.T) {
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			events, m, err := s.play(t, false)
			if !errors.Is(err, s.want) || s.want == nil && (err != nil || agenttest.Output(events) != `{"word":"owl"}`) {
				t.Errorf("%s, %v", agenttest.Output(events), err)
			}
			golden(t, strings.ReplaceAll(s.name, " ", "-"), agenttest.Transcript(t, events, err)+prompts(m))
		})
	}
}

// A client sees the same in whole steps and in pieces.
func TestScenesInChunks(t *testing.T) {
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			whole, _, end := s.play(t, false)
			pieces, _, err := s.play(t, true)
			if a, b := agenttest.Transcript(t, whole, end), agenttest.Transcript(t, pieces, err); a != b {
				t.Errorf("whole:\n%s\nin pieces:\n%s", a, b)
			}
		})
	}
}
