package verify

import (
	"errors"
	"fmt"
	"strings"

	"ojud/casefile"
	"ojud/casefile/sealed"
	"ojud/casefile/settle"
	"ojud/voting"
)

// demand is what came of a demand of a task that was made again.
type demand struct {
	index   int // among the task's checks
	outcome casefile.CheckOutcome
	detail  string
}

// demands makes the task's demands on the result again, and those on data on the answers that
// opinions cite, and notes which are not met. An opinion that says something else is the fault of
// the judge who signed it. Answers of more than most bytes in all, counted for each demand, are not
// looked at.
func demands(v *verifier, most int) (int, *fault) {
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
	all, papers, err := demanded(task, rawResult)
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
	onData := newAnswers(v, sealed.Open(task.Value, terms.Reworks, casefile.Objection{}, v.blob).Task, papers, most)
	compareDemands(onData, again)
	return len(again) + onData.count, nil
}

// compareDemands compares what opinions say of demands with what came of them again.
func compareDemands(a *answers, again map[string]demand) {
	for e, b := range bodies[casefile.VoteBody](a.verifier) {
		if _, ok := a.blob(b.Vote.OpinionHash); !ok {
			continue // noted with the opinions
		}
		opinion, problem := voted(a.verifier, b.Vote)
		if problem != "" {
			continue // likewise
		}
		for i, f := range opinion.Findings {
			s := said{f, e.Actor, b.Round, opinion.Checks, inBlob(voting.Hash(b.Vote.OpinionHash), fmt.Sprintf("findings[%d]", i))}
			if k, settled := settledBy(f); settled && len(settle.By(a.task, k)) == 0 {
				s.note(a.verifier, "takes instruction %d for settled by the task's checks, and none of them can settle it", k)
			}
			_, name, _ := strings.Cut(f.Check, "/")
			if m, made := again[name]; made && f.Run == nil && f.Outcome != m.outcome {
				s.differs(a.verifier, m.index, fmt.Sprintf("%s: %s", m.outcome, m.detail))
			}
			if k, on := a.index[name]; on {
				a.compare(s, k)
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
