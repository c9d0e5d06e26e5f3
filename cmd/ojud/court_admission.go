package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
)

// admissionCommands are those that say who may join a court.
func admissionCommands(a *app) []*cobra.Command {
	all := []*cobra.Command{newAdmit(a), newRevoke(a), newOpen(a), newAdmissions(a)}
	for _, cmd := range all {
		cli.Court(a.App, cmd)
	}
	return all
}

func newAdmit(a *app) *cobra.Command {
	return onList(a, &cobra.Command{
		Use:   "admit ADDRESS",
		Short: "Let a judge join a listed court",
		Long: `A court begins listed or open. A listed court takes only judges that its authority admits: anyone
else could bring a majority of fresh judges. An open court takes anyone with a stake.

Admit lets the judge with this address join, now and whenever it has left. The address is that of
the judge's authority.json; "ojud init" and "ojud doctor" print it. The court's authority signs, and
pays the rent of a small account (about 0.0015 SOL), which comes back with "ojud court revoke".`,
		Example: `  ojud court admit 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --key authority.json
  ojud court admit 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --key devnet/keys/deployer.json \
      --network http://127.0.0.1:8899`,
	}, "admitting the judge", client.Governor.Admit)
}

func newRevoke(a *app) *cobra.Command {
	return onList(a, &cobra.Command{
		Use:   "revoke ADDRESS",
		Short: "Take a judge's admission back",
		Long: `After revoke, the judge cannot join. If it is on the roster already, it stays and is drawn as
before, because an authority that could remove judges could choose the panel of a case. But if it
leaves, it cannot come back.

The rent goes to whoever paid it. In an open court admissions have no use, so anyone may run this to
give the rent back.`,
		Example: `  ojud court revoke 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --key authority.json`,
	}, "revoking the admission", client.Governor.RevokeAdmission)
}

// onList returns a command about one judge of the list.
func onList(a *app, cmd *cobra.Command, what string, do func(client.Governor, context.Context, onchain.Address) (client.AdmissionDone, error)) *cobra.Command {
	cmd.Args = cli.Takes(1, "the address of a judge")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		judge, err := onchain.ParseAddress(args[0])
		if err != nil {
			return cli.Usage("%q is not an address", args[0]).Next("\"ojud doctor\" prints the address of the judge on its machine")
		}
		return cli.Act(a.App, cmd, what, func(c *client.Client, ctx context.Context) (client.AdmissionDone, error) {
			return do(client.Governor{Client: c}, ctx, judge)
		}, view.Admission)
	}
	return cmd
}

func newOpen(a *app) *cobra.Command {
	var agreed bool
	cmd := &cobra.Command{
		Use:   "open",
		Short: "Let anyone join, for ever",
		Long: `Open ends the list of the court: from now on anyone with a stake may join. Nothing lists the court
again, not even its authority, so the command does it only with --yes.

Open a court only if something else keeps a majority of fresh judges out, because a stake alone is
no cost: eight new judges of 10 SOL outweigh 28 of 1 SOL. A court must be open before its authority
can be given up.`,
		Example: `  ojud court open --yes --key authority.json`,
		Args:    cli.Takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !agreed {
			return cli.Fail("the court was not opened: anyone could join it, and it could never be listed again").Next("add --yes to open it for ever")
		}
		return cli.Act(a.App, cmd, "opening the court", func(c *client.Client, ctx context.Context) (client.AdmissionDone, error) {
			return client.Governor{Client: c}.OpenCourt(ctx)
		}, view.Admission)
	}
	cmd.Flags().BoolVar(&agreed, "yes", false, "open it, for ever")
	return cmd
}

func newAdmissions(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "admissions",
		Short: "List the judges that the court admits",
		Long: `Admissions lists the judges that the court's authority admitted, and whether they are on the roster.
A judge can be on the roster without an admission if it was revoked, or if the court is open. With
--json each line is an object.`,
		Example: `  ojud court admissions --network http://127.0.0.1:8899
  ojud court admissions --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			header := []string{"JUDGE", "ON THE ROSTER", "RENT PAID BY"}
			return cli.ListAll(a.App, cmd, (*client.Client).Admissions, "nobody is admitted", header, func(v client.AdmissionView) []string {
				return []string{v.Judge, map[bool]string{true: "yes", false: "no"}[v.Judges], v.Payer}
			})
		},
	}
}
