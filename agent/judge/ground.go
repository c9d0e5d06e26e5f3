package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ojud/agent/judge/english"
	"ojud/agent/judge/prose"
	"ojud/casefile"
	pleaded "ojud/casefile/ground"
)

// maxGrounds bounds the findings about an objection.
const maxGrounds = 16

// grounds reads each sentence of the objection. One that code understands as a whole is refuted as
// a typed ground is; any other stays open.
func (c *Code) grounds(ctx context.Context, o Paper[casefile.Objection], f *facts) []casefile.Finding {
	if !o.Readable() {
		return nil // faults says so
	}
	var out []casefile.Finding
	for _, part := range sentences(o.Value) {
		name := fmt.Sprintf("%s%d", ground, len(out)+1)
		if len(out) == maxGrounds {
			return append(out, finding(name, casefile.Unknown, "there are more grounds than code looks at", "objection:/reason"))
		}
		outcome, found := c.judged(ctx, part, f)
		out = append(out, finding(name, outcome, prose.Quote(part)+": "+found, "objection:/reason", "result:"))
	}
	return out
}

// shown adds a ground if all others of the objection are untrue and an exhibit of it is here:
// nobody knows without looking what it shows.
func (f *facts) shown(grounds []casefile.Finding) []casefile.Finding {
	if f.sealed.Exhibit == "" || slices.ContainsFunc(grounds, func(g casefile.Finding) bool { return g.Outcome != casefile.Pass }) {
		return grounds
	}
	return append(grounds, finding(exhibited, casefile.Unknown, prose.Quote(f.sealed.Exhibit)+": code does not know what this exhibit shows", "objection:/evidence"))
}

// sentences returns the grounds of an objection that are words. Those that repeat its typed grounds
// are none.
func sentences(o casefile.Objection) []string {
	if len(o.Grounds) > 0 && o.Reason == pleaded.Reason(o.Grounds) {
		return nil
	}
	return english.Grounds(o.Reason)
}

// judged reports whether code refutes a sentence, and what it found.
func (c *Code) judged(ctx context.Context, text string, f *facts) (casefile.CheckOutcome, string) {
	claim, ok := f.Claim(text)
	if !ok {
		return casefile.Unknown, "it is not a claim that code understands"
	}
	refuted, found := false, ""
	switch {
	case claim.Ground != nil:
		var why string
		met, is := meets(*claim.Ground, f.Doc)
		refuted, why = f.trial.refutes(ctx, *claim.Ground, met)
		found = is + why
	case claim.Schema:
		refuted, found = f.Schema, "the result was compared with output_schema"
	case claim.Expected:
		refuted, found = f.Expected, "the result was compared with the expected checks"
	default:
		refuted, found = f.Contains(claim.Lacks) == english.True && f.trial.demands(claim.Lacks), "the result was searched for the text, and the checks of the task for one that demands it"
	}
	if refuted {
		return casefile.Pass, "it is not so: " + found
	}
	return casefile.Unknown, "code cannot refute it: " + found
}

// concede marks the instructions that the creator does not dispute: code left them open, and each
// ground that is not refuted is about other open ones. A ground that is about none of them, as far
// as its words show it, disputes all. So at least one stays open as long as a ground stands, and
// this alone pays for nothing: it only saves a model from what nobody disputes.
func concede(findings []casefile.Finding, o Paper[casefile.Objection], task casefile.Task) []casefile.Finding {
	stands := map[string]string{} // what each ground is about, by its check
	for n, text := range sentences(o.Value) {
		stands[fmt.Sprintf("%s%d", ground, n+1)] = text
	}
	for n, g := range o.Value.Grounds {
		name := fmt.Sprintf("%sgrounds[%d]", ground, n)
		stands[name] = strings.ReplaceAll(g.Pointer, "/", " ") + " " + string(g.Expected) + " " + string(g.Found)
		if g.Counterexample != nil {
			stands[name] += " " + g.Counterexample.String()
		}
	}
	if !o.Readable() || len(stands) == 0 || len(sentences(o.Value)) > maxGrounds {
		return findings
	}
	refuted, open := map[string]bool{}, map[int]map[string]bool{}
	for _, f := range findings {
		if refuted[f.Check] = f.Outcome == casefile.Pass; f.Check == exhibited {
			stands[f.Check] = "" // about all that is open
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
		for i := range open {
			disputed[i] = disputed[i] || touched[i] || len(touched) == 0
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
