package judge

import (
	"fmt"

	"ojud/agent/judge/prose"
	"ojud/casefile"
)

// concealed reports hidden characters in the parties' documents. They decide nothing, because code
// reads the text as it is. They are shown because they may deceive a person or a model.
func concealed(b Brief) []casefile.Finding {
	var out []casefile.Finding
	for _, paper := range b.papers() {
		if n, first := prose.Concealed(paper.raw); n > 0 {
			out = append(out, finding(injection+"hidden characters", casefile.Fail,
				fmt.Sprintf("the %s has %d hidden characters, the first %s of its canonical form", paper.name, n, first), paper.name+":"))
		}
	}
	if len(out) == 0 {
		out = append(out, finding(injection+"hidden characters", casefile.Pass, "none in what the parties wrote"))
	}
	return out
}

// written is a document that a party wrote.
type written struct {
	name string
	raw  []byte
}

func (b Brief) papers() []written {
	return []written{{"task", b.Task.Raw}, {"result", b.Result.Raw}, {"objection", b.Objection.Raw}, {"counter-objection", b.Counter.Raw}}
}

// steered flags words to the reader in the parties' documents.
func steered(b Brief) []casefile.Finding {
	var out []casefile.Finding
	for _, paper := range b.papers() {
		if said, found := prose.Steering(paper.raw); found {
			out = append(out, finding(injection+"instructions", casefile.Fail, fmt.Sprintf("the %s speaks to its reader: %s", paper.name, said), paper.name+":"))
		}
	}
	if len(out) == 0 {
		out = append(out, finding(injection+"instructions", casefile.Pass, "none in what the parties wrote"))
	}
	return out
}

// steeredBy flags words to the reader, and hidden characters, in the answers of holders.
func steeredBy(source string, answers []Answer) (out []casefile.Finding) {
	for _, a := range answers {
		evidence := "receipt:" + casefile.Digest(a.Receipt).String()
		if said, found := prose.Steering(a.Content); found {
			out = append(out, finding(injection+"data", casefile.Fail, fmt.Sprintf("%s: the answer of %s speaks to its reader: %s", source, a.Holder, said), evidence))
		}
		if n, first := prose.Concealed(a.Content); n > 0 {
			out = append(out, finding(injection+"data", casefile.Fail,
				fmt.Sprintf("%s: the answer of %s has %d hidden characters, the first %s of its canonical form", source, a.Holder, n, first), evidence))
		}
	}
	return out
}
