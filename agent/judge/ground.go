package judge

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ojud/agent/judge/english"
	"ojud/agent/judge/prose"
	"ojud/casefile"
	pleaded "ojud/casefile/ground"
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
	for _, part := range sentences(o.Value) {
		name := fmt.Sprintf("%s%d", ground, len(out)+1)
		if len(out) == maxGrounds {
			return append(out, finding(name, casefile.Unknown, "there are more grounds than code looks at", "objection:/reason"))
		}
		out = append(out, judged(name, part, f))
	}
	return out
}

// sentences returns the grounds of an objection that are words. Those that repeat its typed grounds
// are none.
func sentences(o casefile.Objection) []string {
	if len(o.Grounds) > 0 && o.Reason == pleaded.Reason(o.Grounds) {
		return nil
	}
	return english.Grounds(o.Reason)
}

// judged makes the finding of one ground.
func judged(name, text string, f facts) casefile.Finding {
	t, found, proved := f.Judge(text)
	switch {
	case t == english.False && !proved:
		return finding(name, casefile.Unknown, fmt.Sprintf("%s is not so: %s; but code proved nothing that the task demands there", prose.Quote(text), found), "objection:/reason", "result:")
	case t == english.False:
		return finding(name, casefile.Pass, fmt.Sprintf("%s is not so: %s", prose.Quote(text), found), "objection:/reason", "result:")
	case t == english.True:
		return finding(name, casefile.Unknown, fmt.Sprintf("%s is so: %s; the specification alone decides whether the task demands otherwise", prose.Quote(text), found), "objection:/reason", "result:")
	}
	if found == "" {
		found = "it is not a claim that code understands"
	}
	return finding(name, casefile.Unknown, fmt.Sprintf("%s: %s", prose.Quote(text), found), "objection:/reason")
}

// concede marks the instructions that the creator does not dispute: code left them open, and each
// ground that is not refuted is about other open ones. A ground that is about none of them, as far
// as its words show it, disputes all, unless it names a place in the result of which only
// instructions speak that are known to be met.
func concede(findings []casefile.Finding, o Paper[casefile.Objection], task casefile.Task, doc any) []casefile.Finding {
	stands := map[string]string{} // what each ground is about, by its check
	places := map[string]string{} // and the place in the result that it names
	for n, text := range sentences(o.Value) {
		name := fmt.Sprintf("%s%d", ground, n+1)
		stands[name], places[name] = text, english.Place(text, doc)
	}
	for n, g := range o.Value.Grounds {
		name := fmt.Sprintf("%sgrounds[%d]", ground, n)
		places[name] = g.Pointer
		stands[name] = strings.ReplaceAll(g.Pointer, "/", " ") + " " + string(g.Expected) + " " + string(g.Found)
		if g.Counterexample != nil {
			stands[name] += " " + g.Counterexample.String()
		}
	}
	if !o.Readable() || len(stands) == 0 || len(sentences(o.Value)) > maxGrounds {
		return findings
	}
	refuted, open, met := map[string]bool{}, map[int]map[string]bool{}, map[string]bool{}
	for _, f := range findings {
		refuted[f.Check] = f.Outcome == casefile.Pass
		if strings.HasPrefix(f.Check, specification+"instruction[") && f.Outcome == casefile.Pass {
			met[f.Check] = true
		}
		if i, ok := instructed(f.Check, task); ok && f.Outcome == casefile.Unknown {
			open[i] = english.Subjects(task.Instruction[i])
		}
	}
	disputed := map[int]bool{}
	for check, text := range stands {
		if refuted[check] {
			continue
		}
		about, touched := english.Subjects(text), map[int]bool{}
		for i, line := range open {
			if english.Touches(about, line) {
				touched[i] = true
			}
		}
		none := len(touched) == 0 && spoken(places[check], task, met, open)
		for i := range open {
			disputed[i] = disputed[i] || touched[i] || len(touched) == 0 && !none
		}
	}
	for n, f := range findings {
		if i, ok := instructed(f.Check, task); ok && f.Outcome == casefile.Unknown && !disputed[i] {
			findings[n].Check = undisputed + strings.TrimPrefix(f.Check, instruction)
			findings[n].Detail = clean("the creator does not dispute it; " + f.Detail)
		}
	}
	return findings
}

// spoken reports whether an instruction that is known to be met speaks of the last name of a place,
// and no open one does.
func spoken(place string, task casefile.Task, met map[string]bool, open map[int]map[string]bool) bool {
	name := place[strings.LastIndexByte(place, '/')+1:]
	if name == "" {
		return false
	}
	found := false
	for i, text := range task.Instruction {
		if !slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), name) {
			continue
		}
		if _, isOpen := open[i]; isOpen || !met[fmt.Sprintf("%sinstruction[%d]", specification, i)] {
			return false
		}
		found = true
	}
	return found
}
