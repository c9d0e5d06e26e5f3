package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node"
	"ojud/node/client"
)

func newJudgeRegister(a *app) *cobra.Command {
	var stake amount
	var operator string
	cmd := &cobra.Command{
		Use:   "register",
		Short: "Put a stake on the roster: become a judge",
		Long: `Register binds the home's two keys to each other on the roster and puts the stake there, from the authority's wallet. Afterwards
the node has to run (ojud run): a judge that is drawn and absent loses a little stake each time.`,
		Example: `  ojud judge register --stake 2sol
  ojud judge register --stake 10sol --operator 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --home /srv/ojud`,
		Args: takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		runsBy, err := address("--operator", operator)
		if err != nil {
			return err
		}
		dir, err := a.homeDir()
		if err != nil {
			return err
		}
		keys, err := node.LoadKeys(dir)
		if err != nil {
			return fail("%v", err).next("make the home first: ojud init --network URL")
		}
		return a.judgeDeed(cmd, "joining the roster", func(ctx context.Context, c *client.Client) (client.JudgeDone, error) {
			if !stake.set {
				if stake.Lamports, err = c.MinStake(ctx); err != nil {
					return client.JudgeDone{}, err
				}
			}
			return c.Join(ctx, keys, runsBy, stake.Lamports)
		})
	}
	cmd.Flags().Var(&stake, "stake", "what to put at stake, as 2sol (default the least that the court takes)")
	cmd.Flags().StringVar(&operator, "operator", "", "address of whoever runs this node, if it also runs agents")
	return cmd
}
