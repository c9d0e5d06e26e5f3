package main

import (
	"github.com/spf13/cobra"

	"ojud/node"
	"ojud/node/doctor"
)

func newDoctor(a *app) *cobra.Command {
	var flags nodeFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look at everything that the node needs, and say what to do",
		Long: `Doctor looks at keys, disk, chain, clock, funds, stake, the node that runs and its peers, and tries each data source of the home and each model
of its judge: a source with one request where that can do no harm, a model with one tiny question, at its price. It changes nothing, and
may be asked while the node runs. Exit status 1 if anything is not as it should be.

"ojud check" is the part of it that needs the chain alone.`,
		Example: `  ojud doctor
  ojud doctor --home /srv/ojud --json`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.homeDir()
			if err != nil {
				return err
			}
			h, err := node.OpenHome(dir)
			if err != nil {
				return err
			}
			cfg, err := flags.load(a, h)
			if err != nil {
				return err
			}
			log, err := a.logger()
			if err != nil {
				return usage("%v", err)
			}
			found, err := doctor.Examine(cmd.Context(), h, cfg.Node, doctor.Deps{Node: node.Deps{Transport: a.transport}, Log: log})
			if err != nil {
				return err
			}
			return a.sayFindings(found)
		},
	}
	flags.add(a, cmd)
	return cmd
}
