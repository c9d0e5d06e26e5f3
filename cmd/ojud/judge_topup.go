package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newJudgeTopUp(a *app) *cobra.Command {
	var judge string
	cmd := &cobra.Command{
		Use:   "top-up AMOUNT",
		Short: "Add to a judge's stake",
		Long: `Top-up moves lamports from the wallet to the stake of the key's judge, or of --judge, and waits until that is final. Each run adds
again. It changes no weight in a round that is drawn already.`,
		Example: `  ojud judge top-up 1sol`,
		Args:    takes(1, "an amount"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		much, err := lamports("the amount", args[0])
		if err != nil {
			return err
		}
		whose, err := address("--judge", judge)
		if err != nil {
			return err
		}
		return a.judgeDeed(cmd, "adding to the stake", func(ctx context.Context, c *client.Client) (client.JudgeDone, error) {
			return c.TopUp(ctx, whose, much)
		})
	}
	cmd.Flags().StringVar(&judge, "judge", "", "address of the judge (default the key's)")
	return cmd
}
