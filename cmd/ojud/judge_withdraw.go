package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newJudgeWithdraw(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "withdraw",
		Short:   "Take stake and rewards and leave the roster",
		Long:    `Withdraw pays stake and rewards to the wallet and leaves the roster. It is possible when the cooldown of "ojud judge exit" is over and no round is live.`,
		Example: `  ojud judge withdraw`,
		Args:    takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd, withKey, func(ctx context.Context, c *client.Client) error {
			left, err := wait(ctx, a, "leaving the roster", c.WithdrawStake)
			if err != nil {
				return err
			}
			return a.show(left, func(w io.Writer) error {
				s := sent(left.Sent)
				s.add("stake", left.Stake.String())
				s.add("rewards", left.Rewards.String())
				s.add("wallet", left.Wallet.String())
				return s.write(w)
			})
		})
	}
	return cmd
}
