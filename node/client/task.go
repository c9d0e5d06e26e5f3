package client

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// TaskDone is the result of an action on a task, with the task afterwards and the published
// documents.
type TaskDone struct {
	Sent
	Task      TaskView      `json:"task"`
	Published []Publication `json:"published,omitempty"`
}

// lookBack bounds the latest tasks of a creator among which CreateTask looks for an equal one.
const lookBack = 32

// maxNumbers bounds how often CreateTask tries the next task number because another process of the
// creator took one.
const maxNumbers = 4

// CreateTask posts a task and publishes its document. If an open task of this creator has the same
// document, CreateTask publishes and returns that one instead, unless again is true. So a user who
// repeats an interrupted command does not pay twice.
func (c *Client) CreateTask(ctx context.Context, doc Document, terms Offer, again bool) (TaskDone, error) {
	if c.key == nil {
		return TaskDone{}, errNoKey
	}
	now, err := c.chain.Now(ctx)
	if err != nil {
		return TaskDone{}, err
	}
	i, err := terms.instruction(doc.Hash, now.Unix)
	if err != nil {
		return TaskDone{}, err
	}
	config, _, err := c.chain.Config(ctx)
	if err != nil {
		return TaskDone{}, err
	}
	if least := Lamports(config.MinReward); terms.RewardMin < least {
		return TaskDone{}, fmt.Errorf("client: terms: the reward is %s, and this court takes no task below %s; offer at least %s",
			terms.RewardMin, least, least.Argument())
	}
	if !again {
		open, found, err := c.open(ctx, c.self, doc.Hash)
		if err != nil {
			return TaskDone{}, err
		}
		if found {
			return c.taskDone(ctx, open, Sent{Result: ledger.AlreadyDone.String()}, nil, doc)
		}
	}
	task, sent, err := c.create(ctx, c.self, i)
	return c.taskDone(ctx, task, sent, err, doc)
}

// open finds the creator's latest unclaimed task with the document.
func (c *Client) open(ctx context.Context, creator onchain.Address, hash voting.Hash) (onchain.Address, bool, error) {
	a, err := c.agent(ctx, creator)
	if err != nil {
		return onchain.Address{}, false, err
	}
	var all []onchain.Address
	for id := a.TasksCreated; id > 0 && len(all) < lookBack; id-- {
		all = append(all, c.program.Task(creator, id-1))
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
func (c *Client) create(ctx context.Context, me onchain.Address, i program.CreateTask) (task onchain.Address, sent Sent, err error) {
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
			instructions: []onchain.Instruction{c.program.CreateTask(me, a.TasksCreated, i)},
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
func (c *Client) taskDone(ctx context.Context, task onchain.Address, sent Sent, err error, docs ...Document) (TaskDone, error) {
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
