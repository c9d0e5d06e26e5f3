package arbiter

import (
	"fmt"

	"ojud/ledger/brain"
	"ojud/megabrain/pay"
)

// leastDifficulty is that of the program.
const leastDifficulty = 50

// Reasons say why a settled task ended as it did, and why each seat got what it got.
type Reasons struct {
	Task                string
	Workers, Evaluators []string
}

// Explain settles a settled task again. A seat for which that leads to another amount than the
// chain has gets no reason.
func Explain(t *brain.TaskAccount, p brain.Parameters) Reasons {
	r := Reasons{Workers: make([]string, t.Counts.Drawn), Evaluators: make([]string, t.Counts.Seated)}
	if t.Status != brain.Settled && t.Status != brain.Inconclusive || p.Check() != nil || t.Marks.Difficulty < leastDifficulty {
		return r
	}
	if t.Counts.Seated == 0 { // no evaluator was drawn
		for i, w := range t.Work[:t.Counts.Drawn] {
			if w.State > revealed {
				r.Workers[i] = "submitted nothing"
			}
		}
		return r
	}
	s := pay.Settle(numbered(Assignment(t, p)))
	if s.Call > 0 || len(s.Parts) != len(r.Workers)+len(r.Evaluators) {
		return r
	}
	r.Task = s.Why
	for i, part := range s.Parts {
		if i < len(r.Workers) {
			if w := t.Work[i]; w.Paid == part.Paid+part.Bonus && w.Slashed == part.Slashed {
				r.Workers[i] = part.Why
			}
			continue
		}
		i -= len(r.Workers)
		if e := t.Judges[i]; e.Paid == part.Paid+part.Bonus && e.Slashed == part.Slashed {
			r.Evaluators[i] = part.Why
		}
	}
	return r
}

// numbered gives workers and evaluators the names that people read.
func numbered(a pay.Assignment) pay.Assignment {
	names := map[string]string{"": ""}
	for i := range a.Workers {
		names[a.Workers[i].ID] = fmt.Sprintf("worker %d", i+1)
	}
	for i := range a.Evaluators {
		names[a.Evaluators[i].ID] = fmt.Sprintf("evaluator %d", i+1)
	}
	for i := range a.Workers {
		w := &a.Workers[i]
		w.ID, w.CopyOf = names[w.ID], names[w.CopyOf]
	}
	for i := range a.Evaluators {
		a.Evaluators[i].ID = names[a.Evaluators[i].ID]
	}
	for i := range a.Evaluations {
		e := &a.Evaluations[i]
		e.Evaluator, e.Worker = names[e.Evaluator], names[e.Worker]
	}
	a.Poster = names[a.Poster]
	return a
}
