package agent

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// talk is a conversation with a model about one run. It keeps events and writes them anew for every
// prompt, because the way to call tools may change in between.
type talk struct {
	run     *Run
	mind    ModelSetup
	how     samplingParams
	planned bool // the agent plans before it acts
	native  bool // the server's own tool calls are in use
	faults  int
	ids     map[string]bool // of native calls
	turns   []turn
}

// turn is a model's words and the words to the model after them.
type turn struct {
	said  string     // empty: there was nothing to keep
	calls []ToolCall // with the ids that the conversation uses
	heard []ToolResult
	told  []string // besides the results
}

// maxSaid bounds the part of an answer that the conversation keeps, in bytes.
const maxSaid = 8 << 10

var callID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func newTalk(r *Run, m ModelSetup, planned bool) (*talk, error) {
	how, err := sampling(r.Params())
	if err != nil {
		return nil, err
	}
	return &talk{run: r, mind: m, how: how, planned: planned, native: m.Native, ids: map[string]bool{}}, nil
}

// remember adds a turn: the model's words, its calls, and their results in the same order.
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
		doc, err := t.run.agent.Config.Schema.Decode(c.Input)
		if _, ok := doc.(map[string]any); !ok || err != nil {
			c.Input = json.RawMessage("{}") // servers refuse anything else; the result names the fault
		}
		n.calls = append(n.calls, c)
	}
	t.turns = append(t.turns, n)
}

// tell adds to the next words to the model.
func (t *talk) tell(text string) {
	if len(t.turns) == 0 {
		t.turns = append(t.turns, turn{})
	}
	last := &t.turns[len(t.turns)-1]
	last.told = append(last.told, text)
}

// messages writes the conversation. Note is only for this prompt.
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

// result returns the result of a call. A native call of a verb has none.
func (n turn) result(i int) ToolResult {
	if i < len(n.heard) {
		return n.heard[i]
	}
	return ToolResult{Output: json.RawMessage(`"see below"`)}
}

// user adds a text to the user's last message, so that speakers take turns.
func user(out []Message, text string) []Message {
	if last := &out[len(out)-1]; last.Role == User {
		last.Text = strings.TrimPrefix(last.Text+"\n\n"+text, "\n\n")
		return out
	}
	return append(out, Message{Role: User, Text: text})
}

// show returns a result as data for the model.
func (t *talk) show(r ToolResult) string {
	name := fmt.Sprintf("result of call %s (%s)", r.ID, r.Name)
	if r.Error != "" {
		return t.mind.quote(fmt.Sprintf("call %s (%s) failed", r.ID, r.Name), jsonText(r.Error))
	}
	return t.mind.quote(name, r.Output)
}

// nativeResult returns a result as a server's own tool message, quoted like other data.
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

// asActions writes native calls as the equivalent JSON.
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

func jsonText(s string) json.RawMessage {
	out, err := raw(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return out
}
