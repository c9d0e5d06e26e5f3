package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ojud/agent/judge/prove"
	"ojud/casefile"
	"ojud/casefile/proof"
	"ojud/casefile/runs"
)

// prove lets the model write check programs for the open requirements, and returns those that are
// accepted, by the index of the finding. A task that speaks to its reader gets none: the task is
// all that the model sees. If prove fails, only programs are missing.
func (q *investigation) prove(ctx context.Context, b Brief, findings []casefile.Finding) map[int]runs.Proposed {
	speaks := slices.ContainsFunc(findings, func(f casefile.Finding) bool {
		return strings.HasPrefix(f.Check, injection) && f.Outcome == casefile.Fail && slices.Contains(f.Evidence, "task:")
	})
	form, err := Compile(b.Task.Value.OutputSchema, q.code.limits)
	if q.cfg.Proofs == 0 || speaks || err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Until(q.until)/3)
	defer cancel()
	s := prove.Setup{Model: q.model, Quote: q.quoted, Most: q.cfg.Proofs, Text: q.cfg.Text, Time: time.Until(q.until), Points: map[string]string{}, Form: b.Task.Value.OutputSchema,
		Papers: proof.Papers{Task: b.Task.Raw, Result: b.Result.Raw}, Said: proof.Sides{Objection: b.Objection.Raw, Counter: b.Counter.Raw}, Prover: q.code.prover,
		Fits: func(control json.RawMessage) string {
			bad, err := form.Check(ctx, control)
			if err != nil || len(bad) > 0 {
				return "it violates it"
			}
			return ""
		}}
	at := map[string]int{}
	for _, it := range q.items {
		if it.of == 0 { // one program decides about all elements
			s.Points[it.id], at[it.id] = it.text, it.at
		}
	}
	proved, err := prove.Ask(ctx, s)
	q.usage.Add(proved.Usage)
	if err != nil {
		q.faults = append(q.faults, "writing check programs: "+fault(ctx, err))
	}
	out := map[int]runs.Proposed{}
	for id, p := range proved.Proposals {
		out[at[id]] = p
	}
	if proved.Tried > 0 {
		q.notes = append(q.notes, finding(note+"proposals", casefile.Pass, fmt.Sprintf("the model wrote %d check programs, and %d were accepted", proved.Tried, len(out))))
	}
	if len(proved.Refused) > 0 {
		q.notes = append(q.notes, finding(note+"proposals", casefile.Unknown, "not accepted: "+strings.Join(slices.Compact(proved.Refused), "; ")))
	}
	return out
}

// byProposals decides requirements by the programs of the model, together with its reading: at
// least one sample says the same of the requirement, and none the opposite. A program alone decides
// nothing, because one that looks at a part only, or rounds, passes its own controls, too.
func (q *investigation) byProposals(findings []casefile.Finding, proved map[int]runs.Proposed) {
	for at, p := range proved {
		run, f := p.Runs[2], &findings[at]
		outcome, read := casefile.OutcomeOf(run.Said), f.Outcome
		says := fmt.Sprintf("the check program of the model says %s of the result, true of its right and false of its wrong control", run.Said)
		if run.Why != "" {
			says += fmt.Sprintf(": %q", run.Why)
		}
		switch {
		case outcome == casefile.Unknown:
			outcome = read
		case read != casefile.Unknown && read != outcome:
			outcome, says = casefile.Unknown, says+"; its reading says otherwise, so that this is open"
		case read == casefile.Unknown && !q.backs(at, outcome):
			outcome, says = casefile.Unknown, says+"; its reading does not say so, so that this is open"
		}
		f.Outcome, f.Detail, f.Proposal = outcome, clean(says+". "+f.Detail), &p
	}
}

// backs reports whether at least one sample speaks for an outcome of a requirement, and none
// against it. Of several elements each must be met, and one fails all.
func (q *investigation) backs(at int, outcome casefile.CheckOutcome) bool {
	all, some := true, false
	for i, it := range q.items {
		if it.at != at {
			continue
		}
		s := q.settled[i]
		all = all && s.met > 0 && s.missed() == 0
		some = some || s.missed() > 0 && s.met == 0
	}
	if outcome == casefile.Pass {
		return all
	}
	return some
}
