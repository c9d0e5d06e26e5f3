package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newCaseList(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List cases, newest first",
		Long:  `List prints the cases that are not decided, or with --all every one that is not closed; with --json one object a line.`,
		Example: `  ojud case list
  ojud case list --all --json`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd, perhapsKey, func(ctx context.Context, c *client.Client) error {
				cases, err := c.Cases(ctx, !all)
				if err != nil {
					return err
				}
				none := "no case is open; --all shows those that are decided"
				if all {
					none = "there is no case"
				}
				return list(a, cases, none, []string{"CASE", "STATUS", "ROUND", "VERDICT", "NEXT"}, func(v client.CaseView) []string {
					return []string{v.Case, v.Status, number(uint32(v.Round)), v.Verdict, v.What}
				})
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also cases that are decided")
	return cmd
}
