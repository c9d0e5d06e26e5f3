package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client/advice"
	"ojud/node/client/when"
	"ojud/node/library"
	"ojud/voting"
)

// TaskDone is the result of an action on a task, with the task afterwards and the published
// documents.
type TaskDone struct {
	Sent
	Task      TaskView              `json:"task"`
	Published []library.Publication `json:"published,omitempty"`
	Review    *advice.Review        `json:"review,omitempty"` // of a task that is created or claimed
}

// lookBack bounds the latest tasks of a creator among which CreateTask looks for an equal one.
const lookBack = 32

// maxNumbers bounds how often CreateTask tries the next task number because another process of the
// creator took one.
const maxNumbers = 4

// CreateTask posts a task and publishes its document. If an open task of this creator has the same
// document, CreateTask publishes and returns that one instead, unless again is true. So a user who
// repeats an interrupted command does not pay twice.
func (c *Client) CreateTask(ctx context.Context, doc library.Document, terms Offer, again bool, modules ...library.Document) (TaskDone, error) {
	if c.key == nil {
		return TaskDone{}, errNoKey
	}
	now, err := c.chain.Now(ctx)
	if err != nil {
		return TaskDone{}, err
	}
	rules, err := law.Read(ctx, c.chain)
	if err != nil {
		return TaskDone{}, err
	}
	i, err := terms.Terms(rules.Now.Params, doc.Hash, now.Unix)
	if err != nil {
		return TaskDone{}, err
	}
	if i.Seal.IsZero() {
		if _, err := rand.Read(i.Seal[:]); err != nil {
			return TaskDone{}, fmt.Errorf("client: seal: %w", err)
		}
	}
	if least := Lamports(rules.Now.MinReward); terms.RewardMin < least {
		return TaskDone{}, fmt.Errorf("client: terms: the reward is %s, and this court takes no task below %s; offer at least %s",
			terms.RewardMin, least, least.Argument())
	}
	if least := rules.Now.MinWorkSeconds; terms.WorkSeconds < least {
		return TaskDone{}, fmt.Errorf("client: terms: the work has %d s, and this court gives every work at least %d s", terms.WorkSeconds, least)
	}
	if least := leastTime(rules.Now.Params); !terms.Engine.Program.IsZero() && terms.Engine.Seconds < least {
		return TaskDone{}, fmt.Errorf("client: terms: the engine has %s, and this court gives it at least %s, the time that it takes itself to commit and to reveal; give it more with --engine-time",
			span(terms.Engine.Seconds), span(least))
	}
	cover, err := law.CoverOf(ctx, c.chain, rules.Now.Params)
	if err != nil {
		return TaskDone{}, err
	}
	if most := Lamports(cover.Most); cover.Limited && terms.RewardMax > most {
		return TaskDone{}, fmt.Errorf("client: terms: the reward is %s at most, and this court takes no task above %s, which is %s; %s", terms.RewardMax, most, cover.Why, cover.Next)
	}
	if !again {
		open, found, err := c.Unclaimed(ctx, doc.Hash)
		if err != nil {
			return TaskDone{}, err
		}
		if found {
			return c.taskDone(ctx, open, Sent{Result: ledger.AlreadyDone.String()}, nil, append([]library.Document{doc}, modules...)...)
		}
	}
	task, sent, err := c.create(ctx, c.self, rules.Now.Number, i)
	return c.taskDone(ctx, task, sent, err, append([]library.Document{doc}, modules...)...)
}

// Unclaimed finds the key's latest unclaimed task with the document.
func (c *Client) Unclaimed(ctx context.Context, hash voting.Hash) (onchain.Address, bool, error) {
	a, err := c.agent(ctx, c.self)
	if err != nil {
		return onchain.Address{}, false, err
	}
	var all []onchain.Address
	for id := a.TasksCreated; id > 0 && len(all) < lookBack; id-- {
		all = append(all, c.program.Task(c.self, id-1))
	}
	if len(all) == 0 {
		return onchain.Address{}, false, nil
	}
	accounts, _, err := c.chain.Accounts(ctx, all...)
	if err != nil {
		return onchain.Address{}, false, err
	}
	for n, account := range accounts {
		if account == nil || account.Owner != c.program.ID() {
			continue // closed
		}
		t, err := program.DecodeTask(account.Data)
		if err == nil && t.TaskHash == hash && t.Status == program.Created {
			return all[n], true, nil
		}
	}
	return onchain.Address{}, false, nil
}

