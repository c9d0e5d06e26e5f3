package main

import (
	"context"

	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newTaskCancel(a *app) *cobra.Command {
	return onTask(a, &cobra.Command{
		Use:     "cancel TASK",
		Short:   "Take a task that nobody claimed off the market",
		Long:    `Cancel returns the escrow of a task that nobody has claimed to the creator's vault.`,
		Example: `  ojud task cancel 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key creator.json`,
	}, "cancelling", func(ctx context.Context, c *client.Client, task solana.PublicKey) (client.TaskDone, error) {
		return c.Cancel(ctx, task)
	})
}
