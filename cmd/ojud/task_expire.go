package main

import (
	"context"

	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newTaskExpire(a *app) *cobra.Command {
	return onTask(a, &cobra.Command{
		Use:   "expire TASK",
		Short: "Do what time has decided",
		Long: `Expire does what follows when a deadline has passed: nobody claimed the task (refund), the worker missed the deadline (back to the
market), the creator was silent (the worker is paid), the worker was silent (refund). Anyone may.`,
		Example: `  ojud task expire 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key worker.json`,
	}, "expiring", func(ctx context.Context, c *client.Client, task solana.PublicKey) (client.TaskDone, error) {
		return c.Expire(ctx, task)
	})
}
