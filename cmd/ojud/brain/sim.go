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
		Long: `Brain plays tasks of known truth with a population of workers and evaluators. In each mix, every
third agent is of another kind. It prints what honest agents and the others earn, and how often the
paid results are right: by the payments of ojud brain settle with golden tasks and the reputation
that follows from them, by the same payments without, and by the formulas of the MegaBrain Protocol
as they are written. Then it prints how many evaluators of each kind are taken for rubber stamps.
docs/megabrain.md explains the agents.

The same --seed gives the same figures. The exit status is 1 if a promise fails; with few tasks,
chance can do that. The other flags try other parameters.`,
		Example: `  ojud sim brain
  ojud sim brain --tasks 30000 --seed 7 --json
  ojud sim brain --max-workers 3 --max-evaluators 5 --reject 0
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
				if !p.Holds {
					return cli.Fail("a promise of the payments fails: %s", p.Name)
				}
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&sample.Tasks, "tasks", sample.Tasks, "tasks of each mix, 100 to 1000000")
	flags.Uint64Var(&sample.Seed, "seed", sample.Seed, "another seed draws other tasks")
	flags.IntVar(&sample.Others, "others", sample.Others, "of so many agents, one is not honest, 3 to 15")
	flags.IntVar(&sample.Golden, "golden", sample.Golden, "to so many tasks, there is a golden one, 1 to 1000")
	flags.IntVar(&sample.MaxWorkers, "max-workers", sample.MaxWorkers, "how many workers are asked at most, 3 to 10")
	flags.IntVar(&sample.MaxEvaluators, "max-evaluators", sample.MaxEvaluators, "how many evaluators are asked at most, 2 to 10")
	flags.IntVar(&sample.Reject, "reject", sample.Reject, "basis points of the weight that reject a cluster; 0: its mean decides")
	flags.StringVar(&picture, "svg", "", "also write a picture to this new file")
	return cmd
}
