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

// instructions compares the result with the instructions that code understands.
func instructions(task casefile.Task, r english.Reading) (out []casefile.Finding, proof english.Proven) {
	proof.Units = map[prose.Unit]bool{}
	for i, text := range task.Instruction {
		at := fmt.Sprintf("task:/instruction/%d", i)
		var open, passed, failed, unclear []string
		for _, sentence := range english.Sentences(text) {
			demands, whole := english.Understand(sentence)
			if !whole {
				open = append(open, prose.Quote(sentence))
			}
			for _, d := range demands {
				ok, known, found := d.Test(r)
				line := prose.Quote(d.Text) + ": " + found
				switch {
				case !known:
					unclear = append(unclear, line)
				case ok:
					passed = append(passed, line)
					proof.Prove(d)
				default:
					failed = append(failed, line)
				}
			}
		}
		name := fmt.Sprintf("instruction[%d]", i)
		switch {
		case len(failed) > 0:
			out = append(out, finding(specification+name, casefile.Fail, strings.Join(failed, "; "), at, "result:"))
		case len(passed) > 0:
			out = append(out, finding(specification+name, casefile.Pass, strings.Join(passed, "; "), at, "result:"))
		}
		if undecided := append(unclear, open...); len(undecided) > 0 {
			out = append(out, finding(instruction+name, casefile.Unknown, "not for code to decide: "+strings.Join(undecided, "; "), at))
		}
	}
	return out, proof
}

// byChecks turns the instructions that code left open into met ones, if the creator said in the
// task that checks settle them, and all of these checks pass. A check that proves nothing, or that
// is not answered, settles nothing. Nor do checks that look at the form of a value only.
func byChecks(findings []casefile.Finding, task casefile.Task) []casefile.Finding {
	passed := map[string]bool{}
	for _, f := range findings {
		passed[f.Check] = f.Outcome == casefile.Pass
	}
	for n, f := range findings {
		i, ok := instructed(f.Check, task)
		if !ok || f.Outcome != casefile.Unknown {
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

// provenAt returns where in the result checks of the task proved the value as a whole.
func provenAt(findings []casefile.Finding, task casefile.Task) (out []string) {
	for _, f := range findings {
		for k, c := range task.Expected {
			whole := c.Data == nil && (c.Runs() || len(c.Equals) > 0 || c.SHA256 != nil)
			if whole && f.Outcome == casefile.Pass && f.Check == fmt.Sprintf("%sexpected[%d]", specification, k) {
				out = append(out, c.Path)
			}
		}
	}
	return out
}
