package keyholder

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/rulebook"
)

// Proctors returns the commands by which the authority says who may make golden cases.
func Proctors(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newAdmitProctor(a), newRevokeProctor(a), newProctors(a)}
}

func newAdmitProctor(a *cli.App) *cobra.Command {
	x := &act{App: a}
	return x.about(&cobra.Command{
		Use:   "admit ADDRESS",
		Short: "Let a key commit batches of golden cases",
		Long: `Admit makes a key a proctor of the court: it may commit to batches of golden cases, which take money
from judges whose votes were wrong and give it to those that were right. Admit only people whom you
trust to tell the truth, because few can check it while a case runs. The court's authority signs and
pays the rent of a small account (about 0.0015 SOL), which comes back with "revoke".`,
		Example: `  ojud court proctor admit 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --key court.json
  ojud court proctor admit 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --print --json`,
	}, rulebook.AdmitProctor, "It may commit batches of golden cases, by which judges win and lose.")
}

func newRevokeProctor(a *cli.App) *cobra.Command {
	x := &act{App: a}
	return x.about(&cobra.Command{
		Use:   "revoke ADDRESS",
		Short: "Let a proctor commit no further batches",
		Long: `Revoke takes a proctor's admission back. Batches that it has committed go on: they are opened, may
be challenged, and are applied. The rent goes to whoever paid it.`,
		Example: `  ojud court proctor revoke 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --key court.json`,
	}, rulebook.RevokeProctor, "It may commit no further batches. Those that run go on.")
}

// about returns a command about one proctor.
func (a *act) about(cmd *cobra.Command, plan func(context.Context, *client.Client, onchain.Address) (rulebook.Plan, error), what string) *cobra.Command {
	cmd.Args = cli.Takes(1, "the address of a proctor")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		who, err := cli.Address("the proctor", args[0])
		if err != nil {
			return err
		}
		if who.IsZero() {
			return cli.Usage("the proctor is the zero address, which nobody can sign for")
		}
		return a.run(cmd, func(ctx context.Context, c *client.Client) (rulebook.Plan, error) {
			return plan(ctx, c, who)
		}, question{about: []string{what}})
	}
	return a.add(cmd)
}

func newProctors(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the proctors of the court",
		Long: `List prints the keys that may commit batches of golden cases, and who paid for their admission. With
--json each line is an object.`,
		Example: `  ojud court proctor list --network http://127.0.0.1:8899
  ojud court proctor list --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			get := func(c *client.Client, ctx context.Context) ([]rulebook.Proctor, error) {
				return rulebook.Proctors(ctx, c)
			}
			return cli.ListAll(a, cmd, get, "nobody may commit golden cases here", []string{"PROCTOR", "RENT PAID BY"}, func(p rulebook.Proctor) []string {
				return []string{p.Proctor, p.Payer}
			})
		},
	}
}
