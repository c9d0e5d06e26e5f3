package exam_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/exam"
	"ojud/casefile"
	"ojud/casefile/runs"
	"ojud/voting"
)

// TestOwnByPrograms attaches a check program to each of the 36 tasks of the shipped exam, which
// says what its proof in Go says. The judge of code then decides all 72 disputes, and all of them
// rightly. Where a data source decides, the creator wrote down what the source says, and checks ask
// whether it does: programs see no data.
func TestOwnByPrograms(t *testing.T) {
	raw, err := os.ReadFile("testdata/programs/sources.json")
	if err != nil {
		t.Fatal(err)
	}
	var sources map[string][]casefile.Check
	if err := json.Unmarshal(raw, &sources); err != nil {
		t.Fatal(err)
	}
	items, programs := own(t), map[string]bool{}
	for n, i := range items {
		stem, _, _ := strings.Cut(i.ID, ".")
		programs[stem] = true
		program, err := os.ReadFile(filepath.Join("testdata/programs", stem+".js"))
		if err != nil {
			t.Fatal(err)
		}
		var task casefile.Task
		if err := json.Unmarshal(i.Task, &task); err != nil {
			t.Fatal(err)
		}
		all := make([]int, len(task.Instruction))
		for k := range all {
			all[k] = k
		}
		task.Expected = append(task.Expected, sources[stem]...)
		task.Expected = append(task.Expected, casefile.Check{Program: &runs.CheckProgram{JavaScript: string(program)}})
		for k := range task.Expected {
			task.Expected[k].Settles = all
		}
		doc, err := casefile.NewTask(task)
		if err != nil {
			t.Fatal(err)
		}
		items[n].Task = doc.Raw
	}
	g, err := examiner(t, judge.NewCode(judge.DefaultLimits()), exam.DefaultConfig()).Examine(t.Context(), items, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d programs: right %d of %d, abstained %d, pays wrongly %d, refunds wrongly %d", len(programs), g.All.Right, g.All.Items, g.All.Abstained, g.All.PaysWrongly, g.All.RefundsWrongly)
	for _, m := range g.Items {
		if m.Choice != m.Label {
			t.Errorf("%s: %s, should be %s: %s %s", m.ID, voting.Choice(m.Choice), voting.Choice(m.Label), m.Summary, m.Error)
		}
	}
	if len(programs) != 36 || g.All.Right != 72 {
		t.Errorf("%d programs, %d right", len(programs), g.All.Right)
	}
}
