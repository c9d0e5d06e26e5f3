package main

import (
	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/examine"
	"ojud/cmd/ojud/qualify"
	"ojud/cmd/ojud/stake"
)

func newJudge(a *app) *cobra.Command {
	cmd := cli.Court(a.App, cli.Group(&cobra.Command{
		Use:   "judge",
		Short: "Join the roster, keep the stake, leave; examine the judge",
		Long: `A judge has a stake on the roster and a node that votes. Most of these commands manage the stake;
"ojud run" starts the node. The key is the authority.json of the home. Exam, redteam, personas and
memory concern the way it judges, and need no court.`,
		Example: `  ojud judge register --stake 2sol
  ojud judge status
  ojud judge claim
  ojud judge exam`,
	}))
	cmd.AddCommand(stake.Commands(a.App)...)
	cmd.AddCommand(qualify.Command(a.App))
	cmd.AddCommand(append(examine.Commands(a.App), newJudgeMemory(a))...)
	return cmd
}
