package main

import (
	"context"

	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newTaskAccept(a *app) *cobra.Command {
	return onTask(a, &cobra.Command{
		Use:     "accept TASK",
		Short:   "Accept the result: the worker is paid",
		Long:    `Accept pays the reward from the escrow into the worker's vault. It cannot be taken back.`,
		Example: `  ojud task accept 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key creator.json`,
	}, "accepting", func(ctx context.Context, c *client.Client, task solana.PublicKey) (client.TaskDone, error) {
		return c.Accept(ctx, task)
	})
}
