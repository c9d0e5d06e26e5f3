package brainview

import (
	"fmt"
	"testing"

	"ojud/ledger/brain"
)

// flood are tasks of one class that are newer than those of another, and tasks of that other one:
// an old one in which a worker is to commit, one that waits for its draw, and one that is over.
func flood(stage brain.Stage, n int) []Outline {
	tasks := []Outline{
		At(brain.Working, Outline{Task: "mine", Class: "honest", WorkerStake: 50}),
		At(brain.DrawWorkers, Outline{Task: "waits", Class: "honest"}),
		At(brain.Settled, Outline{Task: "over", Class: "honest", Over: true}),
	}
	for i := range n {
		t := At(stage, Outline{Task: fmt.Sprint("flood", i), Class: "flood", WorkerStake: 60, Over: stage >= brain.Settled})
		t.slot = uint64(9_000 + i)
		tasks = append(tasks, t)
	}
	return tasks
}

// TestAttackFloodOfTasks: a stranger makes thousands of tasks in a class of its own. Those of
// another class in which somebody has a stake, or may get a seat, stay in the lists.
func TestAttackFloodOfTasks(t *testing.T) {
	t.Parallel()
	for _, stage := range []brain.Stage{brain.DrawWorkers, brain.Working, brain.Expired} {
		tasks := pressing(flood(stage, 2*maxTasks))
		at := map[string]int{}
		for i, k := range tasks {
			at[k.Task] = i
		}
		if at["mine"] > 1 || at["waits"] >= maxTasks && stage != brain.Working {
			t.Errorf("%v: my seat is task %d of the list, and the task that waits %d", stage, at["mine"], at["waits"])
		}
		if len(tasks) != 2*maxTasks+3 || at["over"] < at["mine"] {
			t.Errorf("%v: %d tasks, and the one that is over is task %d", stage, len(tasks), at["over"])
		}
	}
	// In one class the largest stake comes first, and of equals the newest.
	tasks := pressing(flood(brain.Working, 2))
	for i, want := range []string{"flood1", "mine", "flood0", "waits", "over"} {
		if tasks[i].Task != want {
			t.Errorf("task %d is %s, want %s", i, tasks[i].Task, want)
		}
	}
}
