package main

import (
	"context"

	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newTaskRework(a *app) *cobra.Command {
	return onTask(a, &cobra.Command{
		Use:   "rework TASK",
		Short: "Take the objection as fair and work again",
		Long: `Rework gives the creator's bond back and starts the time for the work anew. A task can be reworked a few times (the court's
max_reworks, 3 by default).`,
		Example: `  ojud task rework 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key worker.json`,
	}, "taking the task back to work", func(ctx context.Context, c *client.Client, task solana.PublicKey) (client.TaskDone, error) {
		return c.Rework(ctx, task)
	})
}
