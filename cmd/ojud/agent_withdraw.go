package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newAgentWithdraw(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "withdraw AMOUNT",
		Short: "Move lamports from the vault to the wallet",
		Long: `Withdraw moves lamports from the agent's vault to the key's wallet, and waits until that is final. Each run withdraws again.
What is in the escrow or bond of a task is not in the vault.`,
		Example: `  ojud agent withdraw 0.5sol --key worker.json`,
		Args:    takes(1, "an amount"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		much, err := lamports("the amount", args[0])
		if err != nil {
			return err
		}
		return a.agentDeed(cmd, "withdrawing", func(ctx context.Context, c *client.Client) (client.AgentDone, error) {
			return c.Withdraw(ctx, much)
		})
	}
	return cmd
}
