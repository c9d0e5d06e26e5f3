package judge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ojud/agent/judge/english"
	"ojud/casefile"
)

// item is one requirement of the task that code could not decide, or one element of the result that
// a requirement about several is asked about.
type item struct {
	id      string // "I1"
	at      int    // index of its finding
	text    string // the instruction, as the creator wrote it
	pointer string // into the task
	// Of a requirement about several elements: the element, its number, and how many there are.
	element    string
	number, of int
	// The elements may be others than those that the requirement is about. Then a no decides
	// nothing.
	unsure bool
	// The requirement is about several things that code cannot tell apart.
	several bool
}

// checklist returns the requirements that code left open. Code makes it from the task and the
// result, so all judges have the same list, and no party can add to it. A requirement about several
// things becomes an item for each element of the result, because one quote proves nothing about ten
// lines. If these are too many, it stays open. Members that the schema does not name are no
// elements: a worker could add them.
func checklist(findings []casefile.Finding, task casefile.Task, r english.Reading, most int) (items []item) {
	elements, sure := r.Elements(names(task.OutputSchema))
	sure = sure && !english.Layered(task.Instruction)
	add := func(it item) {
		it.id = fmt.Sprintf("I%d", len(items)+1)
		items = append(items, it)
	}
	for at, f := range findings {
		i, ok := instructed(f.Check, task)
		if !ok || f.Outcome != casefile.Unknown || len(items) == most {
			continue
		}
		it := item{at: at, text: task.Instruction[i], pointer: fmt.Sprintf("task:/instruction/%d", i)}
		universal := english.Universal(it.text)
		switch {
		case universal && len(elements) > most-len(items):
		case universal && len(elements) > 1:
			for n, element := range elements {
				it.element, it.number, it.of, it.unsure = element, n+1, len(elements), !sure
				add(it)
			}
		default:
			it.several = universal && r.Several()
			add(it)
		}
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
