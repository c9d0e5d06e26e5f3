package judge

import (
	"fmt"
	"slices"
	"strings"

	"ojud/agent/judge/english"
	"ojud/agent/judge/prose"
	"ojud/casefile"
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

// exhibits compares evidence files with the sizes and hashes that the parties declared, if the
// content is here.
func exhibits(b Brief) []casefile.Finding {
	var out []casefile.Finding
	for _, party := range []struct {
		name  string
		paper Paper[casefile.Objection]
	}{{"objection", b.Objection}, {"counter-objection", b.Counter}} {
		if !party.paper.Readable() || len(party.paper.Value.Evidence) == 0 {
			continue
		}
		var wrong, absent []string
		for _, e := range party.paper.Value.Evidence {
			content, ok := b.Exhibits[[32]byte(e.SHA256)]
			switch {
			case !ok:
				absent = append(absent, prose.Quote(e.Name))
			case casefile.HashOf(content) != [32]byte(e.SHA256) || uint64(len(content)) != e.Bytes:
				wrong = append(wrong, fmt.Sprintf("%s has %d bytes instead of %d or another hash", prose.Quote(e.Name), len(content), e.Bytes))
			}
		}
		outcome, detail := casefile.Pass, fmt.Sprintf("all %d exhibits are as declared", len(party.paper.Value.Evidence))
		switch {
		case len(wrong) > 0:
			outcome, detail = casefile.Fail, strings.Join(wrong, "; ")
		case len(absent) > 0:
			outcome, detail = casefile.Unknown, "missing: "+strings.Join(absent, ", ")
		}
		out = append(out, finding(exhibit+party.name, outcome, detail, party.name+":/evidence"))
	}
	return out
}
