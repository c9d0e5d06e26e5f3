package agent

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// talk is a conversation with a model about one run. It is kept as what happened, and written down anew for every prompt, because the way in which
// tools are called may change in the middle.
type talk struct {
	run     *Run
	mind    ModelSetup
	how     Sampling
	planned bool // the agent plans before it acts
	native  bool // the server's own tool calls are in use
	faults  int
	ids     map[string]bool // of native calls
	turns   []turn
}

// turn is what a model said and what it was told then.
type turn struct {
	said  string     // empty: nothing that could be kept
	calls []ToolCall // with the ids that the conversation uses
	heard []ToolResult
	told  []string // besides the results
}

// maxSaid bounds how much of an answer is kept in the conversation, in bytes.
const maxSaid = 8 << 10

var callID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func newTalk(r *Run, m ModelSetup, planned bool) (*talk, error) {
	how, err := sampling(r.Params())
	if err != nil {
		return nil, err
	}
	return &talk{run: r, mind: m, how: how, planned: planned, native: m.Native, ids: map[string]bool{}}, nil
}

// remember adds a turn: what the model said, which calls it made, and their results in the same order.
func (t *talk) remember(d decision, results []ToolResult) {
	n := turn{said: cutText(strings.TrimSpace(d.said), maxSaid), heard: results}
	for i, c := range d.asked {
		if !callID.MatchString(c.ID) || t.ids[c.ID] {
			c.ID = fmt.Sprintf("call_%d_%d", len(t.turns)+1, i+1)
		}
		t.ids[c.ID] = true
		if !names.MatchString(c.Name) {
			c.Name = "unknown"
		}
		if doc, err := t.run.agent.Config.Schema.Decode(c.Input); !isObject(doc, err) {
			c.Input = json.RawMessage("{}") // servers take nothing else; what is wrong with it stands in its result
		}
		n.calls = append(n.calls, c)
	}
	t.turns = append(t.turns, n)
}

func isObject(doc any, err error) bool {
	_, ok := doc.(map[string]any)
	return ok && err == nil
}

// tell adds to what the model is told next.
func (t *talk) tell(text string) {
	if len(t.turns) == 0 {
		t.turns = append(t.turns, turn{})
	}
	last := &t.turns[len(t.turns)-1]
	last.told = append(last.told, text)
}

// messages writes the conversation down. Note is for this prompt alone.
func (t *talk) messages(note string) ([]Message, error) {
	first, err := t.opening()
	if err != nil {
		return nil, err
	}
	out := []Message{{Role: User, Text: first}}
	for _, n := range t.turns {
		out = n.write(out, t)
	}
	if note != "" {
		out = user(out, note)
	}
	return out, nil
}

// write appends a turn to messages.
func (n turn) write(out []Message, t *talk) []Message {
	switch {
	case len(n.calls) > 0 && t.native:
		out = append(out, Message{Role: Assistant, Text: n.said, Calls: n.calls})
		for i, c := range n.calls {
			out = append(out, Message{Role: ToolRole, Result: t.nativeResult(c, n.result(i))})
		}
	case len(n.calls) > 0:
		out = append(out, Message{Role: Assistant, Text: asActions(n.said, n.calls)})
	case n.said != "":
		out = append(out, Message{Role: Assistant, Text: n.said})
	}
	if len(n.calls) == 0 || !t.native {
		for _, result := range n.heard {
			out = user(out, t.show(result))
		}
	}
	for _, text := range n.told {
		out = user(out, text)
	}
	return out
}

// result is what came of a call; a verb that was called natively has none, and what it led to stands below.
func (n turn) result(i int) ToolResult {
	if i < len(n.heard) {
		return n.heard[i]
	}
	return ToolResult{Output: json.RawMessage(`"see below"`)}
}

// user adds a text to what the user says last, so that speakers take turns.
func user(out []Message, text string) []Message {
	if last := &out[len(out)-1]; last.Role == User {
		last.Text = strings.TrimPrefix(last.Text+"\n\n"+text, "\n\n")
		return out
	}
	return append(out, Message{Role: User, Text: text})
}

// show puts a result before a model, as data.
func (t *talk) show(r ToolResult) string {
	name := fmt.Sprintf("result of call %s (%s)", r.ID, r.Name)
	if r.Error != "" {
		return t.mind.quote(fmt.Sprintf("call %s (%s) failed", r.ID, r.Name), jsonText(r.Error))
	}
	return t.mind.quote(name, r.Output)
}

// nativeResult is a result as a server's own tool message has it, quoted like any other data.
func (t *talk) nativeResult(c ToolCall, r ToolResult) *ToolResult {
	out := ToolResult{ID: c.ID, Name: c.Name, Output: r.Output, Error: r.Error}
	switch {
	case t.mind.Quote == nil:
	case r.Error != "":
		out.Error = t.mind.Quote("error", jsonText(r.Error))
	default:
		out.Output = jsonText(t.mind.Quote("result", r.Output))
	}
	return &out
}

// asActions writes native calls as the JSON that stands for them.
func asActions(thought string, calls []ToolCall) string {
	var out []string
	for _, c := range calls {
		action, rest := string(doCall), fmt.Sprintf(`"tool":%s,"input":%s`, jsonText(c.Name), line(c.Input))
		if _, isVerb := keys[verb(c.Name)]; isVerb {
			action, rest = c.Name, strings.TrimSuffix(strings.TrimPrefix(line(c.Input), "{"), "}")
		}
		text := fmt.Sprintf(`{"thought":%s,"action":%q,%s`, jsonText(thought), action, rest)
		out = append(out, strings.TrimSuffix(text, ",")+"}")
	}
	return strings.Join(out, "\n")
}

// jsonText writes a text as JSON.
func jsonText(s string) json.RawMessage {
	out, err := raw(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return out
}
