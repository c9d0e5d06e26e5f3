package judge

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ojud/casefile"
)

// concealed looks for characters that readers do not see, in what the parties wrote. They decide nothing here, because code
// reads the text as it is; they are shown because a person or a model may be meant to read something else.
func concealed(b Brief) []casefile.Finding {
	var out []casefile.Finding
	for _, paper := range b.papers() {
		if n, first := conceals(paper.raw); n > 0 {
			out = append(out, finding(injection+"hidden characters", casefile.Fail,
				fmt.Sprintf("the %s has %d hidden characters, the first %s of its canonical form", paper.name, n, first), paper.name+":"))
		}
	}
	if len(out) == 0 {
		out = append(out, finding(injection+"hidden characters", casefile.Pass, "none in what the parties wrote"))
	}
	return out
}

// written is what a party wrote.
type written struct {
	name string
	raw  []byte
}

func (b Brief) papers() []written {
	return []written{{"task", b.Task.Raw}, {"result", b.Result.Raw}, {"objection", b.Objection.Raw}, {"counter-objection", b.Counter.Raw}}
}

// conceals counts hidden characters and says where the first is.
func conceals(raw []byte) (n int, first string) {
	at := 0
	for r, seen := range runes(string(raw)) {
		if !seen {
			if n++; n == 1 {
				first = fmt.Sprintf("U+%04X at byte %d", r, at)
			}
		}
		at += utf8.RuneLen(r)
	}
	return n, first
}

// exhibits compares the content that the parties name with what they say of it, as far as the content is here.
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
				absent = append(absent, quote(e.Name))
			case casefile.HashOf(content) != [32]byte(e.SHA256) || uint64(len(content)) != e.Bytes:
				wrong = append(wrong, fmt.Sprintf("%s has %d bytes instead of %d or another hash", quote(e.Name), len(content), e.Bytes))
			}
		}
		outcome, detail := casefile.Pass, fmt.Sprintf("all %d exhibits are as declared", len(party.paper.Value.Evidence))
		switch {
		case len(wrong) > 0:
			outcome, detail = casefile.Fail, strings.Join(wrong, "; ")
		case len(absent) > 0:
			outcome, detail = casefile.Unknown, "not to be had: "+strings.Join(absent, ", ")
		}
		out = append(out, finding(exhibit+party.name, outcome, detail, party.name+":/evidence"))
	}
	return out
}
