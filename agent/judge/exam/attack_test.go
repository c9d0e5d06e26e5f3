package exam_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/exam"
	"ojud/casefile"
	"ojud/voting"
)

// nameReader judges by the address of the case alone. It knows how the exam makes names, and all
// but the seed. The number of an item decides its answer.
type nameReader struct {
	names  []string
	number uint32
}

func (c nameReader) Evaluate(_ context.Context, b judge.Brief) (casefile.Opinion, error) {
	choice := voting.Abstain
	for number := range c.number {
		raw := binary.LittleEndian.AppendUint32([]byte("oju:exam:v2"), number)
		for _, text := range []string{string(raw) + string(b.Task.Raw), string(raw), "oju:exam:name:v2" + string(raw)} {
			id := sha256.Sum256([]byte(text))
			for _, name := range c.names {
				if sha256.Sum256(fmt.Appendf([]byte("exam\x00"), "%s-%x", name, id[:4])) == [32]byte(b.Case) {
					choice = voting.Choice(1 + number%2)
				}
			}
		}
	}
	return casefile.Opinion{Choice: casefile.Choice(choice), Summary: "x", Model: casefile.CodeChecks,
		Findings: []casefile.Finding{{Check: "x", Outcome: casefile.Pass, Detail: "x", Evidence: []string{}}}}, nil
}

// TestAttackExamByItsName: the address of a case was made of the item's number and of its task. A
// judge found the number by trying, and with it the answer: 40 of 40 right, nothing read.
func TestAttackExamByItsName(t *testing.T) {
	items, err := exam.Fresh(plan("a seed that the judge does not know", 8))
	if err != nil {
		t.Fatal(err)
	}
	c := nameReader{number: 8}
	for _, i := range items {
		c.names = append(c.names, i.ID[:len(i.ID)-len("-00000000")]) // kind and template, which are public
	}
	e, err := exam.New(c, exam.DefaultConfig(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	g, err := e.Examine(t.Context(), items, nil)
	if err != nil {
		t.Fatal(err)
	}
	if g.All.Right != 0 || g.All.Items != len(items) {
		t.Errorf("%d of %d right by the name alone", g.All.Right, g.All.Items)
	}
}
