package main

import (
	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/proctor"
)

func newCourt(a *app) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:     "court",
		Short:   "Run a court: golden cases",
		Long:    `Court has the commands of those who run a court.`,
		Example: `  ojud court proctor make batch-1`,
	})
	cmd.AddCommand(proctor.Command(a.App))
	return cmd
}
