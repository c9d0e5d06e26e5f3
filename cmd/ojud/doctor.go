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

func newCheck(a *app) *cobra.Command {
	var flags nodeFlags
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Say what would keep the node from judging: chain, clock, funds, stake",
		Long: `Check looks at what a judge needs before it starts: that the RPC node answers and serves the right chain, the clock, lamports
for fees, the stake and the node key on the roster. It changes nothing, and may be asked while the node runs. Exit status 1 if
anything is not as it should be.`,
		Example: `  ojud check
  ojud check --home /srv/ojud --json`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.examine(&flags, func(h node.Home, cfg node.Config) ([]node.Finding, error) {
				return node.Check(cmd.Context(), h, cfg, node.Deps{Transport: a.transport})
			})
		},
	}
	flags.add(a, cmd)
	return cmd
}

// examine looks at the home with the settings of a node, and says what was found.
func (a *app) examine(flags *nodeFlags, look func(node.Home, node.Config) ([]node.Finding, error)) error {
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
	found, err := look(h, cfg.Node)
	if err != nil {
		return err
	}
	return a.sayFindings(found)
}

func (a *app) sayFindings(found []node.Finding) error {
	var err error
	if a.json {
		for _, f := range found {
			if err := a.line(f); err != nil {
				return err
			}
		}
	} else {
		err = a.findings(a.out, found, true)
	}
	for _, f := range found {
		if !f.OK && err == nil {
			err = fail("%s is not as it should be", f.Name)
		}
	}
	return err
}
