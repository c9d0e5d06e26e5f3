package judge

import (
	"fmt"

	"ojud/agent/judge/prose"
	"ojud/casefile"
)

// concealed reports hidden characters in the parties' documents. They decide nothing, because code
// reads the text as it is. They are shown because they may deceive a person or a model.
func concealed(b Brief) []casefile.Finding {
	return b.suspicious("hidden characters", func(name string, raw []byte) string {
		if n, first := prose.Concealed(raw); n > 0 {
			return fmt.Sprintf("the %s has %d hidden characters, the first %s of its canonical form", name, n, first)
		}
		return ""
	})
}

// steered flags words to the reader in the parties' documents.
func steered(b Brief) []casefile.Finding {
	return b.suspicious("instructions", func(name string, raw []byte) string {
		if said, found := prose.Steering(raw); found {
			return fmt.Sprintf("the %s speaks to its reader: %s", name, said)
		}
		return ""
	})
}

// lookalikes reports words that look Latin and are not. The model is shown them as they are.
func lookalikes(b Brief) []casefile.Finding {
	return b.suspicious("lookalike letters", func(name string, raw []byte) string {
		if n, first := prose.Disguised(raw); n > 0 {
			return fmt.Sprintf("the %s has %d words with letters that only look Latin, the first %s", name, n, first)
		}
		return ""
	})
}

// suspicious calls look for each document of a party, and makes a finding for each hit.
func (b Brief) suspicious(check string, look func(name string, raw []byte) string) (out []casefile.Finding) {
	for _, paper := range []struct {
		name string
		raw  []byte
	}{{"task", b.Task.Raw}, {"result", b.Result.Raw}, {"objection", b.Objection.Raw}, {"counter-objection", b.Counter.Raw}} {
		if detail := look(paper.name, paper.raw); detail != "" {
			out = append(out, finding(injection+check, casefile.Fail, detail, paper.name+":"))
		}
	}
	if len(out) == 0 {
		out = append(out, finding(injection+check, casefile.Pass, "none in what the parties wrote"))
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
