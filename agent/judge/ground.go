package judge

import (
	"fmt"

	"ojud/agent/judge/english"
	"ojud/agent/judge/prose"
	"ojud/casefile"
)

// maxGrounds bounds the findings about an objection.
const maxGrounds = 16

// grounds compares each sentence of the objection with the result. If a ground is true and the task
// demands otherwise, a specification failed already; if code cannot judge a ground, it is unknown.
func grounds(o Paper[casefile.Objection], f facts) []casefile.Finding {
	if !o.Readable() {
		return nil // faults says so
	}
	var out []casefile.Finding
	for _, part := range english.Grounds(o.Value.Reason) {
		name := fmt.Sprintf("%s%d", ground, len(out)+1)
		if len(out) == maxGrounds {
			return append(out, finding(name, casefile.Unknown, "there are more grounds than code looks at", "objection:/reason"))
		}
		out = append(out, judged(name, part, f))
	}
	return out
}

// judged makes the finding of one ground.
func judged(name, text string, f facts) casefile.Finding {
	t, found := f.Judge(text)
	switch t {
	case english.False:
		return finding(name, casefile.Pass, fmt.Sprintf("%s is not so: %s", prose.Quote(text), found), "objection:/reason", "result:")
	case english.True:
		return finding(name, casefile.Unknown, fmt.Sprintf("%s is so: %s; the specification alone decides whether the task demands otherwise", prose.Quote(text), found), "objection:/reason", "result:")
	}
	if found == "" {
		found = "it is not a claim that code understands"
	}
	return finding(name, casefile.Unknown, fmt.Sprintf("%s: %s", prose.Quote(text), found), "objection:/reason")
}
