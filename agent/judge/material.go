package judge

import (
	"fmt"
	"strings"

	"ojud/agent/judge/prose"
	"ojud/agent/judge/sheet"
	"ojud/agent/judge/tools"
	"ojud/casefile"
	"ojud/casefile/agentdata"
)

// part is one text that a model sees, under the name by which the model cites it.
type part struct {
	id    string // "result", "Q1", "D1"
	from  string // the author of the words
	text  string // as the model sees it
	proof bool   // it can be quoted as evidence; pleadings are claims
	ref   string // its name in an opinion
}

// material is everything that a model sees of a case.
type material struct {
	parts   []part
	facts   []casefile.Finding // F1, F2, …: findings of code
	removed int                // hidden characters that are not shown
	cut     int                // bytes that are not shown because the part is too long
	task    casefile.Task
	work    agentdata.Work
	on      defences
}

// maxChecks bounds what a model sees of the checks of a task, in bytes.
const maxChecks = 4 << 10

// newMaterial gathers the documents, the findings of code, and the answers of sources.
func newMaterial(b Brief, findings []casefile.Finding, heard []query, most int, on defences) *material {
	d := &material{task: b.Task.Value, work: b.Work, on: on}
	for _, f := range findings {
		if strings.HasPrefix(f.Check, specification) || strings.HasPrefix(f.Check, exhibit) || f.Run != nil {
			d.facts = append(d.facts, f)
		}
	}
	if b.Task.Readable() {
		for i, raw := range b.Task.Value.InputData {
			d.add(part{id: fmt.Sprintf("input%d", i+1), from: "the creator, in the task", ref: fmt.Sprintf("task:/input_data/%d", i), proof: true}, raw, most)
		}
		d.add(part{id: "checks", from: "the parties: the checks and calls that facts are about, and what programs of theirs say"},
			sheet.Checks(b.Task.Value, findings), min(most, maxChecks))
	}
	d.add(part{id: "result", from: "the worker, handed in as the result", ref: "result:", proof: true}, b.Result.Raw, most)
	d.add(part{id: "objection", from: "the creator, who objects", ref: "objection:"}, b.Objection.Raw, most)
	d.add(part{id: "answer", from: "the worker, who answers the objection", ref: "counter-objection:"}, b.Counter.Raw, most)
	for _, h := range heard {
		d.hear(h, most)
	}
	return d
}

// hear adds a question and the answers of holders. The question may contain words of the worker, so
// it stands behind signs and proves nothing.
func (d *material) hear(h query, most int) {
	asked := fmt.Sprintf("Q%d", d.count('Q')+1)
	d.add(part{id: asked, from: "a question to the source " + h.Source + ", in which words of the worker may stand"}, h.Request, most)
	proof := proves(h.answers)
	claim := len(h.answers) > 0 && d.work.Claim(d.task, h.Source, h.Request, h.answers[0].Content)
	for i, a := range h.answers {
		from := fmt.Sprintf("%s, which answers %s about the source %s", a.speaker(), asked, h.Source)
		if proof[i] = proof[i] && !claim; !proof[i] {
			from += " and proves nothing here"
		}
		d.add(part{id: fmt.Sprintf("D%d", d.count('D')+1), from: from, ref: "receipt:" + casefile.Digest(a.Receipt).String(), proof: proof[i]}, a.Content, most)
	}
}

// ran adds the last of some runs, and returns its finding. It can be cited, and proves nothing
// alone.
func (d *material) ran(runs []tools.Ran, most int) casefile.Finding {
	last, check := runs[len(runs)-1], fmt.Sprintf("%srun[%d]", note, len(runs)-1)
	d.add(part{id: fmt.Sprintf("C%d", len(runs)), from: "a run that was asked for while this was prepared; strangers may have had it asked for", ref: "finding:" + check},
		[]byte(last.Tool+": "+last.What+"\n"+last.Came), most)
	return finding(check, map[bool]casefile.CheckOutcome{true: casefile.Pass, false: casefile.Unknown}[last.OK], clean(last.Tool+" "+last.What+": "+last.Came))
}

// count returns the number of parts whose names begin with a letter.
func (d *material) count(kind byte) (n int) {
	for _, p := range d.parts {
		if p.id[0] == kind {
			n++
		}
	}
	return n
}

// add adds a part if it is not empty. JSON is shown as text, line by line.
func (d *material) add(p part, raw []byte, most int) {
	if len(raw) == 0 {
		return
	}
	text, removed := d.shown(sheet.Unfold(raw))
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

func (d *material) find(id string) (part, bool) {
	for _, p := range d.parts {
		if p.id == id {
			return p, true
		}
	}
	return part{}, false
}

// shown is prose.Visible, unless a test disables that defence.
func (d *material) shown(text string) (string, int) {
	if !d.on.visible {
		return text, 0
	}
	return prose.Visible(text)
}
