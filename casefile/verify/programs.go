package verify

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/casefile/runs"
	"ojud/casefile/sealed"
	"ojud/voting"
)

// programs runs the task's check programs, and the counterexamples of the pleadings, on the result
// again, and says what they say. A run in an opinion that says something else is the fault of the
// judge who signed it.
func (v *verifier) programs() (count int, f *fault) {
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
	r := repeater{verifier: v, by: newRunner(), again: map[string]*runs.Run{}, absent: map[string]bool{}}
	defer func() {
		if err := r.by.end(); err != nil && f == nil {
			f = faultAt("$", "%v", err)
		}
	}()
	modules := map[voting.Hash][]byte{}
	for _, hash := range task.Value.Modules() {
		if raw, ok := v.blob(hash); ok {
			modules[voting.Hash(hash)] = raw
		}
	}
	rawObjection, hasObjection := v.blob(terms.ObjectionHash)
	objection, err := casefile.ParseObjection(rawObjection)
	if err != nil {
		objection.Value = casefile.Objection{} // noted with the documents; it opens nothing
	}
	opened := sealed.Open(task.Value, terms.Reworks, objection.Value, v.blob)
	for _, n := range opened.Unsettled {
		v.report.note(NoteProgram, inBlob(voting.Hash(terms.TaskHash), fmt.Sprintf("instruction[%d]", n)),
			"a check that was sealed for an earlier result settles it, and none for this one, so that the open checks do not settle it alone")
	}
	for i, k := range opened.Task.Expected {
		path := inBlob(voting.Hash(terms.TaskHash), fmt.Sprintf("expected[%d]", i))
		r.sealed(opened, i, path, hasObjection)
		if !k.Runs() {
			continue
		}
		run, nothing, err := r.by.program(opened.Task, i, rawTask, rawResult, modules)
		if f := r.take(runs.CheckAt(i), path, k.Path, run, nothing, err); f != nil {
			return 0, f
		}
		if nothing == nil && run.Said == runs.False && k.Sealed == nil {
			v.report.Refuted = append(v.report.Refuted, Refuted{fmt.Sprintf("%sexpected[%d]", decided, i), "run again on the result, it says " + spoken(run)})
		}
	}
	for _, p := range []struct {
		name string
		hash casefile.Digest
	}{{"objection", terms.ObjectionHash}, {"counter-objection", terms.CounterHash}} {
		raw, ok := v.blob(p.hash)
		r.absent[p.name] = !ok
		pleading, err := casefile.ParseObjection(raw)
		if err != nil {
			continue // noted with the documents
		}
		for i, g := range pleading.Value.Grounds {
			if g.Counterexample == nil {
				continue
			}
			run, nothing, err := r.by.counterexample(opened.Task, p.name, i, g, rawResult)
			if f := r.take(runs.GroundAt(p.name, i), inBlob(voting.Hash(p.hash), fmt.Sprintf("grounds[%d]", i)), g.Pointer, run, nothing, err); f != nil {
				return 0, f
			}
		}
	}
	compare(v, r.again, r.absent)
	proposed, f := r.proposals(proposedIn{rawTask, rawResult, terms})
	if f == nil {
		f = r.cannot
	}
	return len(r.again) + proposed, f
}

// repeater makes runs again.
type repeater struct {
	*verifier
	by     runner
	again  map[string]*runs.Run // by what was run; nil: nothing stands at its path
	absent map[string]bool      // what could not be run; a pleading: its calls
	cannot *fault               // what this machine does not run
}

// sealed notes what there is to say of a sealed check before it is run. known: the objection is in
// this file.
func (r *repeater) sealed(o sealed.Opened, i int, path string, known bool) {
	why, closed := o.Unopened[i]
	switch {
	case o.Task.Expected[i].Sealed != nil && !known: // judges may have had both
		r.absent[runs.CheckAt(i)] = true
		r.report.note(NoteMissing, path, "this sealed check cannot be run again: the objection, which may open it, is not in this file")
	case o.Absent[i]: // likewise
		r.absent[runs.CheckAt(i)] = true
		r.report.note(NoteMissing, path, "this sealed check cannot be run again: the objection names its opening, and that is not in this file")
	case closed:
		r.report.note(NoteProgram, path, "this sealed check is not open, and demands nothing: %s", why)
	case o.Other[i]:
		r.report.note(NoteProgram, path, "this check was sealed for %s, and not for this one, so that it settles nothing", sealed.For(o.Task.Expected[i]))
	}
}

// take keeps a run that was made again, and notes what it says.
func (r *repeater) take(of, path, at string, run runs.Run, nothing, err error) *fault {
	switch {
	case errors.Is(err, errNoEngine):
		return &fault{path: path, detail: err.Error(), cannot: true}
	case errors.Is(err, errNoPython):
		r.absent[of] = true
		r.cannot = &fault{path: path, detail: err.Error(), cannot: true}
	case errors.Is(err, errNoModule):
		r.absent[of] = true
		r.report.note(NoteMissing, path, "it cannot be run again: its module is not in this file")
	case nothing != nil:
		r.again[of] = nil
		r.report.note(NoteProgram, path, "in the result, there is nothing at %q: %v", at, nothing)
	case err != nil:
		return faultAt(path, "%v", err)
	default:
		r.again[of] = &run
		r.report.note(NoteProgram, path, "run again on the result, it says %s", spoken(run))
	}
	return nil
}

