package judge

import (
	"fmt"
	"slices"
	"strings"

	"ojud/agent/judge/english"
	"ojud/agent/judge/prose"
	"ojud/agent/judge/signed"
	"ojud/casefile"
	shown "ojud/casefile/exhibit"
	"ojud/schema/pointer"
)

// placeholders are folded texts that often stand for an answer that is missing.
var placeholders = [...]string{"todo", "tbd", "placeholder", "lorem ipsum", "your text here", "insert text here", "your answer here", "<answer>", "<result>", "[answer]", "[result]"}

// inspect says what the result is, in words of code alone. A result that looks like nothing fails
// no task by that: a column may be named "todo", and an empty text may be the answer "none". The
// schema and the checks of the task say whether it can be one.
func inspect(task casefile.Task, l english.Reading) casefile.Finding {
	looks := ""
	switch texts := strings.Join(l.Texts, ""); {
	case l.Others > 0:
	case l.Doc == nil:
		looks = "; it is null"
	case len(l.Texts) == 0:
		looks = "; it is an empty container"
	case prose.Blank(texts):
		looks = "; there is no visible character in it"
	case !slices.ContainsFunc(l.Texts, func(s string) bool { return !isPlaceholder(s) }):
		looks = "; it looks like a placeholder"
	case len(l.Texts) == 1 && copied(task, l.Texts[0]):
		looks = "; it is the task's own text word for word"
	}
	return finding(specification+"result", casefile.Pass, fmt.Sprintf("there is a result: %s, with %d texts and %d lists%s", pointer.Describe(l.Doc), len(l.Texts), len(l.Lists), looks), "result:")
}

// isPlaceholder reports whether a text is only a placeholder.
func isPlaceholder(s string) bool {
	s = strings.Trim(prose.Fold(strings.TrimSpace(s)), ".…! ")
	return slices.ContainsFunc(placeholders[:], func(p string) bool { return s == prose.Fold(p) }) ||
		strings.HasPrefix(s, prose.Fold("lorem ipsum ")) || prose.Blank(s)
}

// copied reports whether a text is one of the task's instructions.
func copied(task casefile.Task, s string) bool {
	s = prose.Squeeze(s)
	return slices.ContainsFunc(task.Instruction, func(i string) bool { return prose.Squeeze(i) == s })
}

// exhibits says what code finds in the exhibits of the parties.
func exhibits(b Brief) []casefile.Finding {
	var all []signed.Shown
	for name, paper := range map[string]Paper[casefile.Objection]{"objection": b.Objection, "counter-objection": b.Counter} {
		if paper.Readable() {
			all = append(all, signed.Shown{Name: name, Evidence: paper.Value.Evidence})
		}
	}
	slices.SortFunc(all, func(x, y signed.Shown) int { return strings.Compare(y.Name, x.Name) })
	return signed.Exhibits(all, b.Exhibits, shown.Matter{
		Network: b.Network, Program: b.Program, Case: casefile.Address(b.Case), Creator: b.Work.Creator, Worker: b.Work.Worker, Claimed: b.Work.Claimed, Task: b.Task.Raw})
}
