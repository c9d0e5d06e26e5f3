package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newJudgeList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the roster",
		Long:  `List prints every judge of the court with stake and record; with --json one object a line.`,
		Example: `  ojud judge list --network http://127.0.0.1:8899
  ojud judge list --json`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd, perhapsKey, func(ctx context.Context, c *client.Client) error {
				all, err := c.Judges(ctx)
				if err != nil {
					return err
				}
				header := []string{"JUDGE", "STATE", "STAKE", "REWARDS", "ROUNDS", "MAJORITY", "MINORITY", "ABSENT"}
				return list(a, all, "no judge has joined yet", header, func(v client.JudgeView) []string {
					return []string{
						v.Judge, v.State, v.Stake.String(), v.Rewards.String(), number(v.Record.Seated), number(v.Record.Majority),
						number(v.Record.Minority), number(v.Record.Absent),
					}
				})
			})
		},
	}
}
