package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newTaskShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show TASK",
		Short: "Show a task: status, whose move it is, money, hashes",
		Long: `Show prints what the chain has of a task. To read its documents: ojud task fetch HASH; its case: ojud case show
TASK.`,
		Example: `  ojud task show 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud task show 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --json | jq .move`,
		Args: takes(1, "the task's address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := address("the task", args[0])
			if err != nil {
				return err
			}
			return a.with(cmd, perhapsKey, func(ctx context.Context, c *client.Client) error {
				v, err := c.Task(ctx, task)
				if err != nil {
					return err
				}
				return a.show(v, taskSheet(v).write)
			})
		},
	}
}
