package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newTask(a *app) *cobra.Command {
	cmd := court(a, group(&cobra.Command{
		Use:   "task",
		Short: "Post, take, deliver and dispute tasks",
		Long: `A task pays a reward from an escrow. The creator posts it; a worker claims it and submits a result; the creator accepts or
objects; the worker may rework or counter-object, and a counter-objection brings the task before the court.

What only time decides, anyone may do (expire): a creator's silence pays the worker, a worker's silence refunds the creator. Every
command but list and show may be repeated: what is done is reported as done.`,
		Example: `  ojud task create examples/eleptiger/eleptiger.task.json --reward 1sol --key creator.json
  ojud task claim TASK --start --key worker.json
  ojud task submit TASK result.json --key worker.json
  ojud task object TASK --reason "It does not look like an eleptiger." --key creator.json
  ojud task counter-object TASK --reason "It has a trunk and stripes." --key worker.json`,
	}))
	cmd.AddCommand(
		newTaskCreate(a), newTaskClaim(a), newTaskStart(a), newTaskSubmit(a), newTaskVerification(a), newTaskAccept(a), newTaskObject(a),
		newTaskRework(a), newTaskCounter(a), newTaskCancel(a), newTaskExpire(a), newTaskList(a), newTaskShow(a), newTaskPublish(a), newTaskFetch(a),
	)
	return cmd
}

// taskDeed runs an action on a task and shows the task afterwards. What is on the chain is shown even if no node took the document.
func (a *app) taskDeed(cmd *cobra.Command, what string, act func(context.Context, *client.Client) (client.TaskDone, error)) error {
	return a.with(cmd, withKey, func(ctx context.Context, c *client.Client) error {
		done, err := wait(ctx, a, what, func(ctx context.Context) (client.TaskDone, error) { return act(ctx, c) })
		if err != nil && !errors.Is(err, client.ErrNotPublished) {
			return err
		}
		return errors.Join(a.show(done, func(w io.Writer) error {
			s := sent(done.Sent)
			for _, p := range done.Published {
				s.add("published", fmt.Sprintf("%d bytes to %s", p.Bytes, several(p.Accepted, "node")))
			}
			return append(s, taskSheet(done.Task)...).write(w)
		}), err)
	})
}

// onTask is a command whose first argument is a task and that does one thing to it.
func onTask(a *app, cmd *cobra.Command, what string, act func(context.Context, *client.Client, solana.PublicKey) (client.TaskDone, error)) *cobra.Command {
	cmd.Args = takes(1, "the task's address")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		task, err := address("the task", args[0])
		if err != nil {
			return err
		}
		return a.taskDeed(cmd, what, func(ctx context.Context, c *client.Client) (client.TaskDone, error) { return act(ctx, c, task) })
	}
	return cmd
}

func several(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func taskSheet(v client.TaskView) sheet {
	var s sheet
	s.add("task", v.Task)
	s.add("status", v.Status)
	s.add("next", moveText(v.Move))
	s.add("creator", v.Creator)
	s.add("worker", v.Worker)
	s.add("reward", rewardText(v))
	if v.CreatorBond+v.WorkerBond > 0 {
		s.add("bonds", fmt.Sprintf("creator %s, worker %s", v.CreatorBond, v.WorkerBond))
	}
	s.add("undecided", v.OnUndecided+" (if the court cannot decide)")
	if v.Reworks > 0 {
		s.add("reworks", number(uint32(v.Reworks)))
	}
	s.add("task hash", v.TaskHash)
	s.add("result hash", v.ResultHash)
	s.add("objection", v.ObjectionHash)
	s.add("counter", v.CounterHash)
	s.add("created", clock(v.CreatedAt))
	s.add("finished", clock(v.FinishedAt))
	return s
}

func rewardText(v client.TaskView) string {
	if v.AuctionSeconds > 0 && v.Worker == "" {
		return fmt.Sprintf("%s now; %s rising to %s within %s", v.Price, v.RewardMin, v.RewardMax, time.Duration(v.AuctionSeconds)*time.Second)
	}
	return v.Price.String()
}

// moveText says whose move it is.
func moveText(m client.Move) string {
	text := m.What
	if m.Who != "" {
		text = m.Who + ": " + m.What
	}
	if m.Left != "" {
		text += " (" + m.Left + ")"
	}
	return text
}

// clock is a time of the chain; empty for none.
func clock(unix int64) string {
	if unix == 0 {
		return ""
	}
	return time.Unix(unix, 0).UTC().Format("2006-01-02 15:04:05 UTC")
}
