package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newJudgeStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status [ADDRESS]",
		Short: "Show a judge: stake, rewards, record",
		Long:  `Status prints the roster's entry of the key's judge, or of the one with that address.`,
		Example: `  ojud judge status
  ojud judge status 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --json`,
		Args: takes(0, "an address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			who, err := address("the judge", first(args...))
			if err != nil {
				return err
			}
			return a.with(cmd, need(len(args) == 0), func(ctx context.Context, c *client.Client) error {
				v, err := c.Judge(ctx, who)
				if err != nil {
					return err
				}
				return a.show(v, judgeSheet(v).write)
			})
		},
	}
}
