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
	part    string // the sentence of it that alone is asked about; "": all of it
	pointer string // into the task
	// Of a requirement about several elements: the element, its number, and how many there are.
	element    string
	number, of int
	// The elements may be others than those that the requirement is about. Then a no decides
	// nothing.
	unsure bool
	// The requirement is about several things, and this asks about all of them together, because
	// an element that is missing is asked about nowhere else.
	whole bool
	// There are too many elements to ask about each. Then a yes decides nothing.
	partly bool
	// The requirement is about several things that code cannot tell apart.
	several bool
	// The objection does not name the requirement. Then a no keeps it open, and nothing else
	// counts.
	unnamed bool
}

// checklist returns the requirements that code left open. Code makes it from the task and the
// result, so all judges have the same list, and no party can add to it. Each demand of an
// instruction becomes an item of its own. One about several things becomes an item for each element
// of the result, because one quote proves nothing about ten lines, and one about all of it, because
// what is missing is no element. Elements have a limit of their own, so that a worker that hands in
// many leaves no question out. If these or the demands are too many, the instruction is not
// divided, then its elements are not asked about, and if there is still no room, it stays open.
// Members that the schema does not name are no elements: a worker could add them. What the
// objection does not name comes last.
func checklist(findings []casefile.Finding, task casefile.Task, r english.Reading, most int) (items []item) {
	elements, sure := r.Elements(names(task.OutputSchema))
	sure = sure && !english.Layered(task.Instruction)
	parts, room := most, most
	for _, class := range []string{instruction, undisputed} {
		for at, f := range findings {
			name, is := strings.CutPrefix(f.Check, class)
			i, ok := instructed(instruction+name, task)
			if !is || !ok || f.Outcome != casefile.Unknown {
				continue
			}
			whole := item{at: at, text: task.Instruction[i], pointer: fmt.Sprintf("task:/instruction/%d", i), unnamed: class == undisputed}
			for _, asked := range [][]item{whole.divided(english.Parts(whole.text), elements, sure, r), whole.divided([]string{whole.text}, elements, sure, r), whole.together(elements)} {
				if about := elementsOf(asked); about <= room && len(asked)-about <= parts {
					items, room, parts = append(items, asked...), room-about, parts-(len(asked)-about)
					break
				}
			}
		}
	}
	for i := range items {
		items[i].id = fmt.Sprintf("I%d", i+1)
	}
	return items
}

// divided returns the items about an instruction: one for each part, and one for each element of
// the result if a part is about several things.
func (it item) divided(parts, elements []string, sure bool, r english.Reading) (out []item) {
	for _, part := range parts {
		one, universal := it, english.Universal(part)
		perhaps := !universal && english.Plural(part)
		if part != it.text {
			one.part = part
		}
		if (universal || perhaps) && len(elements) > 1 {
			one.whole = true
			out = append(out, one)
			one.whole = false
			for n, element := range elements {
				one.element, one.number, one.of, one.unsure = element, n+1, len(elements), !sure || perhaps
				out = append(out, one)
			}
			continue
		}
		one.several = (universal || perhaps) && r.Several()
		out = append(out, one)
	}
	return out
}

// together returns the item about an instruction whose elements are too many to ask about.
func (it item) together(elements []string) []item {
	it.whole, it.partly = len(elements) > 1, len(elements) > 1
	return []item{it}
}

// elementsOf returns how many of some items are about an element.
func elementsOf(items []item) (n int) {
	for _, it := range items {
		n += min(it.of, 1)
	}
	return n
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