// create sends create_task with the creator's next number.
func (c *Client) create(ctx context.Context, me onchain.Address, rules uint32, i program.CreateTask) (task onchain.Address, sent Sent, err error) {
	for range maxNumbers {
		var a *program.Agent
		if a, err = c.agent(ctx, me); err != nil {
			return task, sent, err
		}
		if a.Vault < i.RewardMax {
			return task, sent, fmt.Errorf("%w: the vault holds %s and the reward is %s; run: ojud agent deposit %s", errNotNow,
				Lamports(a.Vault), Lamports(i.RewardMax), Lamports(i.RewardMax-a.Vault).Argument())
		}
		task = c.program.Task(me, a.TasksCreated)
		sent, err = c.landed(ctx, action{
			name: "create the task", purpose: "create:" + me.String() + ":" + strconv.FormatUint(a.TasksCreated, 10),
			instructions: []onchain.Instruction{c.program.CreateTask(me, a.TasksCreated, rules, i)},
			done:         c.when(task, func(t *program.Task) bool { return t.TaskHash == i.TaskHash }),
		})
		if !errors.Is(err, program.ErrAlreadyExists) && !errors.Is(err, program.ErrWrongAddress) {
			return task, sent, err
		}
	}
	return task, sent, err
}

// when returns a check that reads the task and calls shows. The check is false if there is no such
// task.
func (c *court) when(task onchain.Address, shows func(*program.Task) bool) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		t, _, err := c.chain.Task(ctx, task)
		if errors.Is(err, ledger.ErrNotFound) {
			return false, nil
		}
		return err == nil && shows(t), err
	}
}

// task reads a task.
func (c *court) task(ctx context.Context, task onchain.Address) (*program.Task, error) {
	t, _, err := c.chain.Task(ctx, task)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, fmt.Errorf("client: there is no task %s in court %q (any more): %w", task, c.network.Name, err)
	}
	return t, err
}

// taskDone shows a task after an action and publishes documents. If only the publication failed,
// the TaskDone is complete and the error is ErrNotPublished.
func (c *Client) taskDone(ctx context.Context, task onchain.Address, sent Sent, err error, docs ...library.Document) (TaskDone, error) {
	if err != nil {
		return TaskDone{}, err
	}
	view, err := c.Task(ctx, task)
	done := TaskDone{Sent: sent, Task: view}
	if err != nil || len(docs) == 0 {
		return done, err
	}
	done.Published, err = c.Publish(ctx, task, docs...)
	return done, err
}

// TaskView is a task on the chain, with explanations for people. Times are Unix seconds of the
// chain's clock.
type TaskView struct {
	Task   string `json:"task"` // address; also names its case
	ID     uint64 `json:"id"`   // number among the creator's tasks
	Status string `json:"status"`
	Move   Move   `json:"move"`
	TaskParties
	TaskMoney
	OnUndecided string      `json:"on_undecided"`
	Seats       uint8       `json:"seats"`             // of the first panel
	FeeMin      Lamports    `json:"fee_min,omitempty"` // of a seat, by the terms
	Engine      *EngineView `json:"engine,omitempty"`  // who decides instead of the court
	Outcome     string      `json:"outcome"`
	Resolution  string      `json:"resolution"`
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
	Price          Lamports `json:"price"` // of the claim; without one, what a claim gets now
	RewardMin      Lamports `json:"reward_min"`
	RewardMax      Lamports `json:"reward_max"`
	AuctionSeconds uint32   `json:"auction_seconds,omitempty"`
	Escrow         Lamports `json:"escrow"`
	CreatorBond    Lamports `json:"creator_bond"`
	WorkerBond     Lamports `json:"worker_bond"`
	ClaimBond      Lamports `json:"claim_bond"` // lost if the worker misses the deadline
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
	ReleaseBy   int64  `json:"release_by,omitempty"` // until then the worker may give the claim back for nothing
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
	now, market, err := law.Clock(ctx, c.chain)
	if err != nil {
		return TaskView{}, err
	}
	view, err := taskView(task, t, now, market)
	if err == nil && t.Status == program.Judiciary && !waits(t) {
		view.Move = c.courtMove(ctx, task, t, view.Move)
	}
	return view, err
}

