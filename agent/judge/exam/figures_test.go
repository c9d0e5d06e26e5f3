package exam_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/exam"
	"ojud/casefile"
	"ojud/golden/generator"
	"ojud/test/longtest"
	"ojud/voting"
)

// TestByCode measures what code alone decides in an exam: no model reads anything. Nothing may be
// wrong. go test ./agent/judge/exam -run TestByCode -v prints the figures of docs/judges.md. A
// plain "go test ./..." judges a tenth of the disputes.
func TestByCode(t *testing.T) {
	share := 10
	if longtest.Wanted() {
		share = 1
	}
	e := examiner(t, judge.NewCode(judge.DefaultLimits()), exam.DefaultConfig())
	for _, c := range []struct {
		name  string
		s     exam.Syllabus
		least int // percent
	}{
		{"typed grounds", exam.Syllabus{Items: 400, Typed: true}, 60},
		{"plain words", exam.Syllabus{Items: 400}, 35},
		{"all is settled, plain words", exam.Syllabus{Items: 400, Support: generator.Whole}, 95},
		{"what it is about is settled, typed grounds", exam.Syllabus{Items: 120, Support: generator.Core, Typed: true}, 90},
		{"what it is about is settled, plain words", exam.Syllabus{Items: 120, Support: generator.Core}, 50},
		{"tasks with words only, typed grounds", exam.Syllabus{Items: 120, Support: generator.Words, Typed: true}, 0},
	} {
		c.s.Seed, c.s.Kinds, c.s.Items = "figures", generator.ExamKinds(), c.s.Items/share
		items, err := exam.Fresh(c.s)
		if err != nil {
			t.Fatal(err)
		}
		g, err := e.Examine(t.Context(), items, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := g.All
		t.Logf("%-44s right %d of %d, abstained %d, pays wrongly %d, refunds wrongly %d", c.name, s.Right, s.Items, s.Abstained, s.PaysWrongly, s.RefundsWrongly)
		if s.PaysWrongly != 0 || s.RefundsWrongly != 0 || s.NoOpinion != 0 || 100*s.Right < c.least*s.Items {
			t.Errorf("%s: %+v", c.name, s)
		}
		shown := 0
		for i, m := range g.Items {
			if m.Choice == m.Label || shown == 3 {
				continue
			}
			if s.PaysWrongly+s.RefundsWrongly+s.NoOpinion > 0 && m.Choice != casefile.Choice(voting.Abstain) {
				shown++
				t.Logf("%s %+v: %s %s\n%s\n%s\n%s", m.ID, *items[i].Made, m.Summary, m.Error, items[i].Task, items[i].Result, items[i].Objection)
			}
		}
	}
}

// TestQueriesInSQLite: the rows of generated queries are those that SQLite returns.
func TestQueriesInSQLite(t *testing.T) {
	items, err := exam.Fresh(exam.Syllabus{Seed: "sqlite", Items: 120, Kinds: []generator.Kind{generator.SQL}, Support: generator.Words})
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, i := range items {
		if i.Made.Shape == generator.Partly {
			continue // two databases in one task
		}
		var task casefile.Task
		if err := json.Unmarshal(i.Task, &task); err != nil {
			t.Fatal(err)
		}
		var text any
		if err := json.Unmarshal(task.InputData[0], &text); err != nil {
			t.Fatal(err)
		}
		if packed, ok := text.(map[string]any); ok {
			for _, text = range packed {
				break
			}
		}
		asks := strings.Join(task.Instruction, " ")
		first := asks[strings.Index(asks, "SELECT DISTINCT"):]
		first = first[:strings.Index(first, "ORDER BY s.name")+len("ORDER BY s.name")]
		second := asks[strings.Index(asks, "SELECT COUNT"):]
		second = second[:strings.Index(second, "= o.staff")+len("= o.staff")]
		got := selected(t, text.(string), first, "SELECT COUNT(*) || '/' || SUM(o.amount)"+strings.TrimPrefix(second, "SELECT COUNT(*), SUM(o.amount)"))
		var result map[string]any
		if err := json.Unmarshal(i.Result, &result); err != nil {
			t.Fatal(err)
		}
		if right := agrees(result, got); right != (i.Label == casefile.Choice(voting.Accept)) {
			t.Errorf("%s: SQLite says %s; %s\n%s", i.ID, got, i.Result, i.Task)
		}
		ran++
	}
	if ran < 90 {
		t.Errorf("%d databases", ran)
	}
}

// agrees compares a result with what SQLite returned for both queries.
func agrees(result map[string]any, got []string) bool {
	var names []string
	numbers := map[bool]float64{} // of orders, and their sum
	for field, v := range result {
		switch v := v.(type) {
		case []any:
			for _, name := range v {
				names = append(names, name.(string))
			}
		case float64:
			numbers[strings.Contains(field, "order") || field == "matched"] = v
		}
	}
	return strings.Join(names, ",") == got[0] && fmt.Sprintf("%.0f/%.0f", numbers[true], numbers[false]) == got[1]
}
