package brain

import (
	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/sim/megabrain"
)

// Sim returns the command "sim brain".
func Sim(a *cli.App) *cobra.Command {
	sample, picture := megabrain.DefaultSample(), ""
	cmd := &cobra.Command{
		Use:   "brain",
		Short: "Show what agents of MegaBrain earn that are lazy, copy, collude or spite",
		Long: `Brain plays tasks of known truth with three workers and two to five evaluators. In each mix, every
third agent is of another kind. It prints what honest agents and the others earn, and how often the
paid results are right: by the payments of ojud brain settle, and by the formulas of the MegaBrain
Protocol as they are written. docs/megabrain.md explains the agents.

The same --seed gives the same figures. The exit status is 1 if a promise fails that is not known to
be open; with few tasks, chance can do that.`,
		Example: `  ojud sim brain
  ojud sim brain --tasks 30000 --seed 7 --json
  ojud sim brain --svg brain.svg`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := sample.Validate(); err != nil {
				return cli.Usage("%s", cli.Plain(err))
			}
			found, err := megabrain.Run(cmd.Context(), sample)
			if err != nil {
				return err
			}
			if err := a.Show(found, found.Text); err != nil {
				return err
			}
			if picture != "" {
				if err := cli.Save(picture, found.SVG); err != nil {
					return err
				}
			}
			for _, p := range found.Promises {
				if !p.Holds && p.Open == "" {
					return cli.Fail("a promise of the payments fails: %s", p.Name)
				}
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&sample.Tasks, "tasks", sample.Tasks, "tasks of each mix, 100 to 1000000")
	flags.Uint64Var(&sample.Seed, "seed", sample.Seed, "another seed draws other tasks")
	flags.StringVar(&picture, "svg", "", "also write a picture to this new file")
	return cmd
}
