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

// placeholders are folded texts that stand for an answer that is missing. A result fails if it is
// nothing else.
var placeholders = [...]string{"todo", "tbd", "placeholder", "lorem ipsum", "your text here", "insert text here", "your answer here", "<answer>", "<result>", "[answer]", "[result]"}

// inspect checks the result by itself: whether there is one, and whether it has content.
func inspect(task casefile.Task, l english.Reading) casefile.Finding {
	const check = specification + "result"
	demanded := false
	for _, k := range task.Expected {
		demanded = demanded || k.Data == nil && (len(k.Equals) > 0 || k.SHA256 != nil)
	}
	texts := strings.Join(l.Texts, "")
	switch {
	case demanded, l.Others > 0: // a number is an answer; equals and sha256 are checked elsewhere
	case l.Doc == nil:
		return finding(check, casefile.Fail, "the result is null", "result:")
	case len(l.Texts) == 0, prose.Blank(texts) && slices.ContainsFunc(l.Lists, empty):
		return finding(instruction+"result", casefile.Unknown, "the result is an empty container; code cannot tell whether that can be the answer", "result:")
	case prose.Blank(texts):
		return finding(check, casefile.Fail, "there is no visible character in the result", "result:")
	case !slices.ContainsFunc(l.Texts, func(s string) bool { return !isPlaceholder(s) }):
		return finding(check, casefile.Fail, "the result is a placeholder: "+prose.Quote(l.Texts[0]), "result:")
	case len(l.Texts) == 1 && copied(task, l.Texts[0]):
		return finding(instruction+"result", casefile.Unknown, "the result is the task's own text word for word; code cannot tell whether that can be the answer", "result:")
	}
	return finding(check, casefile.Pass, fmt.Sprintf("there is a result: %s, with %d texts and %d lists", pointer.Describe(l.Doc), len(l.Texts), len(l.Lists)), "result:")
}

func empty(list []any) bool { return len(list) == 0 }

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
