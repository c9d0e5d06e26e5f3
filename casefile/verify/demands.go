package verify

import (
	"fmt"
	"strings"

	"ojud/agent/judge/check"
	"ojud/casefile"
	"ojud/voting"
)

// demands makes the task's demands on the result again, and notes which are not met. An opinion
// that says something else is the fault of the judge who signed it.
func demands(v *verifier) (int, *fault) {
	terms := v.open.Value.Task
	rawTask, hasTask := v.blob(terms.TaskHash)
	rawResult, hasResult := v.blob(terms.ResultHash)
	if !hasTask || !hasResult || reads(casefile.ParseTask)(rawTask) != nil || reads(casefile.ParseResult)(rawResult) != nil {
		return 0, nil // noted with the documents
	}
	task, err := casefile.ParseTask(rawTask)
	if err != nil {
		return 0, faultAt(inBlob(voting.Hash(terms.TaskHash), "expected"), "%v", err)
	}
	papers, err := check.Read(task.Raw, rawResult)
	if err != nil {
		return 0, faultAt(inBlob(voting.Hash(terms.ResultHash), ""), "%v", err)
	}
	again := map[string]check.Made{}
	for _, m := range check.Every(task.Value, papers) {
		again[fmt.Sprintf("expected[%d]", m.Index)] = m
		if m.Outcome == casefile.Pass {
			continue
		}
		v.report.note(NoteDemand, inBlob(voting.Hash(terms.TaskHash), fmt.Sprintf("expected[%d]", m.Index)), "made again on the result: %s: %s", m.Outcome, m.Detail)
	}
	if len(again) > 0 {
		compareDemands(v, again)
	}
	return len(again), nil
}

// compareDemands compares what opinions say of demands with what came of them again.
func compareDemands(v *verifier, again map[string]check.Made) {
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
			_, name, _ := strings.Cut(f.Check, "/")
			m, made := again[name]
			if made && f.Run == nil && f.Outcome != m.Outcome {
				v.report.note(NoteDemand, inBlob(voting.Hash(b.Vote.OpinionHash), fmt.Sprintf("findings[%d]", i)),
					"the opinion of %s is not true: it says %s of the task's check %d, which ends as %s: %s", e.Actor, f.Outcome, m.Index, m.Outcome, m.Detail)
			}
		}
	}
}
