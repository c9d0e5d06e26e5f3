package verify

import (
	"errors"
	"fmt"
	"strings"

	"ojud/casefile"
	rule "ojud/casefile/demand"
	"ojud/casefile/settle"
	"ojud/voting"
)

// demand is what came of a demand of a task that was made again.
type demand struct {
	index   int // among the task's checks
	outcome casefile.CheckOutcome
	detail  string
}

// demands makes the task's demands on the result again, and notes which are not met. An opinion
// that says something else is the fault of the judge who signed it.
func demands(v *verifier) (int, *fault) {
	terms := v.open.Value.Task
	rawTask, hasTask := v.blob(terms.TaskHash)
	rawResult, hasResult := v.blob(terms.ResultHash)
	if !hasTask || !hasResult {
		v.missing++ // noted with the documents
		return 0, nil
	}
	if reads(casefile.ParseTask)(rawTask) != nil || reads(casefile.ParseResult)(rawResult) != nil {
		return 0, nil // noted with the documents
	}
	task, err := casefile.ParseTask(rawTask)
	if err != nil {
		return 0, faultAt(inBlob(voting.Hash(terms.TaskHash), "expected"), "%v", err)
	}
	all, err := demanded(task, rawResult)
	if errors.Is(err, errNoEngine) {
		return 0, &fault{path: inBlob(voting.Hash(terms.TaskHash), "expected"), detail: err.Error(), cannot: true}
	}
	if err != nil {
		return 0, faultAt(inBlob(voting.Hash(terms.ResultHash), ""), "%v", err)
	}
	for _, i := range settle.ByForm(task.Value) {
		v.report.note(NoteDemand, inBlob(voting.Hash(terms.TaskHash), fmt.Sprintf("expected[%d].settles", i)), "this check looks at the form of a value only, so it settles nothing")
	}
	again := map[string]demand{}
	for _, m := range all {
		again[fmt.Sprintf("expected[%d]", m.index)] = m
		if m.outcome == casefile.Pass {
			continue
		}
		v.report.note(NoteDemand, inBlob(voting.Hash(terms.TaskHash), fmt.Sprintf("expected[%d]", m.index)), "made again on the result: %s: %s", m.outcome, m.detail)
		if m.outcome == casefile.Fail {
			v.report.Refuted = append(v.report.Refuted, Refuted{fmt.Sprintf("%sexpected[%d]", decided, m.index), m.detail})
		}
	}
	if len(again) > 0 {
		compareDemands(v, task.Value, again)
	}
	return len(again), nil
}

// compareDemands compares what opinions say of demands with what came of them again.
func compareDemands(v *verifier, task casefile.Task, again map[string]demand) {
	for e, b := range bodies[casefile.VoteBody](v) {
		content, ok := v.blob(b.Vote.OpinionHash)
		if !ok {
			continue // noted with the opinions
		}
		opinion, problem := mismatch(content, b.Vote)
		if problem != "" {
			continue // likewise
		}
		for i, f := range opinion.Findings {
			if k, settled := settledBy(f); settled && len(settle.By(task, k)) == 0 {
				v.report.note(NoteDemand, inBlob(voting.Hash(b.Vote.OpinionHash), fmt.Sprintf("findings[%d]", i)),
					"the opinion of %s takes instruction %d for settled by the task's checks, and none of them can settle it", e.Actor, k)
			}
			_, name, _ := strings.Cut(f.Check, "/")
			m, made := again[name]
			if made && f.Run == nil && f.Outcome != m.outcome && opinion.Checks != rule.Version {
				v.report.note(NoteDemand, inBlob(voting.Hash(b.Vote.OpinionHash), fmt.Sprintf("findings[%d]", i)),
					"the opinion of %s says %s of the task's check %d by version %d of the checks; by version %d it ends as %s: %s", e.Actor, f.Outcome, m.index,
					max(opinion.Checks, 1), rule.Version, m.outcome, m.detail)
				continue
			}
			if made && f.Run == nil && f.Outcome != m.outcome {
				v.report.note(NoteDemand, inBlob(voting.Hash(b.Vote.OpinionHash), fmt.Sprintf("findings[%d]", i)),
					"the opinion of %s is not true: it says %s of the task's check %d, which ends as %s: %s", e.Actor, f.Outcome, m.index, m.outcome, m.detail)
			}
		}
	}
}

// settledBy returns the instruction that a finding takes for settled by checks.
func settledBy(f casefile.Finding) (instruction int, ok bool) {
	if f.Outcome != casefile.Pass || !strings.HasPrefix(f.Detail, settle.Says) {
		return 0, false
	}
	_, err := fmt.Sscanf(f.Check, decided+"instruction[%d]", &instruction)
	return instruction, err == nil
}
