package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/library"
)

// withReason returns a command for a party that needs a reason.
func withReason(a *app, cmd *cobra.Command, what string, parse func(string) (library.Document, error),
	act func(*client.Client, context.Context, onchain.Address, library.Document, ...library.Document) (client.TaskDone, error)) *cobra.Command {
	var p cli.ReasonFlags
	p.Add(cmd)
	return withTask(cmd, func(cmd *cobra.Command, task onchain.Address) error {
		doc, exhibits, err := p.Read(parse)
		if err != nil {
			return err
		}
		return a.taskAction(cmd, what, func(ctx context.Context, c *client.Client) (client.TaskDone, error) {
			return act(c, ctx, task, doc, exhibits...)
		})
	})
}

func newTaskObject(a *app) *cobra.Command {
	var unopened bool
	cmd := withReason(a, &cobra.Command{
		Use:   "object TASK --reason TEXT",
		Short: "Refuse the result and say why",
		Long: `Object refuses a result. It takes a bond from the vault. You lose the bond if the worker
counter-objects and the court finds for the worker. Nodes get the reason and the exhibits; judges
see no other statement of yours. If --file lists evidence, add each exhibit with --exhibit.

With --kind, --at and --expected you say what should be where. Code compares that with the result.
If the result is a program in JavaScript, or in Python and an open check of the task says so,
--counterexample names a call on which it fails: judges make the call, and everyone who verifies
the case file makes it again. If it is a query in SQL, --counterexample has tables as JSON on
which it fails, and --expected the rows; write "ordered" before the tables if their order counts.
On a terminal, and without a reason, the command asks for all this.

If the task has sealed checks, object opens them: it adds the openings that "task create" left in
the home to the evidence.`,
		Example: `  ojud task object 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --reason "It has no stripes." \
      --key creator.json
  ojud task object 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --reason "See the picture." \
      --exhibit tiger.png
  ojud task object 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --kind value --at /total \
      --expected 118.5
  ojud task object 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --at /code \
      --counterexample 'median([4,1,2,3])' --expected 2.5
  ojud task object 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --at /query \
      --counterexample '{"people":[{"name":"Bo","age":30}]}' --expected '[]'`,
	}, "objecting", library.ObjectionFile, func(c *client.Client, ctx context.Context, task onchain.Address, doc library.Document, exhibits ...library.Document) (client.TaskDone, error) {
		return cli.Object(ctx, a.App, c, task, doc, exhibits, unopened)
	})
	cmd.Flags().BoolVar(&unopened, "unopened", false, "object without the openings that are not in the home; these sealed checks count for nothing")
	return cmd
}

func newTaskCounter(a *app) *cobra.Command {
	return withReason(a, &cobra.Command{
		Use:   "counter-object TASK --reason TEXT",
		Short: "Defend the result, so that the court decides",
		Long: `Counter-object opens a case: the court draws judges, and they decide within minutes. It takes a bond
from the vault, and you lose it if the court finds for the creator. It also takes rent from the
wallet, which returns when the case is closed.`,
		Example: `  ojud task counter-object 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 \
      --reason "Line 3 has five stripes." --key worker.json
  ojud case watch 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2`,
	}, "opening a case", library.CounterObjectionFile, (*client.Client).CounterObject)
}

func newTaskPublish(a *app) *cobra.Command {
	var exhibit bool
	cmd := &cobra.Command{
		Use:   "publish TASK FILE...",
		Short: "Send documents of a task to nodes (again)",
		Long: `Publish sends documents to nodes of the court: the files of the task, its result, objection or
counter-objection, or with --exhibit the exhibits that one of these names, and data that the task
pins. The other commands do this themselves. Use publish if they could not reach a node. Nodes only
take documents that the task on the chain names.`,
		Example: `  ojud task publish 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 eleptiger.task.json
  ojud task publish 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 tiger.png --exhibit`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return cli.Takes(2, "the task's address", "a file")(cmd, args)
			}
			return nil
		},
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		task, err := cli.Address("the task", args[0])
		if err != nil {
			return err
		}
		parse := library.ResultFile // any JSON, in its canonical form
		if exhibit {
			parse = library.Exhibit
		}
		docs, err := cli.Documents(args[1:], parse)
		if err != nil {
			return err
		}
		return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
			done, err := cli.Wait(ctx, a.App, "bringing documents to nodes", func(ctx context.Context) ([]library.Publication, error) {
				return c.Publish(ctx, task, docs...)
			})
			return errors.Join(a.sayPublished(done), err)
		})
	}
	cmd.Flags().BoolVar(&exhibit, "exhibit", false, "the files are exhibits: any bytes, not JSON documents")
	return cmd
}

func (a *app) sayPublished(done []library.Publication) error {
	for _, p := range done {
		if err := a.Show(p, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s  %d bytes  taken by %s\n", p.Hash, p.Bytes, view.Count(p.Accepted, "node"))
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
