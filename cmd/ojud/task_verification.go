package main

import (
	"context"

	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newTaskVerification(a *app) *cobra.Command {
	return onTask(a, &cobra.Command{
		Use:   "open-verification TASK",
		Short: "Start the creator's time to answer a result",
		Long: `Open-verification starts the time in which the creator accepts or objects. Anyone may; "task submit", "task accept" and "task
object" do it as well.`,
		Example: `  ojud task open-verification 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key worker.json`,
	}, "opening the verification", func(ctx context.Context, c *client.Client, task solana.PublicKey) (client.TaskDone, error) {
		return c.OpenVerification(ctx, task)
	})
}
