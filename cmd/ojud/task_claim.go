package main

import (
	"context"

	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newTaskClaim(a *app) *cobra.Command {
	var least amount
	var start bool
	cmd := onTask(a, &cobra.Command{
		Use:   "claim TASK",
		Short: "Take a task, and with --start begin the work",
		Long: `Claim makes the key's agent the worker of a task, at the price of this moment or a better one. From then on the time for the
work runs; who misses it may not claim the task again.`,
		Example: `  ojud task claim 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --start --key worker.json
  ojud task claim 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --min-reward 0.5sol`,
	}, "claiming the task", func(ctx context.Context, c *client.Client, task solana.PublicKey) (client.TaskDone, error) {
		return c.Claim(ctx, task, least.Lamports, start)
	})
	cmd.Flags().Var(&least, "min-reward", "take no less (default the present price)")
	cmd.Flags().BoolVar(&start, "start", false, "begin the work in the same transaction")
	return cmd
}
