package trial

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ojud/agent/judge/exam"
	"ojud/golden/generator"
	"ojud/voting/rules"
)

// EntryItems is how many disputes an entry exam has.
const EntryItems = rules.ExamItems

// Sitting is the result of an exam.
type Sitting struct {
	exam.Grades
	Of    int         `json:"disputes"`       // of the exam; more than were heard, if it goes on later
	Seed  string      `json:"seed,omitempty"` // of generated disputes
	Blind *exam.Blind `json:"blind,omitempty"`
	Entry *Admission  `json:"entry,omitempty"`

	again string // the flags that make the same disputes
}

// Admission says whether the result would pass the entry exam of a court. An exam passes if at
// least 28 of 40 are right, and the same share of the hard ones.
type Admission struct {
	Right     int  `json:"right"`
	Needed    int  `json:"needed"`
	Hard      int  `json:"hard"`
	HardRight int  `json:"hard_right"`
	Needs     int  `json:"hard_needed"`
	Passed    bool `json:"passed"`
}

// Graded reports the grades of an exam; made is its syllabus if its disputes were generated. Only
// an exam of the court's size and of all kinds can be an entry exam, and only if the tasks have
// nothing for code: what programs decide, every judge gets right.
func Graded(g exam.Grades, disputes []Dispute, made *Syllabus) (Sitting, error) {
	r := Sitting{Grades: g, Of: len(disputes)}
	disputes = heard(g, disputes)
	if made == nil || len(disputes) == 0 {
		return r, nil
	}
	blind, err := made.exam().Blind(disputes)
	if err != nil {
		return r, err
	}
	r.Seed, r.Blind, r.again = made.Seed, &blind, made.flags()
	if len(disputes) != EntryItems || made.Typed || made.Support != string(generator.Words) || len(made.Kinds) > 0 {
		return r, nil
	}
	hard := map[string]bool{}
	for _, d := range disputes {
		hard[d.ID] = d.Hard()
	}
	e := Admission{Right: g.All.Right, Needed: rules.ExamPass}
	for _, m := range g.Items {
		if !hard[m.ID] {
			continue
		}
		if e.Hard++; m.Choice == m.Label {
			e.HardRight++
		}
	}
	e.Needs = (e.Hard*rules.ExamPass + rules.ExamItems - 1) / rules.ExamItems
	wrong := g.All.PaysWrongly + g.All.RefundsWrongly
	_, e.Passed = rules.Admit(uint16(e.Right), uint16(wrong), uint16(e.Hard), uint16(e.HardRight))
	r.Entry = &e
	return r, nil
}

// heard returns the disputes that are graded.
func heard(g exam.Grades, disputes []Dispute) []Dispute {
	graded := map[string]bool{}
	for _, m := range g.Items {
		graded[m.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(disputes), func(d Dispute) bool { return !graded[d.ID] })
}

// flags are those that make the same disputes again.
func (p Syllabus) flags() string {
	out := "--seed " + p.Seed
	if p.Size != EntryItems {
		out += fmt.Sprintf(" --size %d", p.Size)
	}
	if len(p.Kinds) > 0 {
		out += " --kind " + strings.Join(p.Kinds, ",")
	}
	if p.Typed {
		out += " --typed"
	}
	if p.Support != "" {
		out += " --carry " + p.Support
	}
	return out
}

// Text writes the report for a person.
func (r Sitting) Text(w io.Writer) error {
	err := r.Grades.Text(w)
	if r.Blind != nil {
		err = errors.Join(err, r.Blind.Text(w))
	}
	if e := r.Entry; e != nil {
		word := "would not pass"
		if e.Passed {
			word = "would pass"
		}
		_, more := fmt.Fprintf(w, "\nThis %s the entry exam of a court: %d of %d are right, and %d are needed;\nof the %d hard ones %d are right, and %d are needed.\n",
			word, e.Right, r.All.Items, e.Needed, e.Hard, e.HardRight, e.Needs)
		err = errors.Join(err, more)
	}
	if heard := r.All.Items; heard < r.Of {
		_, more := fmt.Fprintf(w, "\n%d of %d disputes are heard. The same command goes on with the others.\n", heard, r.Of)
		err = errors.Join(err, more)
	}
	if r.Seed != "" {
		_, more := fmt.Fprintf(w, "\nThe same disputes again: %s\n", r.again)
		err = errors.Join(err, more)
	}
	return err
}
