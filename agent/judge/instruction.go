package judge

import (
	"fmt"
	"slices"
	"strings"

	"ojud/agent/judge/english"
	"ojud/agent/judge/prose"
	"ojud/casefile"
	"ojud/casefile/settle"
)

// instructions leaves every instruction open that demands something. What a sentence demands
// depends on all the others, on the input and on what is usual, so that code never knows that it is
// met or broken. Checks of the task can settle it, or a model. If no instruction seems to demand
// anything, code has misread one, because a task is for something.
func instructions(task casefile.Task) (out []casefile.Finding) {
	asks := slices.ContainsFunc(task.Instruction, func(text string) bool { return !english.Demandless(text) })
	for i, text := range task.Instruction {
		if asks && english.Demandless(text) {
			out = append(out, finding(fmt.Sprintf("%sinstruction[%d]", note, i), casefile.Pass, "it demands nothing: "+prose.Quote(text), fmt.Sprintf("task:/instruction/%d", i)))
			continue
		}
		out = append(out, finding(fmt.Sprintf("%sinstruction[%d]", instruction, i), casefile.Unknown, "not for code to decide: "+prose.Quote(text), fmt.Sprintf("task:/instruction/%d", i)))
	}
	return out
}

// byChecks turns the instructions that code left open into met ones, if the creator said in the
// task that checks settle them, and all of these checks pass. A check that proves nothing, or that
// is not answered, settles nothing. Nor do checks that look at the form of a value only. What a
// sealed check would settle that its creator did not open is not demanded. What one settled for an
// earlier result, and none does for this one, stays open.
func byChecks(findings []casefile.Finding, facts *facts) []casefile.Finding {
	task := facts.task
	passed := map[string]bool{}
	for _, f := range findings {
		passed[f.Check] = f.Outcome == casefile.Pass
	}
	for n, f := range findings {
		i, ok := instructed(f.Check, task)
		if !ok || f.Outcome != casefile.Unknown {
			continue
		}
		if name, is := withheld(task, i, findings); is {
			findings[n] = finding(unanswered+strings.TrimPrefix(f.Check, instruction), casefile.Unknown,
				fmt.Sprintf("%s%s settles it, which the creator did not open, so that it is not demanded", settle.Says, name), f.Evidence...)
			continue
		}
		if slices.Contains(facts.sealed.Unsettled, i) {
			findings[n].Detail = clean(f.Detail + "; a check that was sealed for an earlier result settles it, and none for this one, so that the open checks do not settle it alone")
			continue
		}
		if slices.ContainsFunc(facts.vacuous, func(k int) bool { return slices.Contains(task.Expected[k].Settles, i) }) {
			continue
		}
		by := settle.By(task, i)
		if len(by) > 0 && !slices.ContainsFunc(by, func(name string) bool { return !passed[specification+name] }) {
			findings[n] = finding(specification+strings.TrimPrefix(f.Check, instruction), casefile.Pass,
				fmt.Sprintf("%s%s settles it, and it passes", settle.Says, strings.Join(by, " with ")), f.Evidence...)
		}
	}
	return findings
}
