package exam_test

import (
	"bytes"
	_ "embed"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/exam"
	"ojud/casefile"
	"ojud/golden/generator"
)

//go:embed testdata/misread.jsonl
var misread []byte

// TestMisread: 16 plain tasks, of which a reviewer found that code pays or refuses each wrongly.
// Their words are for readers, so that code abstains. go test ./agent/judge/exam -run TestMisread
// -v prints the figures of ADR 0090.
func TestMisread(t *testing.T) {
	items, err := exam.Read(bytes.NewReader(misread))
	if err != nil {
		t.Fatal(err)
	}
	g, err := examiner(t, judge.NewCode(judge.DefaultLimits()), exam.DefaultConfig()).Examine(t.Context(), items, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := g.All
	t.Logf("right %d of %d, abstained %d, pays wrongly %d, refunds wrongly %d", s.Right, s.Items, s.Abstained, s.PaysWrongly, s.RefundsWrongly)
	if s.Items != 16 || s.Abstained != 16 {
		t.Errorf("%+v", s)
	}
}

// TestReadsEnglish measures the sentences of objections that code reads, right and wrong: those of
// an exam in plain words. The checks of its tasks look at the whole result, so they refute no
// sentence about a place (ADR 0143), with checks or without. go test ./agent/judge/exam -run
// TestReadsEnglish -v prints the figures.
func TestReadsEnglish(t *testing.T) {
	e := examiner(t, judge.NewCode(judge.DefaultLimits()), exam.DefaultConfig())
	for _, support := range []generator.Support{generator.Core, generator.Words} {
		items, err := exam.Fresh(exam.Syllabus{Seed: "reads", Items: 120, Kinds: []generator.Kind{generator.Arithmetic, generator.Tables, generator.Dates}, Support: support})
		if err != nil {
			t.Fatal(err)
		}
		sentences, read, refuted := 0, 0, 0
		_, err = e.Examine(t.Context(), items, func(h exam.Attempt) {
			for _, f := range h.Opinion.Findings {
				if !strings.HasPrefix(f.Check, "objection/") {
					continue
				}
				sentences++
				if !strings.Contains(f.Detail, "it is not a claim that code understands") {
					read++
				}
				if f.Outcome == casefile.Pass {
					refuted++
					t.Errorf("%s: %s\n%s", h.Item.ID, f.Detail, h.Item.Result)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d sentences, %d read, %d refuted", support, sentences, read, refuted)
		if refuted > 0 || read < 20 || sentences < 120 {
			t.Errorf("%s: %d sentences, %d refuted", support, sentences, refuted)
		}
	}
}
