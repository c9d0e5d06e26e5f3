package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/holdings"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/discover"
	"ojud/node/library"
)

func newTask(a *app) *cobra.Command {
	cmd := cli.Court(a.App, cli.Group(&cobra.Command{
		Use:   "task",
		Short: "Post, take, deliver and dispute tasks",
		Long: `A task pays a reward from an escrow. The creator posts it. A worker claims it and submits a result.
The creator accepts or objects. After an objection the worker reworks the result or counter-objects,
and a counter-objection brings the task before the court.

If a party misses its deadline, anyone may carry out the consequence (expire): the silence of a
creator pays the worker, and that of a worker refunds the creator. You may repeat every command: it
reports a step that is already done.`,
		Example: `  ojud task create examples/eleptiger/eleptiger.task.json --reward 1sol --key creator.json
  ojud task claim TASK --start --key worker.json
  ojud task submit TASK result.json --key worker.json
  ojud task object TASK --reason "It does not look like an eleptiger." --key creator.json
  ojud task counter-object TASK --reason "It has a trunk and stripes." --key worker.json`,
	}))
	cmd.AddCommand(
		newTaskCreate(a), newTaskClaim(a), newTaskRelease(a), newTaskStart(a), newTaskSubmit(a), newTaskAccept(a), newTaskObject(a),
		newTaskRework(a), newTaskCounter(a), newTaskCancel(a), newTaskExpire(a), newTaskSettle(a), newTaskList(a), newTaskShow(a), newTaskPublish(a), newTaskFetch(a),
		newTaskExample(a), holdings.NewPledge(a.App), holdings.NewPayPledge(a.App),
	)
	return cmd
}

// taskAction runs an action on a task and shows the task afterwards. It shows the chain's state
// even if no node took the document.
func (a *app) taskAction(cmd *cobra.Command, what string, act func(context.Context, *client.Client) (client.TaskDone, error)) error {
	return a.With(cmd, cli.WithKey, func(ctx context.Context, c *client.Client) error {
		done, err := cli.Wait(ctx, a.App, what, func(ctx context.Context) (client.TaskDone, error) { return act(ctx, c) })
		if err != nil && !errors.Is(err, library.ErrNotPublished) {
			return err
		}
		return errors.Join(a.Show(done, func(w io.Writer) error {
			s := view.Sent(done.Sent)
			for _, p := range done.Published {
				s.Add("published", fmt.Sprintf("%d bytes to %s", p.Bytes, view.Count(p.Accepted, "node")))
			}
			s = append(s, view.Task(done.Task)...)
			if done.Review != nil {
				s = append(s, view.Review(*done.Review)...)
			}
			return s.Write(w)
		}), err)
	})
}

// onTask returns a command for one action on the task in its first argument.
func onTask(a *app, cmd *cobra.Command, what string, act taskAct) *cobra.Command {
	return withTask(cmd, func(cmd *cobra.Command, task onchain.Address) error {
		return a.taskAction(cmd, what, func(ctx context.Context, c *client.Client) (client.TaskDone, error) { return act(c, ctx, task) })
	})
}

// taskAct is a method of a client that acts on a task.
type taskAct func(*client.Client, context.Context, onchain.Address) (client.TaskDone, error)

// withTask returns a command whose argument is the address of a task.
func withTask(cmd *cobra.Command, run func(*cobra.Command, onchain.Address) error) *cobra.Command {
	cmd.Args = cli.Takes(1, "the task's address")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		task, err := cli.Address("the task", args[0])
		if err != nil {
			return err
		}
		return run(cmd, task)
	}
	return cmd
}

