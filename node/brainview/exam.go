package brainview

import (
	"slices"
	"time"

	"ojud/ledger/brain"
	"ojud/megabrain/arbiter"
)

// Exam is an opened golden task. Graded are the results that count, by the number of the
// worker: whether each was opened as right. Answers are those that are the answer itself: the
// others that are right mean the same.
type Exam struct {
	State   string       `json:"state"`
	Until   int64        `json:"appeals_until,omitempty"` // Unix seconds
	Graded  map[int]bool `json:"results"`
	Answers []int        `json:"answers,omitempty"`
	Appeal  string       `json:"appeal,omitempty"` // the last one, a case of the court
	By      string       `json:"appellant,omitempty"`
	Refused int          `json:"appeals_rejected,omitempty"`
}

// exam is what a task shows of its seal; nil if that was not opened.
func exam(t *brain.TaskAccount) *Exam {
	states := [...]string{
		brain.Opened: "final", brain.Shown: "open to appeals", brain.Appealed: "in court", brain.Overturned: "overturned", brain.Void: "overturned",
	}
	if t.Marks.Opened == brain.Sealed || int(t.Marks.Opened) >= len(states) {
		return nil
	}
	e := &Exam{State: states[t.Marks.Opened], Graded: map[int]bool{}, Refused: int(t.Appeal.Refused)}
	if t.Marks.Opened == brain.Shown {
		e.Until = t.Clock.Deadline
	}
	if !t.Appeal.Dispute.IsZero() {
		e.Appeal, e.By = t.Appeal.Dispute.String(), t.Appeal.Appellant.String()
	}
	for i := range int(t.Counts.Drawn) {
		if right, ok := arbiter.OpenedAs(t, i); ok {
			if e.Graded[i+1] = right; t.Work[i].ResultHash == t.Seal {
				e.Answers = append(e.Answers, i+1)
			}
		}
	}
	return e
}

// String says it in words.
func (e Exam) String() string {
	text := "its right result was known before: " + e.State
	if e.Until > 0 {
		text += " until " + time.Unix(e.Until, 0).UTC().Format(time.DateTime) + " UTC"
	}
	return text
}

// Opened says how the result of a worker was opened; empty: it was not.
func (e *Exam) Opened(worker int) string {
	if e == nil {
		return ""
	}
	if slices.Contains(e.Answers, worker) {
		return "right, as the answer itself"
	}
	right, ok := e.Graded[worker]
	return map[[2]bool]string{{true, true}: "right", {false, true}: "wrong"}[[2]bool{right, ok}]
}