// courtMove says more of a task whose first verdict may be appealed.
func (c *court) courtMove(ctx context.Context, task onchain.Address, t *program.Task, otherwise Move) Move {
	d, _, now, err := c.appealable(ctx, task)
	if err != nil {
		return otherwise
	}
	m := Move{Who: roleWorker, What: verdictWords(d.Verdict) + ", may be appealed: appeal, or give that up", By: d.AppealBy, Left: when.Left(d.AppealBy, now)}
	switch {
	case now >= d.AppealBy:
		m.Who, m.What = roleAnyone, verdictWords(d.Verdict)+", and nobody appealed: make it final"
	case d.Losers(t)[0] == t.Creator: // also if both lose
		m.Who = roleCreator
	}
	return m
}

func taskView(task onchain.Address, t *program.Task, now, market int64) (TaskView, error) {
	offer := t.Offer()
	if t.Status.Over() { // nothing is held any more
		offer.Escrow = t.RewardMax
	}
	price, err := offer.Price(market)
	if err != nil {
		return TaskView{}, fmt.Errorf("client: price of %s: %w", task, err)
	}
	return TaskView{
		Task: task.String(), ID: t.ID, Status: t.Status.String(), Move: turn(t, now),
		TaskParties: TaskParties{t.Creator.String(), address(t.CreatorOperator), address(t.Worker), address(t.WorkerOperator)},
		TaskMoney: TaskMoney{
			Lamports(price), Lamports(t.RewardMin), Lamports(t.RewardMax), t.AuctionSeconds, Lamports(t.Escrow),
			Lamports(t.CreatorBond), Lamports(t.WorkerBond), Lamports(t.ClaimBond),
		},
		OnUndecided: program.OnUndecidedName(t.OnUndecided), Seats: t.Seats, FeeMin: Lamports(t.FeeMin), Engine: viewEngine(t),
		Outcome: program.OutcomeName(t.Outcome), Resolution: t.Resolution.String(),
		TaskHashes: TaskHashes{digest(t.TaskHash), digest(t.ResultHash), digest(t.ObjectionHash), digest(t.CounterHash)},
		TaskTimes:  TaskTimes{t.CreatedAt, t.ClaimBy, t.Deadline, releaseBy(t), t.SubmittedAt, t.FinishedAt, t.WorkSeconds},
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
		if s != program.Submitted { // reserved
			out = append(out, s.String())
		}
	}
	return out
}

// Tasks lists tasks, the newest first.
func (c *court) Tasks(ctx context.Context, f Filter) ([]TaskView, error) {
	want := ledger.TaskFilter{Creator: f.Creator, Worker: f.Worker}
	if f.Status != "" {
		if !slices.Contains(TaskStatuses(), f.Status) {
			return nil, fmt.Errorf("client: %q is no status of a task; say one of: %s", f.Status, strings.Join(TaskStatuses(), ", "))
		}
		for want.Status = program.Created; want.Status.String() != f.Status; want.Status++ {
		}
	}
	all, _, err := c.chain.Tasks(ctx, want)
	if err != nil {
		return nil, err
	}
	now, market, err := law.Clock(ctx, c.chain)
	if err != nil {
		return nil, err
	}
	out := []TaskView{}
	for _, k := range all {
		if f.Live && k.Value.Status.Over() {
			continue
		}
		view, err := taskView(k.Address, k.Value, now, market)
		if err != nil {
			return nil, err
		}
		out = append(out, view)
	}
	slices.SortStableFunc(out, func(a, b TaskView) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
	return out, nil
}

// address returns base58, or an empty text for the zero address.
func address(k onchain.Address) string {
	if k.IsZero() {
		return ""
	}
	return k.String()
}

// digest returns hex, or an empty text for the zero hash.
func digest(h [32]byte) string {
	if h == ([32]byte{}) {
		return ""
	}
	return hex.EncodeToString(h[:])
}
