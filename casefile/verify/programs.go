package verify

import (
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/voting"
)

// programs runs the task's check programs on the result again, and says what they say. A run in an
// opinion that says something else is the fault of the judge who signed it.
func (v *verifier) programs() (count int, f *fault) {
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
	runner, end := newRunner()
	defer func() {
		if err := end(); err != nil && f == nil {
			f = faultAt("$", "%v", err)
		}
	}()
	again := map[int]*casefile.Run{} // nil: nothing stands at the path
	for i, k := range task.Value.Expected {
		if !k.Runs() {
			continue
		}
		path := inBlob(voting.Hash(terms.TaskHash), fmt.Sprintf("expected[%d]", i))
		run, nothing, err := runner(task.Value, i, rawTask, rawResult)
		switch {
		case errors.Is(err, errNoEngine):
			return 0, &fault{path: path, detail: err.Error(), cannot: true}
		case nothing != nil:
			again[i] = nil
			v.report.note(NoteProgram, path, "in the result, there is nothing at %q: %v", k.Path, nothing)
		case err != nil:
			return 0, faultAt(path, "%v", err)
		default:
			again[i] = &run
			v.report.note(NoteProgram, path, "run again on the result, it says %s", spoken(run))
		}
	}
	compare(v, again)
	return len(again), nil
}

// spoken is what a program said, in words.
func spoken(r casefile.Run) string {
	if r.Why == "" {
		return fmt.Sprintf("%s, after %d steps", r.Said, r.Fuel)
	}
	return fmt.Sprintf("%s, after %d steps: %q", r.Said, r.Fuel, r.Why)
}

// compare compares the runs in the opinions with those that were made again.
func compare(v *verifier, again map[int]*casefile.Run) {
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
			if f.Run == nil {
				continue
			}
			if odd := untrue(f, again); odd != "" {
				v.report.note(NoteProgram, inBlob(voting.Hash(b.Vote.OpinionHash), fmt.Sprintf("findings[%d].run", i)), "the opinion of %s is not true: %s", e.Actor, odd)
			}
		}
	}
}

// untrue says how a run in an opinion differs from the one that was made again.
func untrue(f casefile.Finding, again map[int]*casefile.Run) string {
	said := *f.Run
	run, known := again[int(said.Expected)]
	switch {
	case !known:
		return fmt.Sprintf("the task's check %d is no program", said.Expected)
	case run == nil:
		return fmt.Sprintf("nothing stands at the path of the task's check %d, so that there is no run", said.Expected)
	case said.Engine != run.Engine || said.Module != run.Module:
		return fmt.Sprintf("it ran by the rules %q, which this build does not have; it has %q", said.Engine, run.Engine)
	case said != *run:
		return fmt.Sprintf("the check program %d says %s, and the opinion that it says %s", said.Expected, spoken(*run), spoken(said))
	case f.Outcome != run.Outcome():
		return fmt.Sprintf("the check program %d says %s, and the finding is %s", said.Expected, run.Said, f.Outcome)
	}
	return ""
}