// spoken is what a program said, in words.
func spoken(r runs.Run) string {
	if r.Why == "" {
		return fmt.Sprintf("%s, after %d steps", r.Said, r.Fuel)
	}
	return fmt.Sprintf("%s, after %d steps: %q", r.Said, r.Fuel, r.Why)
}

// compare compares the runs in the opinions with those that were made again.
func compare(v *verifier, again map[string]*runs.Run, absent map[string]bool) {
	for e, b := range bodies[casefile.VoteBody](v) {
		if _, ok := v.blob(b.Vote.OpinionHash); !ok {
			continue // noted with the opinions
		}
		opinion, problem := voted(v, b.Vote)
		if problem != "" {
			continue // likewise
		}
		for i, f := range opinion.Findings {
			if f.Run == nil {
				continue
			}
			if pleading, _, _ := strings.Cut(f.Run.Of, ":"); absent[pleading] || absent[f.Run.Of] {
				continue
			}
			if odd := untrue(f, again); odd != "" {
				v.report.note(NoteProgram, inBlob(voting.Hash(b.Vote.OpinionHash), fmt.Sprintf("findings[%d].run", i)), "the opinion of %s is not true: %s", e.Actor, odd)
			}
		}
	}
}

// untrue says how a run in an opinion differs from the one that was made again.
func untrue(f casefile.Finding, again map[string]*runs.Run) string {
	said := *f.Run
	run, known := again[said.Of]
	switch {
	case !known:
		return fmt.Sprintf("nothing is run at %s", said.Of)
	case run == nil:
		return fmt.Sprintf("nothing stands in the result where %s looks, so that there is no run", said.Of)
	case said.Engine != run.Engine || said.Module != run.Module:
		return fmt.Sprintf("it ran by the rules %q, which this build does not have; it has %q", said.Engine, run.Engine)
	case said != *run:
		return fmt.Sprintf("%s says %s, and the opinion that it says %s", said.Of, spoken(*run), spoken(said))
	case !follows(f):
		return fmt.Sprintf("%s says %s, and the finding is %s", said.Of, run.Said, f.Outcome)
	}
	return ""
}

// follows reports whether the outcome of a finding may follow from its run. A ground of the creator
// may stay open although its counterexample is refuted, and never holds.
func follows(f casefile.Finding) bool {
	if strings.HasPrefix(f.Run.Of, "objection:") {
		return f.Outcome == casefile.Unknown || f.Outcome == casefile.Pass && f.Run.Said == runs.True
	}
	return f.Outcome == casefile.OutcomeOf(f.Run.Said)
}

// proposedIn are the documents that a proposal is run on.
type proposedIn struct {
	task, result []byte
	terms        casefile.TaskTerms
}

// proposals makes the runs of the programs that models of judges proposed again. A judge may have
// proposed one that is not accepted, or say something else of it; then the note names the judge.
func (r *repeater) proposals(in proposedIn) (count int, f *fault) {
	objection, _ := r.blob(in.terms.ObjectionHash) // empty if the file does not have it
	counter, _ := r.blob(in.terms.CounterHash)
	for e, b := range bodies[casefile.VoteBody](r.verifier) {
		if _, ok := r.blob(b.Vote.OpinionHash); !ok {
			continue // noted with the opinions
		}
		opinion, problem := voted(r.verifier, b.Vote)
		if problem != "" {
			continue // likewise
		}
		for i, f := range opinion.Findings {
			if f.Proposal == nil {
				continue
			}
			path := inBlob(voting.Hash(b.Vote.OpinionHash), fmt.Sprintf("findings[%d].proposal", i))
			again, refused, err := r.by.proposal(*f.Proposal, in.task, in.result, objection, counter)
			switch {
			case errors.Is(err, errNoEngine):
				return 0, &fault{path: path, detail: err.Error(), cannot: true}
			case err != nil:
				return 0, faultAt(path, "%v", err)
			case refused != "":
				r.report.note(NoteProgram, path, "the opinion of %s is not true: its program proves nothing, because %s", e.Actor, refused)
			case !slices.Equal(again.Runs, f.Proposal.Runs):
				r.report.note(NoteProgram, path, "the opinion of %s is not true: run again, its program says %s of the result, and the opinion that it says %s", e.Actor, spoken(again.Runs[2]), spoken(f.Proposal.Runs[2]))
			case f.Outcome != casefile.Unknown && f.Outcome != casefile.OutcomeOf(again.Runs[2].Said):
				r.report.note(NoteProgram, path, "the opinion of %s is not true: its program says %s, and the finding is %s", e.Actor, again.Runs[2].Said, f.Outcome)
			default:
				r.report.note(NoteProgram, path, "the program of the model of %s, run again on the result, says %s", e.Actor, spoken(again.Runs[2]))
			}
			count++
		}
	}
	return count, nil
}
