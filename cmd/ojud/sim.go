package main

import (
	"github.com/spf13/cobra"

	"ojud/cmd/ojud/brain"
	"ojud/cmd/ojud/cli"
	"ojud/sim/policy"
)

func newSim(a *app) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "sim",
		Short: "Play with the rules of a court, without a court",
		Long:  `Sim has laboratories. They need no node, network, chain or model.`,
		Example: `  ojud sim policy
  ojud sim brain`,
	})
	cmd.AddCommand(newSimPolicy(a), brain.Sim(a.App))
	return cmd
}

func newSimPolicy(a *app) *cobra.Command {
	setup, reward, picture := policy.DefaultSetup(), "", ""
	var fee cli.Amount
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Show what the rules of the court pay for",
		Long: `Policy plays disputes with known truths before recorded and drawn judges, under the rules of today
and under those of version 2, with the arithmetic of the court. It prints what honest judges, judges
that read nothing, coalitions and parties in the wrong earn, what bribed votes and bought
abstentions cost, and which promises of the rules hold. docs/rules.md explains the rules.

The same --seed gives the same figures. 400 --cases take some seconds; more are more exact. The exit
status is 1 if a promise fails that is not known to be open; with few cases, chance can do that.`,
		Example: `  ojud sim policy
  ojud sim policy --cases 4000 --seed 7 --json
  ojud sim policy --reward 0.1sol --svg policy.svg`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			lamports, err := cli.Lamports("--reward", reward)
			if err != nil {
				return err
			}
			setup.Reward, setup.Fee = uint64(lamports), uint64(fee.Lamports)
			if err := setup.Validate(); err != nil {
				return cli.Usage("%s", cli.Plain(err))
			}
			return a.policy(cmd, setup, picture)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&setup.Cases, "cases", setup.Cases, "disputes in each pool, 40 to 1000000")
	flags.Uint64Var(&setup.Seed, "seed", setup.Seed, "another seed draws other cases")
	flags.StringVar(&reward, "reward", "1sol", "reward of each task")
	flags.Var(&fee, "fee", "fee of a seat, if the terms of the tasks raise it")
	flags.StringVar(&picture, "svg", "", "also write a picture to this new file")
	return cmd
}

// policy plays, and writes the findings and the picture.
func (a *app) policy(cmd *cobra.Command, setup policy.Setup, picture string) error {
	tell := a.Progress()
	setup.Progress = func(done, all int) { tell("%d of %d pools played", done, all) }
	found, err := policy.Run(cmd.Context(), setup)
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
		if !p.Holds && !p.Open {
			return cli.Fail("a promise of the rules fails: %s", p.Name)
		}
	}
	return nil
}
