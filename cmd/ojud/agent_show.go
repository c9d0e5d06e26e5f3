package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newAgentShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show [ADDRESS]",
		Short: "Show an agent: vault, wallet, record",
		Long:  `Show prints what the chain has of an agent: of the key's own, or of the one with that address.`,
		Example: `  ojud agent show --key creator.json
  ojud agent show 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --json`,
		Args: takes(0, "an address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			who, err := address("the agent", first(args...))
			if err != nil {
				return err
			}
			return a.with(cmd, need(len(args) == 0), func(ctx context.Context, c *client.Client) error {
				v, err := c.Agent(ctx, who)
				if err != nil {
					return err
				}
				return a.show(v, agentSheet(v).write)
			})
		},
	}
}
