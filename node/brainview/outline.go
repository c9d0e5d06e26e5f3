package brainview

import (
	"cmp"
	"slices"

	"ojud/casefile"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
)

// Outline is a task in a list.
type Outline struct {
	Task        string          `json:"task"`
	Class       string          `json:"class"`
	ClassName   string          `json:"class_name,omitempty"` // empty: its document is not here
	Requester   string          `json:"requester"`
	Status      string          `json:"status"`
	Over        bool            `json:"over"`
	Until       int64           `json:"until,omitempty"` // end of the present phase, Unix seconds
	Submission  int64           `json:"submission_deadline"`
	Budget      casefile.Amount `json:"budget"` // lamports, as all amounts
	WorkerStake casefile.Amount `json:"worker_stake"`
	ScorerStake casefile.Amount `json:"evaluator_stake"`
	Paid        casefile.Amount `json:"paid"`
	Slashed     casefile.Amount `json:"slashed"`
	Workers     int             `json:"workers"`
	Evaluators  int             `json:"evaluators"`
	Question    string          `json:"question,omitempty"` // empty: the chain's node did not give its transaction. Lists have its beginning.
	Dispute     string          `json:"dispute,omitempty"`  // case of the court

	Keys TaskKeys `json:"-"`

	stage brain.Stage
	slot  uint64
}

func newest(a, b Outline) int {
	return cmp.Or(cmp.Compare(b.slot, a.slot), cmp.Compare(a.Task, b.Task))
}

// pressing orders tasks so that a list without room for all has what counts most. First come those
// in which somebody has a stake and is to commit, then those that go on, then those that are over.
// Among these, each class has its first task before any has its second; in a class the largest
// stake comes first, then the newest task. So nobody hides the tasks of another class by many small
// ones.
func pressing(tasks []Outline) []Outline {
	type place struct{ urgency, number int }
	places := make(map[string]place, len(tasks))
	stake := func(t Outline) casefile.Amount {
		switch t.stage {
		case brain.Working:
			return t.WorkerStake
		case brain.Evaluating:
			return t.ScorerStake
		}
		return 0
	}
	urgency := func(t Outline) int {
		switch {
		case t.stage == brain.Working || t.stage == brain.Evaluating:
			return 0
		case !t.Over:
			return 1
		}
		return 2
	}
	type row struct {
		class   string
		urgency int
	}
	counts := map[row]int{}
	tasks = slices.SortedFunc(slices.Values(tasks), func(a, b Outline) int {
		return cmp.Or(cmp.Compare(stake(b), stake(a)), newest(a, b))
	})
	for _, t := range tasks {
		r := row{t.Class, urgency(t)}
		places[t.Task] = place{r.urgency, counts[r]}
		counts[r]++
	}
	slices.SortStableFunc(tasks, func(a, b Outline) int {
		p, q := places[a.Task], places[b.Task]
		return cmp.Or(cmp.Compare(p.urgency, q.urgency), cmp.Compare(p.number, q.number))
	})
	return tasks
}

// TaskKeys are the addresses of a task and its class.
type TaskKeys struct{ Task, Class onchain.Address }

// At is a summary at a stage.
func At(s brain.Stage, of Outline) Outline {
	of.stage, of.Status = s, s.String()
	return of
}

// Stage is where the task stands.
func (s Outline) Stage() brain.Stage { return s.stage }

func summary(at onchain.Address, t *brain.TaskAccount) Outline {
	s := Outline{
		Task: at.String(), Class: t.Parties.Class.String(), Requester: t.Parties.Requester.String(), Status: t.Status.String(), Over: t.Status >= brain.Settled,
		Submission: t.Clock.SubmissionDeadline, Budget: casefile.Amount(t.Money.Budget), WorkerStake: casefile.Amount(t.Money.WorkerStake),
		ScorerStake: casefile.Amount(t.Money.EvaluatorStake), Paid: casefile.Amount(t.Money.Paid), Slashed: casefile.Amount(t.Money.Slashed),
		Workers: int(t.Counts.Workers), Evaluators: int(t.Counts.Evaluators), Keys: TaskKeys{at, t.Parties.Class}, stage: t.Status, slot: t.Clock.CreatedSlot,
	}
	if t.Status < brain.Ready {
		s.Until = t.Clock.Deadline
	}
	if !t.Dispute.IsZero() {
		s.Dispute = t.Dispute.String()
	}
	return s
}
