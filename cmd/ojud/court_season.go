package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/client"
)

// newSeason shows the season, and has the command that begins the next one.
func newSeason(a *app) *cobra.Command {
	cmd := cli.Court(a.App, &cobra.Command{
		Use:   "season",
		Short: "Show the season, which fixes the weights of all judges",
		Long: `Season prints how many judges have a weight in this season, how much all of them weigh, how many
wait for their first one, and when the next season may begin. A draw goes by the weights of the
season that began before its block. So nobody who knows the block can change a panel.`,
		Example: `  ojud court season
  ojud court season --network http://127.0.0.1:8899 --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
				v, err := client.Seasons{Client: c}.Show(ctx)
				if err != nil {
					return err
				}
				return a.Show(v, view.Season(v).Write)
			})
		},
	})
	cmd.AddCommand(cli.Court(a.App, &cobra.Command{
		Use:   "begin",
		Short: "Begin the next season",
		Long: `Begin makes the stakes of this moment the weights of the next season. Anyone may do so when the
season is over, and at once if a court has too few judges with a weight to draw a panel. It costs
only the fee. Nodes do it in time, so it is needed only if no node with lamports is running.`,
		Example: `  ojud court season begin`,
		Args:    cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Act(a.App, cmd, "beginning a season", func(c *client.Client, ctx context.Context) (client.SeasonDone, error) {
				return client.Seasons{Client: c}.Begin(ctx)
			}, view.SeasonDone)
		},
	}))
	return cmd
}