func newTaskList(a *app) *cobra.Command {
	var creator, worker, status string
	var all, brief bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List tasks with their subjects, newest first",
		Long: `List prints the tasks that are not over, or all with --all. REWARD is the present price: it rises in
an auction. SUBJECT is the beginning of the creator's instruction. Nodes of the court send it for
the first 100 tasks; "-" means that none sent it within 10 s, or that judges cannot read the task.
--brief reads the chain alone, and asks no node. With --json each line is an object.`,
		Example: `  ojud task list --status created
  ojud task list --creator 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --all --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f := client.Filter{Status: status, Live: !all && status == ""}
			var err error
			if f.Creator, err = cli.Address("--creator", creator); err != nil {
				return err
			}
			if f.Worker, err = cli.Address("--worker", worker); err != nil {
				return err
			}
			none := "no such task"
			if f.Live {
				none = "no such task is open; --all shows those that are over"
			}
			if brief {
				get := func(c *client.Client, ctx context.Context) ([]client.TaskView, error) { return c.Tasks(ctx, f) }
				return cli.ListAll(a.App, cmd, get, none, []string{"TASK", "STATUS", "REWARD", "NEXT"}, func(v client.TaskView) []string {
					return []string{v.Task, v.Status, v.Price.String(), view.Move(v.Move)}
				})
			}
			get := func(c *client.Client, ctx context.Context) ([]discover.Listing, error) { return a.tasks(ctx, c, f) }
			return cli.ListAll(a.App, cmd, get, none, []string{"TASK", "STATUS", "REWARD", "NEXT", "SUBJECT"}, func(v discover.Listing) []string {
				return []string{v.Task, v.Status, v.Price.String(), view.Move(v.Move), cmp.Or(view.Short(v.Subject), "-")}
			})
		},
	}
	cmd.Flags().StringVar(&creator, "creator", "", "address of the creator")
	cmd.Flags().StringVar(&worker, "worker", "", "address of the worker")
	cmd.Flags().StringVar(&status, "status", "", strings.Join(client.TaskStatuses(), ", "))
	cmd.Flags().BoolVar(&all, "all", false, "also tasks that are over")
	cmd.Flags().BoolVar(&brief, "brief", false, "without the subjects: ask the chain alone, and no node")
	return cmd
}

// tasks returns tasks with their subjects.
func (a *app) tasks(ctx context.Context, c *client.Client, f client.Filter) ([]discover.Listing, error) {
	all, err := c.Tasks(ctx, f)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return cli.Wait(ctx, a.App, "asking nodes for the subjects", func(ctx context.Context) ([]discover.Listing, error) {
		return discover.Subjects(ctx, c.Fetch, all), nil
	})
}

func newTaskShow(a *app) *cobra.Command {
	return withTask(&cobra.Command{
		Use:        "show TASK",
		SuggestFor: []string{"status"},
		Short:      "Show a task: status, whose move it is, money, hashes",
		Long: `Show prints the chain's data about a task. "ojud task fetch HASH" gets its documents, and "ojud case
show TASK" shows its case.`,
		Example: `  ojud task show 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud task show 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --json | jq .move`,
	}, func(cmd *cobra.Command, task onchain.Address) error {
		return cli.ShowOne(a.App, cmd, cli.PerhapsKey, task, func(c *client.Client, ctx context.Context, task onchain.Address) (holdings.Pledged, error) {
			return holdings.ReadPledged(ctx, c, task)
		}, holdings.Pledged.Sheet)
	})
}

// fetched is the result of task fetch with --json.
type fetched struct {
	Hash    string `json:"hash"`
	Bytes   int    `json:"bytes"`
	Content string `json:"content"` // base64
}

func newTaskFetch(a *app) *cobra.Command {
	var raw bool
	cmd := &cobra.Command{
		Use:   "fetch HASH",
		Short: "Get a document from nodes by its hash",
		Long: `Fetch gets a document from nodes of the court and checks that it has the hash. It writes the
document to standard output: unchanged if that is a file or a pipe, and with control characters
escaped if it is a terminal, because a stranger wrote the document. --raw writes it unchanged to a
terminal, too; --json writes base64. "task show" prints the hashes of a task.`,
		Example: `  ojud task fetch 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 > result.json`,
		Args:    cli.Takes(1, "a hash"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		hash, err := hex.DecodeString(args[0])
		if err != nil || len(hash) != 32 {
			return cli.Usage("%q is not a hash", args[0]).Next("write the 64 hex digits that \"ojud task show\" prints")
		}
		return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
			content, err := cli.Wait(ctx, a.App, "asking nodes", func(ctx context.Context) ([]byte, error) { return c.Fetch(ctx, [32]byte(hash)) })
			if err != nil {
				return err
			}
			v := fetched{Hash: args[0], Bytes: len(content), Content: base64.StdEncoding.EncodeToString(content)}
			return a.Show(v, func(io.Writer) error { return a.Content(content, raw) })
		})
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "write the document unchanged to a terminal, too")
	return cmd
}
