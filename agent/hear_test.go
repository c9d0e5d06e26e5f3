package agent_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ojud/agent"
	"ojud/agent/agenttest"
)

// heard runs an agent whose model says texts one after the other, and then gives an answer. It
// returns the pieces of its first step, read when the answer is there if late is set.
func heard(t *testing.T, native, late bool, reply agent.Reply, texts []string) (pieces []string, step agent.Step) {
	t.Helper()
	said := make(chan struct{})
	first := agenttest.Turn{Do: func(p agent.Prompt) (agent.Reply, error) {
		for _, text := range texts {
			p.Heard(text)
		}
		close(said)
		return reply, nil
	}}
	m := agenttest.NewModel(t, first, agenttest.Finish("1"))
	cfg := agent.DefaultConfig()
	cfg.Steps, cfg.Repairs = 2, 1
	a, err := agent.NewReAct(agent.Setup{Repr: agent.Repr{Name: "a", Description: "A", InputSchema: json.RawMessage(`{}`)}, Config: cfg,
		Tools: []agent.Tool{agenttest.Tool("look", func(string) (string, error) { return "1", nil })}}, agent.ModelSetup{Model: m, Native: native})
	if err != nil {
		t.Fatal(err)
	}
	ch, err := a.Run(t.Context(), agent.Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer ch.Close()
	for e, err := range ch.Steps(true) {
		if err != nil {
			t.Fatal(err)
		}
		r, ok := e.(*agent.StepReader)
		if !ok || r.N() > 1 {
			continue
		}
		if late {
			<-said
		}
		for c := range r.Chunks() {
			if c.Text != "" {
				pieces = append(pieces, c.Text)
			}
		}
		if step, err = r.Step(); err != nil {
			t.Fatal(err)
		}
	}
	return pieces, step
}

func cut(text string, n int) (out []string) {
	for ; len(text) > n; text = text[n:] {
		out = append(out, text[:n])
	}
	return append(out, text)
}

// TestHear: whoever reads a step in pieces reads the thought of the model while it says it, in
// whatever pieces that comes. In the end, the text of the step is the same.
func TestHear(t *testing.T) {
	t.Parallel()
	const rest = `,"action":"call","tool":"look","input":{}}`
	const coded, thought = `"An \u0022owl\u0022 \ud83e\uDD89\nsat: é\/\\ 🦉."`, "An \"owl\" 🦉\nsat: é/\\ 🦉."
	for _, before := range []string{`{"thought":`, " {\n \"thought\" : ", "```json\n{\"thought\":"} {
		answer := before + coded + rest
		if strings.HasPrefix(before, "`") {
			answer += "\n```"
		}
		for _, n := range []int{1, 2, 3, 5, 7, 11, len(answer)} {
			pieces, step := heard(t, false, false, agent.Reply{Text: answer}, append([]string{""}, cut(answer, n)...))
			if all := strings.Join(pieces, ""); all != thought || step.Text != thought {
				t.Errorf("in pieces of %d bytes: %q, and in the end %q", n, all, step.Text)
			}
		}
	}
	look := agenttest.NativeCall("c1", "look", "{}")
	for words, k := range map[string]struct {
		native bool
		reply  agent.Reply
		texts  []string
		want   string
	}{
		"a model that tells nothing": {false, agent.Reply{Text: `{"thought":"An owl"` + rest}, nil, "An owl"},
		"an answer that began anew":  {false, agent.Reply{Text: `{"thought":"An owl"` + rest}, []string{"", `{"thought":"A do`, "", `{"thought":"An owl"`}, "A do\nAn owl"},
		"a second one without words": {false, agent.Reply{Text: `{"thought":"An owl"` + rest}, []string{"", `{"thought":"A do`, ""}, "A do\nAn owl"},
		"another answer than heard":  {false, agent.Reply{Text: `{"thought":"An owl"` + rest}, []string{"", `{"thought":"A dog"`}, "A dog\nAn owl"},
		"a thought that is not first": {false, agent.Reply{Text: `{"action":"call","thought":"An owl","tool":"look","input":{}}`},
			[]string{"", `{"action":"call","thought":"An owl"`}, "An owl"},
		"a text with calls beside it": {true, agent.Reply{Text: "I look.", Calls: []agent.ToolCall{look}}, []string{"", "I ", "lo"}, "I look."},
		"half an escape":              {false, agent.Reply{Text: `{"thought":"An owl`}, []string{"", `{"thought":"An owl\u00`}, "An owl\n{\"thought\":\"An owl"},
		"half a pair":                 {false, agent.Reply{Text: `{"thought":"An owl`}, []string{"", `{"thought":"An owl\ud83e", "a": 1}`}, "\n{\"thought\":\"An owl"},
		"no thought":                  {false, agent.Reply{Text: "An owl"}, []string{"", strings.Repeat("x", 1000)}, "An owl"},
	} {
		pieces, step := heard(t, k.native, false, k.reply, k.texts)
		if all := strings.Join(pieces, ""); all != step.Text || strings.TrimPrefix(all, "\n") != strings.TrimPrefix(k.want, "\n") {
			t.Errorf("%s: %q, and in the end %q; want %q", words, all, step.Text, k.want)
		}
	}
}

// TestAttackHear: a model that says letter after letter to a reader who is slow costs the text and
// little more.
func TestAttackHear(t *testing.T) {
	t.Parallel()
	const long = 100_000
	answer := `{"thought":"` + strings.Repeat("x", long) + `","action":"call","tool":"look","input":{}}`
	pieces, step := heard(t, false, true, agent.Reply{Text: answer}, append([]string{""}, cut(answer, 1)...))
	if len(pieces) > 200 || len(step.Text) != long {
		t.Errorf("%d pieces of %d bytes", len(pieces), len(step.Text))
	}
}

// FuzzHear: however an answer is cut, what is heard is the same, and it begins the thought.
func FuzzHear(f *testing.F) {
	for _, text := range []string{`{"thought":"An owl\n\ud83e\udd89","action":"call"}`, `{"thought":"\`, `{"thought":"é`, `{"thought": 1}`, "```{\"thought\":\"a"} {
		f.Add(text, 1)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < 1 || len(text) > 1000 {
			return
		}
		whole, cuts := agent.Hears([]string{text}), agent.Hears(cut(text, n))
		if !strings.HasPrefix(cuts, whole) { // of what is no JSON, more may be heard in pieces
			t.Errorf("%q is heard as %q, and in pieces of %d as %q", text, whole, n, cuts)
		}
		var a struct{ Thought string }
		if json.Unmarshal([]byte(text), &a) == nil && !strings.HasPrefix(a.Thought, whole) && strings.HasPrefix(strings.TrimSpace(text), `{"thought"`) && strings.Count(strings.ToLower(text), "thought") == 1 {
			t.Errorf("%q is heard as %q", text, whole)
		}
	})
}

// TestAttackLongAnswer: a model says more than a run may have, in pieces that are heard or at once.
// The run ends, and what the model cost is counted.
func TestAttackLongAnswer(t *testing.T) {
	t.Parallel()
	for _, chunks := range []bool{false, true} {
		text := `{"thought":"` + strings.Repeat("x", 3000) + `","action":"finish","result":1}`
		m := agenttest.NewModel(t, agenttest.Turn{Do: func(p agent.Prompt) (agent.Reply, error) {
			if p.Heard != nil {
				p.Heard(text)
			}
			return agent.Reply{Text: text}, nil
		}})
		cfg := agent.DefaultConfig()
		cfg.TotalBytes = 2000
		a, err := agent.NewReAct(agent.Setup{Repr: agent.Repr{Name: "a", Description: "A", InputSchema: json.RawMessage(`{}`)}, Config: cfg}, agent.ModelSetup{Model: m})
		if err != nil {
			t.Fatal(err)
		}
		ch, err := a.Run(t.Context(), agent.Request{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = (agenttest.Client{}).Follow(t, ch, chunks)
		if u := ch.Usage(); !errors.Is(err, agent.ErrLimit) || u.Calls != 1 || u.Completion < len(text) {
			t.Errorf("in pieces %t: %v, %+v", chunks, err, u)
		}
	}
}
