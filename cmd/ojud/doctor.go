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
			log, err := a.logger()
			if err != nil {
				return usage("%v", err)
			}
			return a.examine(&flags, func(h node.Home, cfg node.Config) ([]node.Finding, error) {
				return doctor.Examine(cmd.Context(), h, cfg, doctor.Deps{Node: node.Deps{Transport: a.transport}, Log: log})
			})
		},
	}
	flags.add(a, cmd)
	return cmd
}
