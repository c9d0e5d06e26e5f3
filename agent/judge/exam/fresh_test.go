package exam_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/exam"
	"ojud/casefile"
	"ojud/golden/generator"
	"ojud/test/longtest"
	"ojud/voting"
)

// TestFresh: an exam from a seed is valid, balanced, hard in two fifths, and the same again.
func TestFresh(t *testing.T) {
	items, err := exam.Fresh(plan("7", 40))
	if err != nil {
		t.Fatal(err)
	}
	accept, hard, ids := 0, 0, map[string]bool{}
	for _, i := range items {
		if err := i.Validate(); err != nil {
			t.Error(err)
		}
		if ids[i.ID] = true; i.Label == casefile.Choice(voting.Accept) {
			accept++
		}
		if i.Hard() {
			hard++
		}
	}
	if len(items) != 40 || len(ids) != 40 || accept != 20 || hard != 16 {
		t.Errorf("%d items, %d ids, %d to accept, %d hard", len(items), len(ids), accept, hard)
	}
	again, err := exam.Fresh(plan("7", 40))
	if err != nil {
		t.Fatal(err)
	}
	other, err := exam.Fresh(plan("8", 40))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text(t, items), text(t, again)) || bytes.Equal(text(t, items), text(t, other)) {
		t.Error("the seed decides something else than everything")
	}
	var b bytes.Buffer
	if err := exam.Write(&b, items); err != nil {
		t.Fatal(err)
	}
	if back, err := exam.Read(&b); err != nil || !bytes.Equal(text(t, back), text(t, items)) {
		t.Errorf("it cannot be saved and read: %v", err)
	}
	for want, bad := range map[string]func() ([]exam.Item, error){
		"0 disputes":       func() ([]exam.Item, error) { return exam.Fresh(plan("7", 0)) },
		"10001 disputes":   func() ([]exam.Item, error) { return exam.Fresh(plan("7", 10_001)) },
		"no kind of work":  func() ([]exam.Item, error) { return exam.Fresh(exam.Syllabus{Seed: "7", Items: 4}) },
		"carries \"gold\"": func() ([]exam.Item, error) { p := plan("7", 4); p.Support = "gold"; return exam.Fresh(p) },
		"called \"song\"": func() ([]exam.Item, error) {
			return exam.Fresh(exam.Syllabus{Seed: "7", Items: 4, Kinds: []generator.Kind{"song"}})
		},
	} {
		if _, err := bad(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// plan is that of an exam of all kinds.
func plan(seed string, items int) exam.Syllabus {
	return exam.Syllabus{Seed: seed, Items: items, Kinds: generator.ExamKinds()}
}

func text(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestFreshByCode: the judge of code alone decides none of it wrongly.
func TestFreshByCode(t *testing.T) {
	longtest.Only(t)
	items, err := exam.Fresh(plan("code", 120))
	if err != nil {
		t.Fatal(err)
	}
	grades, err := examiner(t, judge.NewCode(judge.DefaultLimits()), exam.DefaultConfig()).Examine(t.Context(), items, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := grades.All; s.PaysWrongly != 0 || s.RefundsWrongly != 0 || s.NoOpinion != 0 {
		t.Errorf("%+v", s)
	}
	for i, m := range grades.Items {
		if m.Choice != m.Label && m.Choice != casefile.Choice(voting.Abstain) {
			t.Errorf("%s: %s\n%s\n%s", m.ID, m.Summary, items[i].Task, items[i].Result)
		}
	}
	t.Logf("of %d: %d right, %d abstained", grades.All.Items, grades.All.Right, grades.All.Abstained)
}
