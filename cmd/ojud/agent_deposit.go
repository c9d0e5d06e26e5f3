package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newAgentDeposit(a *app) *cobra.Command {
	var upTo bool
	cmd := &cobra.Command{
		Use:   "deposit AMOUNT",
		Short: "Move lamports from the wallet into the vault",
		Long: `Deposit moves lamports from the key's wallet into the agent's vault, and waits until that is final. Each run deposits again;
with --up-to, AMOUNT is what the vault should hold, and only what it lacks is deposited, so that a script may repeat it.`,
		Example: `  ojud agent deposit 5sol --key creator.json
  ojud agent deposit 5sol --up-to --key creator.json`,
		Args: takes(1, "an amount"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		much, err := lamports("the amount", args[0])
		if err != nil {
			return err
		}
		return a.agentDeed(cmd, "depositing", func(ctx context.Context, c *client.Client) (client.AgentDone, error) {
			if upTo {
				return c.DepositUpTo(ctx, much)
			}
			return c.Deposit(ctx, much)
		})
	}
	cmd.Flags().BoolVar(&upTo, "up-to", false, "deposit what the vault lacks of AMOUNT")
	return cmd
}
