package judge

import (
	"context"
	"errors"
	"fmt"

	"ojud/agent/judge/prose"
	"ojud/casefile"
	"ojud/casefile/proof"
	"ojud/casefile/runs"
	"ojud/casefile/sealed"
)

// programs runs the task's check programs. True passes and false fails, as any check. A program
// that does not answer decides nothing: its creator could write one that never answers, and so
// could a worker write a result that it cannot take. A program that says true of results that say
// nothing proves nothing.
func (c *Code) programs(ctx context.Context, f *facts) (out []casefile.Finding) {
	for i, k := range f.task.Expected {
		if why, is := f.sealed.Unopened[i]; is {
			out = append(out, unopenedAt(i, why))
			continue
		}
		if !k.Runs() {
			continue
		}
		run, err := c.prover.Run(ctx, f.task, i, f.papers)
		var place proof.ErrPlace
		switch {
		case f.sealed.Other[i]: // the worker of a later result knows it, and one of this result need not meet it
			out = append(out, otherwise(k, i, run, err))
			continue
		case errors.As(err, &place):
			out = append(out, proven(specification, i, casefile.Fail, fmt.Sprintf("at %q: %v", k.Path, err), nil))
			continue
		case err != nil: // this node's trouble, or its time is over
			out = append(out, proven(specification, i, casefile.Unknown, "what the check runs was not run: "+err.Error(), nil))
			continue
		}
		text := fmt.Sprintf("%s %s", ran(k), run.Said)
		if run.Why != "" {
			text += fmt.Sprintf(": %q", run.Why)
		}
		class := specification
		switch run.Said {
		case runs.True:
			if hollow, err := c.prover.Hollow(ctx, f.task, i, f.papers); hollow || err != nil {
				class, text = note, text+"; it says true of an empty result, too, so that it proves nothing"
			} else {
				text += c.vacuous(ctx, f, i)
			}
		case runs.False:
			if k.Sealed != nil { // the worker could not read it, and it may demand anything
				class, text = note, text+"; it was sealed, so that it decides nothing alone"
			}
		case runs.None:
			class, text = note, text+"; it decides nothing"
		}
		out = append(out, proven(class, i, casefile.OutcomeOf(run.Said), text, &run))
	}
	return out
}

// vacuous notes a program that says true of the result without its content, too, and says so. It
// settles nothing.
func (c *Code) vacuous(ctx context.Context, f *facts, i int) string {
	k := f.task.Expected[i]
	if k.Program == nil || len(k.Settles) == 0 {
		return ""
	}
	if is, err := c.prover.Vacuous(ctx, f.task, i, f.papers); err == nil && !is {
		return ""
	}
	f.vacuous = append(f.vacuous, i)
	return "; it says true of this result without its content, too, so that it settles nothing"
}

// otherwise is the finding of a sealed check for another result. It decides nothing.
func otherwise(k casefile.Check, i int, run runs.Run, err error) casefile.Finding {
	was := fmt.Sprintf("it was sealed for %s, and not for this one, so that it decides nothing", sealed.For(k))
	if err != nil {
		return proven(note, i, casefile.Unknown, fmt.Sprintf("at %q: %v; %s", k.Path, err, was), nil)
	}
	return proven(note, i, casefile.OutcomeOf(run.Said), fmt.Sprintf("%s %s; %s", ran(k), run.Said, was), &run)
}

// ran names what ran.
func ran(k casefile.Check) string {
	switch {
	case k.Tests != nil:
		return "the tests say"
	case k.InEngine():
		return fmt.Sprintf("that it parses as %s, its parser says", *k.Parses)
	}
	return "the check program " + prose.Quote(k.Program.Text()) + " says"
}

// proven makes the finding of a check program.
func proven(class string, i int, outcome casefile.CheckOutcome, detail string, run *runs.Run) casefile.Finding {
	return withRun(finding(fmt.Sprintf("%sexpected[%d]", class, i), outcome, detail, runs.CheckAt(i), "result:"), run)
}

// withRun adds a run to a finding.
func withRun(f casefile.Finding, run *runs.Run) casefile.Finding {
	f.Run = run
	return f
}
