package work

import (
	"fmt"
	"testing"
)

// TestLandedUnheard: a step may be on the chain although the process that sent it died before its
// document was with a node. The next process brings it, once. Otherwise a worker would lose its
// bond for a right result that no judge can read, and nobody would take the task of a creator.
func TestLandedUnheard(t *testing.T) {
	t.Parallel()
	for at, shown := range map[Phase]Phase{Submitting: Waiting, Answering: Judged} {
		w := NewWorker(policy())
		w.Jobs["a"] = &Job{Task: "a", Skill: "sort", Phase: at, Result: "r"}
		w.Step(Restarted{})
		m := Market{Held: []Held{{Task: "a", Status: shown, Price: 100}}}
		if got := has[Bring](w.Step(m)); len(got) != 1 || got[0].Task != "a" {
			t.Errorf("%s: %v", at, got)
		}
		if got := has[Bring](w.Step(m)); len(got) != 0 {
			t.Errorf("%s, once more: %v", at, got)
		}
		if got := has[Bring](w.Step(Restarted{})); len(got) != 1 {
			t.Errorf("%s, at the next start: %v", at, got)
		}
	}
	for at, shown := range map[Phase]Phase{Posting: Open, Objecting: Disputed} {
		c := NewCreator(CreatorPolicy{})
		c.Items["o"] = &Item{ID: "o", Document: "d", Phase: at, Number: 3}
		c.Step(Restarted{})
		b := Books{Next: 4, Posted: []Posted{{Number: 3, Task: "t", Document: "d", Status: shown}}}
		if got := has[Bring](c.Step(b)); len(got) != 1 || got[0] != (Bring{"o", "t"}) {
			t.Errorf("%s: %v", at, got)
		}
		if got := has[Bring](c.Step(b)); len(got) != 0 {
			t.Errorf("%s, once more: %v", at, got)
		}
	}
}

// TestUnableToWork: while something else than its work fails, a worker has not tried. That is
// bounded.
func TestUnableToWork(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Skills[0].Attempts = 1
	w := NewWorker(p)
	m := Market{Vault: 100, Held: []Held{{Task: "a", Text: "sort", Status: Making, Price: 100, AnswerBond: 30}}}
	for n := range maxTries {
		if got := has[Make](w.Step(m)); len(got) != 1 || got[0].Attempt != 1 {
			t.Fatalf("look %d: %v", n, got)
		}
		w.Step(Made{Task: "a", Attempt: 1, Fault: "the chain does not answer", Unable: true})
		if got := w.Jobs["a"].Phase; got != Making {
			t.Fatalf("after %d cuts the task is given up: %s", n+1, got)
		}
	}
	w.Step(m)
	w.Step(Made{Task: "a", Attempt: 1, Fault: "its data is gone", Unable: true})
	if got := w.Jobs["a"].Phase; got != Yielding {
		t.Errorf("%s", got)
	}
}

// TestSpread: workers that look at the same offers want different ones of the same worth, so that
// not all but one come too late. The best one is first for all.
func TestSpread(t *testing.T) {
	t.Parallel()
	var m Market
	m.Vault = 1000
	for n := range 10 {
		m.Offers = append(m.Offers, vacancy(fmt.Sprint("task ", n), 100))
	}
	wanted := map[string]int{}
	for n := range 40 {
		p := policy()
		p.Name = fmt.Sprint("worker ", n)
		for _, take := range has[Take](NewWorker(p).Step(m)) {
			wanted[take.Task]++
		}
	}
	for task, n := range wanted {
		if len(wanted) < 7 || n > 16 {
			t.Errorf("%d of 40 workers want %s, and %d tasks are wanted at all", n, task, len(wanted))
		}
	}
	m.Offers = append(m.Offers, vacancy("better", 101))
	if got := has[Take](NewWorker(policy()).Step(m)); len(got) != 1 || got[0].Task != "better" {
		t.Errorf("%v", got)
	}
}
