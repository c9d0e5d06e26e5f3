package main

import (
	"context"

	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newTaskStart(a *app) *cobra.Command {
	return onTask(a, &cobra.Command{
		Use:   "start TASK",
		Short: "Say that the work has begun",
		Long: `Start tells the creator that the worker is at work. The deadline stays that of the claim. "task claim --start" and "task
submit" do it as well.`,
		Example: `  ojud task start 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key worker.json`,
	}, "starting", func(ctx context.Context, c *client.Client, task solana.PublicKey) (client.TaskDone, error) {
		return c.Start(ctx, task)
	})
}
