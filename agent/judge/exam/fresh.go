package exam

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ojud/agent/judge/class"
	"ojud/casefile"
	"ojud/golden/generator"
	"ojud/voting"
)

// classes say which class a kind of work belongs to.
var classes = map[generator.Kind]class.Class{
	generator.Arithmetic: class.Arithmetic, generator.Tables: class.Arithmetic, generator.Dates: class.Arithmetic,
	generator.Extraction: class.Extraction, generator.Prose: class.Extraction,
	generator.Code: class.Code, generator.SQL: class.Code, generator.Format: class.Format, generator.Translation: class.Writing,
	generator.Citations: class.Facts, generator.Actions: class.Facts, generator.Media: class.Facts,
}

var errFresh = errors.New("exam: there is no such exam")

// Syllabus says which exam is made.
type Syllabus struct {
	Seed    string
	Items   int
	Kinds   []generator.Kind
	Typed   bool              // the objections have typed grounds
	Support generator.Support // what the tasks carry for code; empty: drawn
}

// supports are what tasks carry, if a syllabus says nothing else.
var supports = []generator.Support{generator.Words, generator.Core, generator.Whole}

// Fresh makes an exam. Half of the disputes are to be accepted, and two shapes of five are hard, as
// far as they can be divided. They stand in random order.
func Fresh(p Syllabus) ([]Item, error) {
	switch {
	case p.Items < 1 || p.Items > MaxItems:
		return nil, fmt.Errorf("%w: %d disputes; write 1 to %d", errFresh, p.Items, MaxItems)
	case len(p.Kinds) == 0:
		return nil, fmt.Errorf("%w: no kind of work; write some of %v", errFresh, generator.ExamKinds())
	case p.Support != "" && !slices.Contains(supports, p.Support):
		return nil, fmt.Errorf("%w: no task carries %.40q; write one of %v", errFresh, p.Support, supports)
	}
	var out []Item
	for i := range p.Items {
		one, err := p.item(i)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b Item) int {
		x, y := a.Key(), b.Key()
		return bytes.Compare(x[:], y[:])
	})
	return out, nil
}

// item makes one item. Two items in a row have the same kind, shape and support, and the two
// answers.
func (p Syllabus) item(number int) (Item, error) {
	const _ = uint(3 - voting.Choices) // an answer is a side
	pair, shapes := number/2, generator.Shapes()
	want := generator.Design{Answer: voting.Accept, Shape: shapes[(pair+pair/len(p.Kinds))%len(shapes)], Support: p.Support, Typed: p.Typed}
	if number%2 == 1 {
		want.Answer = voting.Reject
	}
	if want.Support == "" {
		drawn := sha256.Sum256(append(binary.LittleEndian.AppendUint32([]byte("oju:exam:support:v2"), uint32(pair)), p.Seed...))
		want.Support = supports[int(drawn[0])%len(supports)] // 255 divides by 3
	}
	raw := append(binary.LittleEndian.AppendUint32([]byte("oju:exam:v2"), uint32(number)), p.Seed...)
	d, err := generator.Examine(p.Kinds[pair%len(p.Kinds)], sha256.Sum256(raw), want)
	if err != nil {
		return Item{}, fmt.Errorf("exam: %w", err)
	}
	// A judge sees the address of a case, which is made of this name. The number would tell it the
	// answer, so nobody without the seed can compute the name.
	id := sha256.Sum256(append([]byte("oju:exam:name:v2"), raw...))
	out := Item{
		ID: fmt.Sprintf("%s-%s-%x", d.Kind, d.Template, id[:4]), Class: classes[d.Kind], Difficulty: difficulty(d.Shape),
		Task: d.Task, Result: d.Result, Objection: d.Objection, Counter: d.Counter, Label: casefile.Choice(d.Answer),
		Why: d.Proof.Why, Checks: d.Proof.Steps, Made: &Made{Kind: d.Kind, Shape: d.Shape, Support: d.Support, Plea: d.Plea, True: d.True},
	}
	for _, r := range d.Replies {
		out.Answers = append(out.Answers, Fixture{Source: r.Source, Request: r.Request, Holders: []Holder{{Name: "holder", Content: r.Content}}})
	}
	return out, nil
}

// difficulty says how difficult a shape is.
func difficulty(s generator.Shape) int {
	switch s {
	case generator.Easy:
		return 1
	case generator.Hard, generator.Long:
		return hardest
	case generator.Partly, generator.Hostile:
	}
	return 2
}

// Hard reports whether an item counts among the hard ones of an entry exam.
func (i Item) Hard() bool { return i.Difficulty == hardest }
