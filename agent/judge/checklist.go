package judge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ojud/casefile"
)

// item is one requirement of the task that code could not decide.
type item struct {
	id      string // "I1"
	at      int    // index of its finding
	text    string // the instruction, as the creator wrote it
	pointer string // into the task
}

// checklist returns the requirements that code left open. Code makes it from the task, so all
// judges have the same list, and no party can add to it.
func checklist(findings []casefile.Finding, task casefile.Task, most int) (items []item) {
	for at, f := range findings {
		i, ok := instructed(f.Check, task)
		if !ok || f.Outcome != casefile.Unknown || len(items) == most {
			continue
		}
		items = append(items, item{id: fmt.Sprintf("I%d", len(items)+1), at: at, text: task.Instruction[i], pointer: fmt.Sprintf("task:/instruction/%d", i)})
	}
	return items
}

// instructed returns the index of the instruction that code left open in a check.
func instructed(check string, task casefile.Task) (int, bool) {
	number, ok := strings.CutPrefix(check, instruction+"instruction[")
	i, err := strconv.Atoi(strings.TrimSuffix(number, "]"))
	return i, ok && err == nil && i >= 0 && i < len(task.Instruction)
}

// undecided reports whether a specification is undecided. Then a model can change nothing.
func undecided(findings []casefile.Finding) bool {
	return slices.ContainsFunc(findings, func(f casefile.Finding) bool {
		return strings.HasPrefix(f.Check, specification) && f.Outcome == casefile.Unknown
	})
}
