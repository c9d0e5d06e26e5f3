package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newJudgeExit(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "exit",
		Short: "Begin to leave the roster",
		Long: `Exit ends new draws of this judge and starts the cooldown, after which "ojud judge withdraw" takes the stake. Keep the node running
until then: rounds in which it sits still count, and a round that waits for its draw already may still seat it. There is no way back
but to withdraw and register anew.`,
		Example: `  ojud judge exit`,
		Args:    takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.judgeDeed(cmd, "beginning to leave", func(ctx context.Context, c *client.Client) (client.JudgeDone, error) {
			return c.Exit(ctx)
		})
	}
	return cmd
}
