// Package settle says which checks of a task settle its instructions: if they pass, nobody has to
// read (protocol section 2).
package settle

import (
	"fmt"
	"slices"

	"ojud/casefile"
)

// Says begins the detail of a finding that an instruction is met because checks of the task settle
// it.
const Says = "the task says that "

// can reports whether a check may settle an instruction: it runs code on the result, also if it is
// sealed, or compares a value with the right one. Any other check looks at the form of a value,
// which garbage can have. So does contains, also of data: a text may say more, or the opposite.
func can(k casefile.Check) bool {
	return k.Executes() || k.Sealed != nil || len(k.Equals) > 0 || k.SHA256 != nil || k.Decisive(k.Data != nil)
}

// ByForm returns the indexes of the checks that name instructions in settles, and cannot settle
// any. Judges take such a check for one without settles.
func ByForm(t casefile.Task) (out []int) {
	for i, k := range t.Expected {
		if len(k.Settles) > 0 && !can(k) {
			out = append(out, i)
		}
	}
	return out
}

// By returns the names of the checks that settle an instruction together; none if no check among
// them can.
func By(t casefile.Task, instruction int) (names []string) {
	able := false
	for i, k := range t.Expected {
		if slices.Contains(k.Settles, instruction) {
			names, able = append(names, fmt.Sprintf("expected[%d]", i)), able || can(k)
		}
	}
	if !able {
		return nil
	}
	return names
}

// Create reads a task that is about to be created. It refuses what casefile.ParseTask takes because
// old tasks have it: a check of form that settles an instruction.
func Create(raw []byte) (casefile.Doc[casefile.Task], error) {
	doc, err := casefile.ParseTask(raw)
	if err != nil {
		return doc, err
	}
	for _, i := range ByForm(doc.Value) {
		return doc, &casefile.FieldError{Document: "task file", Field: fmt.Sprintf("expected[%d].settles", i), Problem: "this check looks at the form of a value only, " +
			"and garbage can have that form, too; leave settles out, so that readers decide the instruction, or settle it with program, tests, equals, sha256, near, " +
			"a set that is equal, media with scaled_from, or data"}
	}
	return doc, nil
}
