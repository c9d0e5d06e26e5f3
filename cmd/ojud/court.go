package main

import (
	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/export"
	"ojud/cmd/ojud/homes"
	"ojud/cmd/ojud/keyholder"
	"ojud/cmd/ojud/proctor"
)

func newCourt(a *app) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "court",
		Short: "Run a court: its rules, the authority over them, its judges, seasons, golden cases",
		Long: `Court has the commands of those who run a court. Everybody may look at its rules, at who has
the authority over them, and at who may judge. docs/keyholder.md says how to keep that authority,
and how to give it up.`,
		Example: `  ojud court rules
  ojud court authority show
  ojud court admit 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --key authority.json
  ojud court proctor show batch-1`,
	})
	cmd.AddCommand(keyholder.Commands(a.App)...)
	cmd.AddCommand(proctor.Command(a.App, keyholder.Proctors(a.App)...))
	cmd.AddCommand(admissionCommands(a)...)
	cmd.AddCommand(newSeason(a), homes.Command(a.App), export.Archive(a.App))
	return cmd
}
