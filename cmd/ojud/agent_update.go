package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

func newAgentUpdate(a *app) *cobra.Command {
	var profile profileFlags
	cmd := &cobra.Command{
		Use:   "update",
		Short: "Replace operator and card of the agent",
		Long: `Update replaces what the agent says about itself: both, operator and card, are what the flags say, and none where a flag is
missing. Tasks keep the operator that was declared when they were created or claimed.`,
		Example: `  ojud agent update --card card.json --operator 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --key worker.json`,
		Args:    takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		p, err := profile.profile()
		if err != nil {
			return err
		}
		return a.agentDeed(cmd, "updating the agent", func(ctx context.Context, c *client.Client) (client.AgentDone, error) {
			return c.Update(ctx, p)
		})
	}
	profile.add(cmd)
	return cmd
}
