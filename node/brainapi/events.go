package brainapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/sse"

	"ojud/node/brainview"
)

// lookEvery is the time between two looks for events.
const lookEvery = 2 * time.Second

// The events of a stream. Those of a task have the names of the specification.
type (
	taskChanged struct {
		TaskID string `json:"taskId"`
		Status string `json:"status"`
		Until  int64  `json:"until"`
	}
	resultSubmitted struct {
		TaskID     string `json:"taskId"`
		Worker     string `json:"worker"`
		ResultHash string `json:"resultHash"`
	}
	evaluationSubmitted struct {
		TaskID     string `json:"taskId"`
		Evaluator  string `json:"evaluator"`
		Worker     string `json:"worker"`
		Score      int    `json:"score"`
		Confidence int    `json:"confidence"`
	}
	disputeSeen struct {
		TaskID    string `json:"taskId"`
		Disputant string `json:"disputant"`
		Case      string `json:"case"`
		Verdict   string `json:"verdict"`
	}
	settled struct {
		TaskID  string `json:"taskId"`
		Paid    uint64 `json:"totalPaid"`
		Slashed uint64 `json:"totalSlashed"`
	}
	failed struct {
		Detail string `json:"detail"`
	}
)

// follow is what a stream is about.
type follow struct {
	TaskID string `query:"taskId" pattern:"^(0x[0-9a-fA-F]{64})?$" doc:"a task, with all that happens in it; without one, the states of all tasks"`
}

func (s *AgentAPI) following() {
	o := op(http.MethodGet, "/events", "events", "Follow tasks as server-sent events; what was before comes first", "tasks")
	sse.Register(s.api, o, map[string]any{
		"TaskChanged": taskChanged{}, "ResultSubmitted": resultSubmitted{}, "EvaluationSubmitted": evaluationSubmitted{}, "DisputeOpened": disputeSeen{}, "TaskSettled": settled{}, "Failed": failed{},
	}, func(ctx context.Context, in *follow, send sse.Sender) {
		a, err := s.who(ctx)
		if err != nil {
			_ = send.Data(failed{err.Error()}) // the client is gone
			return
		}
		leave, ok := enter(s.room(a).viewers)
		if !ok {
			_ = send.Data(failed{"the server follows tasks for as many as it can; ask again later"}) // the client is gone
			return
		}
		defer leave()
		told := map[any]bool{}
		for {
			if _, err := s.who(ctx); err != nil {
				_ = send.Data(failed{"the token expired; register again"}) // the client is gone
				return
			}
			all, err := s.news(ctx, in.TaskID)
			if err != nil {
				all = []any{failed{err.Error()}}
			}
			for _, e := range all {
				if told[e] {
					continue
				}
				if told[e] = true; send.Data(e) != nil {
					return
				}
			}
			t := time.NewTimer(lookEvery)
			select {
			case <-ctx.Done():
				t.Stop()
				return
			case <-t.C:
			}
		}
	})
}

// news is all that there is to tell. What was told is left out by the caller.
func (s *AgentAPI) news(ctx context.Context, id string) (out []any, err error) {
	if id == "" {
		l, err := s.n.View.Tasks(ctx)
		for _, t := range l.Tasks {
			out = append(out, taskChanged{hexed(t.Keys.Task), t.Status, t.Until})
		}
		return out, err
	}
	at, err := address(id)
	if err != nil {
		return nil, huma.Error422UnprocessableEntity(err.Error())
	}
	d, err := s.n.View.Task(ctx, at)
	if err != nil {
		return nil, err
	}
	return happened(d), nil
}

// happened is what happened in a task.
func happened(d brainview.Detail) []any {
	id := hexOf(d.Task)
	out := []any{taskChanged{id, d.Status, d.Until}}
	for _, w := range d.Seats {
		if w.Hash != "" {
			out = append(out, resultSubmitted{id, hexOf(w.Worker), "0x" + w.Hash})
		}
	}
	for _, e := range d.Jury {
		for _, r := range e.Says {
			if r.Worker >= 1 && r.Worker <= len(d.Seats) {
				out = append(out, evaluationSubmitted{id, hexOf(e.Evaluator), hexOf(d.Seats[r.Worker-1].Worker), r.Score, r.Confidence})
			}
		}
	}
	if d.Dispute != "" {
		out = append(out, disputeSeen{id, hexOf(d.Opponent), d.Dispute, d.Verdict})
	}
	if d.Over {
		out = append(out, settled{id, uint64(d.Paid), uint64(d.Slashed)})
	}
	return out
}
