package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newTaskPublish(a *app) *cobra.Command {
	var exhibit bool
	cmd := &cobra.Command{
		Use:   "publish TASK FILE...",
		Short: "Bring documents of a task to nodes (again)",
		Long: `Publish brings documents to nodes of the court: files of the task, its result, objection or counter-objection, or with
--exhibit the exhibits that one of these names. The other commands do it by themselves; publish is for when no node was reachable
then. Nodes take only what the task on the chain names.`,
		Example: `  ojud task publish 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 eleptiger.task.json
  ojud task publish 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 tiger.png --exhibit`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return takes(2, "the task's address", "a file")(cmd, args)
			}
			return nil
		},
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		task, err := address("the task", args[0])
		if err != nil {
			return err
		}
		parse := client.ResultFile // any JSON, in its canonical form
		if exhibit {
			parse = client.Exhibit
		}
		var docs []client.Document
		for _, path := range args[1:] {
			d, err := parse(path)
			if err != nil {
				return err
			}
			docs = append(docs, d)
		}
		return a.with(cmd, perhapsKey, func(ctx context.Context, c *client.Client) error {
			done, err := wait(ctx, a, "bringing documents to nodes", func(ctx context.Context) ([]client.Publication, error) {
				return c.Publish(ctx, task, docs...)
			})
			return errors.Join(a.sayPublished(done), err)
		})
	}
	cmd.Flags().BoolVar(&exhibit, "exhibit", false, "the files are exhibits: any bytes, not JSON documents")
	return cmd
}

func (a *app) sayPublished(done []client.Publication) error {
	for _, p := range done {
		if err := a.show(p, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s  %d bytes  taken by %s\n", p.Hash, p.Bytes, several(p.Accepted, "node"))
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
