package console

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/node/brainview"
)

// Thoughts are the tasks of MegaBrain.
type Thoughts interface {
	Tasks(ctx context.Context) (brainview.List, error)
	Task(ctx context.Context, at onchain.Address) (brainview.Detail, error)
	Members(ctx context.Context) ([]brainview.Membership, error)
}

// thoughtful shows the tasks of MegaBrain, and remembers what the chain said last.
type thoughtful struct {
	of      Thoughts
	tasks   kept[brainview.List]
	members kept[[]brainview.Membership]
}

// thoughtsPage is the list of tasks.
type thoughtsPage struct {
	Tasks        []thoughtRow
	All, Open    int
	Left         int
	Members      []memberRow
	MoreMembers  int
	Before, Next string
	Fault        string
}

// thoughtRow is a task in a list.
type thoughtRow struct {
	Task, Short, Question, Class string
	State, Mark                  string
	Budget, Seats                string
	Until, Now                   int64
	Waits                        string
	Dispute                      string
}

// memberRow is a member of a class.
type memberRow struct {
	Key, Short, Role, Class, ClassKey, Stake, Locked, Earned, Reputation, Note string
}

// maxMembers bounds the members that are listed.
const maxMembers = 100

// phase is what a stage of a task means for people.
type phase struct{ mark, next, waits string }

// phaseOf says what comes next. Mark is the look of the status.
func phaseOf(s brain.Stage) phase {
	all := map[brain.Stage]phase{
		brain.DrawWorkers:    {"open", "A block of the chain draws the workers from the members of the class.", "to draw"},
		brain.Working:        {"open", "The workers work apart from each other, and commit to their results.", "to commit"},
		brain.Revealing:      {"open", "The workers show the results that they committed to.", "to reveal"},
		brain.DrawEvaluators: {"open", "A block of the chain draws the evaluators.", "to draw"},
		brain.Evaluating:     {"open", "The evaluators score the results, and commit to their scores.", "to commit"},
		brain.RevealScores:   {"open", "The evaluators show their scores.", "to reveal"},
		brain.AwaitOutcome:   {"open", "An evaluator posts which results mean the same.", "to post"},
		brain.Posted:         {"undecided", "Anybody with another outcome may bring it to the court.", "to dispute"},
		brain.Disputed:       {"reject", "The judges of the court find the outcome again.", "to decide"},
		brain.Ready:          {"undecided", "The budget can be divided now.", ""},
		brain.Settled:        {"accept", "The results that mean the same are paid.", ""},
		brain.Inconclusive:   {"abstain", "No cluster is paid. Stakes came back, with a share for the effort.", ""},
		brain.Expired:        {"abstain", "Nobody was drawn, and the budget goes back.", ""},
	}
	return all[s]
}

// page puts the page of the tasks together.
func (s *thoughtful) page(query url.Values) thoughtsPage {
	l, err := s.tasks.get(listFor, s.of.Tasks)
	p := thoughtsPage{All: len(l.Tasks), Left: l.Left}
	if err != nil {
		p.Fault = picture.Line(err.Error())
	}
	for _, t := range l.Tasks {
		if !t.Over {
			p.Open++
		}
	}
	at, err := strconv.Atoi(cmp.Or(query.Get("page"), "1"))
	if err != nil {
		at = 1
	}
	var page []brainview.Outline
	page, p.Before, p.Next = paged(l.Tasks, at, "/brain", nil)
	for _, t := range page {
		p.Tasks = append(p.Tasks, thoughtOf(t, l.Now))
	}
	p.Members, p.MoreMembers, err = s.membersOf("")
	if err != nil && p.Fault == "" {
		p.Fault = picture.Line(err.Error())
	}
	return p
}

func thoughtOf(t brainview.Outline, now int64) thoughtRow {
	is := phaseOf(t.Stage())
	row := thoughtRow{
		Task: t.Task, Short: ends(t.Task), Question: picture.Line(t.Question), Class: picture.Line(t.ClassName), State: t.Status, Mark: is.mark,
		Budget: onchain.SOL(uint64(t.Budget)), Seats: seatsOf(t.Workers, t.Evaluators), Dispute: t.Dispute,
	}
	if row.Class == "" {
		row.Class = ends(t.Class)
	}
	if t.Until > now && is.waits != "" {
		row.Until, row.Now, row.Waits = t.Until, now, is.waits
	}
	return row
}

func seatsOf(workers, evaluators int) string {
	return picture.Count(workers, "worker", "workers") + ", " + picture.Count(evaluators, "evaluator", "evaluators")
}

// membersOf lists the members of classes; with words, those whose address or class has them all.
func (s *thoughtful) membersOf(words string) (rows []memberRow, more int, err error) {
	all, err := s.members.get(listFor, s.of.Members)
	for _, m := range all {
		text := strings.ToLower(m.ClassName + " " + m.Role)
		if slices.ContainsFunc(strings.Fields(words), func(w string) bool {
			return !strings.Contains(text, strings.ToLower(w)) && !strings.Contains(m.Agent, w)
		}) {
			continue
		}
		if len(rows) == maxMembers {
			more++
			continue
		}
		rows = append(rows, memberOf(m))
	}
	return rows, more, err
}

func memberOf(m brainview.Membership) memberRow {
	row := memberRow{
		Key: m.Agent, Short: ends(m.Agent), Role: m.Role, Class: picture.Line(m.ClassName), ClassKey: m.Class, Stake: onchain.SOL(uint64(m.Stake)), Locked: lamports(uint64(m.Locked)),
		Earned: lamports(uint64(m.Earned)), Reputation: fmt.Sprintf("%d.%02d %%", m.Reputation/100, m.Reputation%100),
	}
	if row.Class == "" {
		row.Class = ends(m.Class)
	}
	switch {
	case m.Leaving:
		row.Note = "leaves"
	case m.Frozen > 0:
		row.Note = "frozen until " + picture.Date(m.Frozen)
	case m.Restores > 0:
		row.Note = picture.Count(m.Restores, "paid task", "paid tasks") + " until its blame is lifted"
	case m.Sponsor != "":
		row.Note = ends(m.Sponsor) + " vouches for it with " + onchain.SOL(uint64(m.Vouched))
	}
	return row
}

// open lists the tasks of MegaBrain that are open, for the market. Words narrow them.
func (s *thoughtful) open(words string) (rows []thoughtRow, err error) {
	l, err := s.tasks.get(listFor, s.of.Tasks)
	for _, t := range l.Tasks {
		text := strings.ToLower(t.Question + " " + t.ClassName)
		if t.Over || slices.ContainsFunc(strings.Fields(words), func(w string) bool {
			return !strings.Contains(text, strings.ToLower(w)) && !strings.Contains(t.Task+" "+t.Requester, w)
		}) {
			continue
		}
		if len(rows) < maxThinking {
			rows = append(rows, thoughtOf(t, l.Now))
		}
	}
	return rows, err
}

// maxThinking bounds the tasks of MegaBrain in the market.
const maxThinking = 20

// one reads the page of one task.
func (s *thoughtful) one(key casefile.Address) (thoughtPage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	d, err := s.of.Task(ctx, onchain.Address(key))
	if err != nil {
		return thoughtPage{}, err
	}
	return thoughtFrom(d), nil
}
