package client

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// TaskView is a task on the chain, with explanations for people. Times are Unix seconds of the
// chain's clock.
type TaskView struct {
	Task   string `json:"task"` // address; also names its case
	ID     uint64 `json:"id"`   // number among the creator's tasks
	Status string `json:"status"`
	Move   Move   `json:"move"`
	TaskParties
	TaskMoney
	OnUndecided string `json:"on_undecided"`
	Outcome     string `json:"outcome"`
	Resolution  string `json:"resolution"`
	TaskHashes
	TaskTimes
	Reworks uint8 `json:"reworks"`
	Claims  uint8 `json:"claims"`
	Now     int64 `json:"now"` // of this view
}

// TaskParties are the addresses of the parties of a task.
type TaskParties struct {
	Creator         string `json:"creator"`
	CreatorOperator string `json:"creator_operator,omitempty"`
	Worker          string `json:"worker,omitempty"`
	WorkerOperator  string `json:"worker_operator,omitempty"`
}

// TaskMoney are the amounts of a task.
type TaskMoney struct {
	Price          Lamports `json:"price"` // fixed by the first claim; before, what a claim gets now
	RewardMin      Lamports `json:"reward_min"`
	RewardMax      Lamports `json:"reward_max"`
	AuctionSeconds uint32   `json:"auction_seconds,omitempty"`
	Escrow         Lamports `json:"escrow"`
	CreatorBond    Lamports `json:"creator_bond"`
	WorkerBond     Lamports `json:"worker_bond"`
}

// TaskHashes name the documents of a task.
type TaskHashes struct {
	TaskHash      string `json:"task_hash"`
	ResultHash    string `json:"result_hash,omitempty"`
	ObjectionHash string `json:"objection_hash,omitempty"`
	CounterHash   string `json:"counter_hash,omitempty"`
}

// TaskTimes are the times of a task.
type TaskTimes struct {
	CreatedAt   int64  `json:"created_at"`
	ClaimBy     int64  `json:"claim_by,omitempty"`
	Deadline    int64  `json:"deadline,omitempty"`
	SubmittedAt int64  `json:"submitted_at,omitempty"`
	FinishedAt  int64  `json:"finished_at,omitempty"`
	WorkSeconds uint32 `json:"work_seconds"`
}

// Task shows a task.
func (c *court) Task(ctx context.Context, task onchain.Address) (TaskView, error) {
	t, err := c.task(ctx, task)
	if err != nil {
		return TaskView{}, err
	}
	now, err := c.chain.Now(ctx)
	if err != nil {
		return TaskView{}, err
	}
	return taskView(task, t, now.Unix)
}

func taskView(task onchain.Address, t *program.Task, now int64) (TaskView, error) {
	price, err := t.Offer().Price(now)
	if err != nil {
		return TaskView{}, fmt.Errorf("client: price of %s: %w", task, err)
	}
	return TaskView{
		Task: task.String(), ID: t.ID, Status: t.Status.String(), Move: turn(t, now),
		TaskParties: TaskParties{t.Creator.String(), address(t.CreatorOperator), address(t.Worker), address(t.WorkerOperator)},
		TaskMoney: TaskMoney{
			Lamports(price), Lamports(t.RewardMin), Lamports(t.RewardMax), t.AuctionSeconds, Lamports(t.Escrow),
			Lamports(t.CreatorBond), Lamports(t.WorkerBond),
		},
		OnUndecided: program.OnUndecidedName(t.OnUndecided), Outcome: program.OutcomeName(t.Outcome), Resolution: t.Resolution.String(),
		TaskHashes: TaskHashes{digest(t.TaskHash), digest(t.ResultHash), digest(t.ObjectionHash), digest(t.CounterHash)},
		TaskTimes:  TaskTimes{t.CreatedAt, t.ClaimBy, t.Deadline, t.SubmittedAt, t.FinishedAt, t.WorkSeconds},
		Reworks:    t.Reworks, Claims: t.Claims, Now: now,
	}, nil
}

// Filter selects tasks. Its empty fields select all.
type Filter struct {
	Creator onchain.Address
	Worker  onchain.Address
	Status  string // as TaskView.Status
	Live    bool   // not over
}

// TaskStatuses returns the words for Filter.Status.
func TaskStatuses() []string {
	var out []string
	for s := program.Created; s <= program.Undecided; s++ {
		out = append(out, s.String())
	}
	return out
}

// Tasks lists tasks, the newest first.
func (c *court) Tasks(ctx context.Context, f Filter) ([]TaskView, error) {
	want := ledger.TaskFilter{Creator: f.Creator, Worker: f.Worker}
	if f.Status != "" {
		n := slices.Index(TaskStatuses(), f.Status)
		if n < 0 {
			return nil, fmt.Errorf("client: %q is no status of a task; say one of: %s", f.Status, strings.Join(TaskStatuses(), ", "))
		}
		want.Status = program.Created + program.TaskStatus(n)
	}
	all, _, err := c.chain.Tasks(ctx, want)
	if err != nil {
		return nil, err
	}
	now, err := c.chain.Now(ctx)
	if err != nil {
		return nil, err
	}
	out := []TaskView{}
	for _, k := range all {
		if f.Live && k.Value.Status.Over() {
			continue
		}
		view, err := taskView(k.Address, k.Value, now.Unix)
		if err != nil {
			return nil, err
		}
		out = append(out, view)
	}
	slices.SortStableFunc(out, func(a, b TaskView) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
	return out, nil
}
