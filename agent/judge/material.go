package judge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ojud/agent/judge/prose"
	"ojud/casefile"
)

// part is one thing that a model is shown, under the name by which it can cite it.
type part struct {
	id    string // "result", "Q1", "D1"
	from  string // whose words these are
	text  string // as it is shown
	proof bool   // it can be quoted as evidence; what the parties plead is a claim
	ref   string // how an opinion names it
}

// material is all that a model is shown of a case.
type material struct {
	parts   []part
	facts   []casefile.Finding // F1, F2, …: what code found
	removed int                // characters that are left out, because readers do not see them
	cut     int                // bytes that are left out, because there are too many
	on      defences
}

// newMaterial gathers the papers, what code found, and what was answered.
func newMaterial(b Brief, findings []casefile.Finding, heard []query, most int, on defences) *material {
	d := &material{on: on}
	for _, f := range findings {
		if strings.HasPrefix(f.Check, specification) || strings.HasPrefix(f.Check, exhibit) {
			d.facts = append(d.facts, f)
		}
	}
	if b.Task.Readable() {
		for i, raw := range b.Task.Value.InputData {
			d.add(part{id: fmt.Sprintf("input%d", i+1), from: "the creator, in the task", ref: fmt.Sprintf("task:/input_data/%d", i), proof: true}, raw, most)
		}
	}
	d.add(part{id: "result", from: "the worker, handed in as the result", ref: "result:", proof: true}, b.Result.Raw, most)
	d.add(part{id: "objection", from: "the creator, who objects", ref: "objection:"}, b.Objection.Raw, most)
	d.add(part{id: "answer", from: "the worker, who answers the objection", ref: "counter-objection:"}, b.Counter.Raw, most)
	for _, h := range heard {
		d.hear(h, most)
	}
	return d
}

// hear adds a question and what holders answered to it. The question may hold words of the worker: they stand behind signs like all of a
// party's, and prove nothing.
func (d *material) hear(h query, most int) {
	asked := fmt.Sprintf("Q%d", d.count('Q')+1)
	d.add(part{id: asked, from: "a question to the source " + h.Source + ", in which words of the worker may stand"}, h.Request, most)
	for _, a := range h.answers {
		d.add(part{id: fmt.Sprintf("D%d", d.count('D')+1), from: fmt.Sprintf("the holder %s of the source %s, which answers %s", a.Holder, h.Source, asked),
			ref: "receipt:" + casefile.Digest(a.Receipt).String(), proof: true}, a.Content, most)
	}
}

// count is how many parts have a name that begins so.
func (d *material) count(kind byte) (n int) {
	for _, p := range d.parts {
		if p.id[0] == kind {
			n++
		}
	}
	return n
}

// add adds a part if there is anything in it. JSON is shown as the text that it holds, line by line.
func (d *material) add(p part, raw []byte, most int) {
	if len(raw) == 0 {
		return
	}
	text, removed := d.shown(unfold(raw))
	d.removed += removed
	if len(text) > most {
		head, tail := text[:most*3/4], text[len(text)-most/4:]
		head, tail = strings.ToValidUTF8(head, ""), strings.ToValidUTF8(tail, "")
		left := len(text) - len(head) - len(tail)
		d.cut += left
		text = fmt.Sprintf("%s\n[%d bytes are left out here]\n%s", head, left, tail)
	}
	p.text = text
	d.parts = append(d.parts, p)
}

// find returns a part by its name.
func (d *material) find(id string) (part, bool) {
	for _, p := range d.parts {
		if p.id == id {
			return p, true
		}
	}
	return part{}, false
}

// unfold shows JSON as people read it: indented, the text of strings with their line ends.
func unfold(raw []byte) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	if s, ok := v.(string); ok {
		return s
	}
	var b strings.Builder
	if !write(&b, v, 0) {
		return string(raw)
	}
	return b.String()
}

// write writes a value with a member or an element a line, as deep as people follow.
func write(b *strings.Builder, v any, depth int) bool {
	const deepest = 32
	if depth > deepest {
		return false
	}
	indent := "\n" + strings.Repeat("  ", depth)
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(indent + name + ": ")
			if !write(b, v[name], depth+1) {
				return false
			}
		}
	case []any:
		for i, e := range v {
			fmt.Fprintf(b, "%s[%d] ", indent, i)
			if !write(b, e, depth+1) {
				return false
			}
		}
	case string:
		b.WriteString(v)
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			return false
		}
		b.Write(raw)
	}
	return true
}

// shown is visibly, unless a test does without.
func (d *material) shown(text string) (string, int) {
	if !d.on.visible {
		return text, 0
	}
	return prose.Visible(text)
}
