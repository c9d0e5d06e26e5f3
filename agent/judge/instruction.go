package judge

import (
	"fmt"
	"strings"

	"ojud/agent/judge/english"
	"ojud/agent/judge/prose"
	"ojud/casefile"
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
