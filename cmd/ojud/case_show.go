package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newCaseShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show TASK",
		Short: "Show a case: round, seats, votes, times",
		Long: `Show prints what the chain has of the case of a task, with every seat of the round. Votes are hidden until the judges reveal.

Beside the tally it says how many independent votes the panel's are worth: judges of one model family err together. Families, dimensions
and the agreement in earlier rounds come from the node that runs on the home.`,
		Example: `  ojud case show 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud case show 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --json | jq '.seats[].choice'`,
		Args: takes(1, "the task's address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := address("the task", args[0])
			if err != nil {
				return err
			}
			return a.with(cmd, perhapsKey, func(ctx context.Context, c *client.Client) error {
				v, err := c.Case(ctx, task)
				if err != nil {
					return err
				}
				s, err := a.panel(ctx, task, v)
				if err != nil {
					return err
				}
				return a.show(s, caseText(s))
			})
		},
	}
}
