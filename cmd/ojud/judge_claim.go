package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newJudgeClaim(a *app) *cobra.Command {
	var judge string
	cmd := &cobra.Command{
		Use:   "claim",
		Short: "Have the rewards paid to the judge's wallet",
		Long: `Claim pays what the judge has earned to its wallet. The node does it by itself now and then; anyone may do it for any judge
(--judge), at his own fee.`,
		Example: `  ojud judge claim
  ojud judge claim --judge 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin`,
		Args: takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		whose, err := address("--judge", judge)
		if err != nil {
			return err
		}
		return a.judgeDeed(cmd, "claiming the rewards", func(ctx context.Context, c *client.Client) (client.JudgeDone, error) {
			return c.ClaimReward(ctx, whose)
		})
	}
	cmd.Flags().StringVar(&judge, "judge", "", "address of the judge (default the key's)")
	return cmd
}
