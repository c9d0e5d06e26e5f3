package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newJudgeTopUp(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "top-up AMOUNT",
		Short: "Add to the judge's stake",
		Long: `Top-up moves lamports from the wallet to the stake of the key's judge, and waits until that is final. Each run adds again. It
counts in draws by blocks that come later, so that nobody who knows the block can choose the panel; for the same reason there is
no second one within 512 slots (about 205 s) of the one before, or of joining. To add to another judge's stake, send SOL to its
address, and let it top up.`,
		Example: `  ojud judge top-up 1sol`,
		Args:    takes(1, "an amount"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		much, err := lamports("the amount", args[0])
		if err != nil {
			return err
		}
		return a.judgeDeed(cmd, "adding to the stake", func(ctx context.Context, c *client.Client) (client.JudgeDone, error) {
			return c.TopUp(ctx, much)
		})
	}
	return cmd
}
