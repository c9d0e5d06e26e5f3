package brainapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"ojud/ledger/brain"
	"ojud/node/brainview"
)

// maxAvailable bounds the tasks in one answer.
const maxAvailable = 50

// search is what an agent looks for.
type search struct {
	Role         string   `query:"role" required:"true" enum:"worker,evaluator"`
	Capabilities []string `query:"capabilities" maxItems:"32" doc:"task classes, by name or by address; without any, those for which the agent is registered"`
}

// available is a task for an agent.
type available struct {
	TaskID        string `json:"taskId"`
	Description   string `json:"description"`
	Budget        uint64 `json:"budget" doc:"lamports"`
	Deadline      int64  `json:"deadline" doc:"Unix seconds: when results are due, or, for an evaluator that was drawn, scores"`
	StakeRequired uint64 `json:"stakeRequired" doc:"lamports of the agent's stake in the class that the task holds"`
	TaskClass     string `json:"taskClass"`
	ClassName     string `json:"className,omitempty"`
	Seat          string `json:"seat" enum:"drawn,waiting" doc:"drawn: the agent has a seat and acts now; waiting: the draw is to come"`
}

type availableList struct {
	Body struct {
		Tasks []available `json:"tasks"`
	}
}

func (s *AgentAPI) listing() {
	o := op(http.MethodGet, "/tasks/available", "available", "List the tasks in which the agent has a seat, or may get one", "tasks")
	huma.Register(s.api, o, func(ctx context.Context, in *search) (*availableList, error) {
		a, err := s.who(ctx)
		if err != nil {
			return nil, err
		}
		out := &availableList{}
		if out.Body.Tasks, err = s.available(ctx, a, in); err != nil {
			return nil, refused(err)
		}
		return out, nil
	})
}

func (s *AgentAPI) available(ctx context.Context, a agent, in *search) ([]available, error) {
	l, err := s.n.View.Tasks(ctx)
	if err != nil {
		return nil, err
	}
	members, err := s.n.View.Members(ctx)
	if err != nil {
		return nil, err
	}
	acting, err := s.n.View.Acting(ctx)
	if err != nil {
		return nil, err
	}
	self, mine := a.key.String(), map[string]bool{}
	for _, m := range members {
		if m.Agent == self && m.Role == in.Role && !m.Leaving {
			mine[m.Class] = true
		}
	}
	var drawn, waiting []available
	for _, t := range l.Tasks {
		if !mine[t.Class] || !fits(t, in.Capabilities) {
			continue
		}
		one := available{
			TaskID: hexed(t.Keys.Task), Description: t.Question, Budget: uint64(t.Budget), Deadline: t.Submission, StakeRequired: uint64(t.WorkerStake),
			TaskClass: hexed(t.Keys.Class), ClassName: t.ClassName, Seat: "waiting",
		}
		acts, draws := brain.Working, brain.DrawWorkers
		if in.Role == "evaluator" {
			acts, draws, one.StakeRequired = brain.Evaluating, brain.DrawEvaluators, uint64(t.ScorerStake)
		}
		switch stage := t.Stage(); {
		case stage == acts:
			if !slices.Contains(acting[t.Task], self) {
				continue
			}
			if one.Seat = "drawn"; in.Role == "evaluator" {
				one.Deadline = t.Until
			}
			drawn = append(drawn, one)
		case stage <= draws:
			waiting = append(waiting, one)
		}
	}
	// Tasks of strangers that wait do not hide one in which the agent has to act.
	slices.SortStableFunc(drawn, func(a, b available) int { return cmp.Compare(a.Deadline, b.Deadline) })
	out := append(append([]available{}, drawn...), waiting...)
	return out[:min(len(out), maxAvailable)], nil
}

// fits reports whether a task is of one of the classes.
func fits(t brainview.Outline, classes []string) bool {
	return len(classes) == 0 || slices.ContainsFunc(classes, func(c string) bool {
		return c != "" && (strings.EqualFold(c, t.ClassName) || c == t.Class || strings.EqualFold(c, hexed(t.Keys.Class)))
	})
}
