package main

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
)

func newCaseVerdict(a *app) *cobra.Command {
	var publish bool
	cmd := withTask(&cobra.Command{
		Use:   "verdict TASK",
		Short: "Show or publish the lasting verdict, by which other programs pay",
		Long: `A case and its task can be closed some time after the end. Its verdict stays, if somebody published
it: an account at an address that follows from the task's. Other programs can pay by it
(docs/verdicts.md).

Anybody can publish the verdict of a case that is over, once, as long as task and case are there.
With --publish your key does so, and pays the rent of the account, about 0.002 SOL, which never
comes back. The account cannot say anything else than the case.`,
		Example: `  ojud case verdict 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --publish
  ojud case verdict 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --json | jq -r .account`,
	}, func(cmd *cobra.Command, task onchain.Address) error {
		if !publish {
			return cli.ShowOne(a.App, cmd, cli.PerhapsKey, task, (*client.Client).Verdict, view.Verdict)
		}
		do := func(c *client.Client, ctx context.Context) (client.VerdictDone, error) {
			return client.PublishVerdict(ctx, c, task)
		}
		return cli.Act(a.App, cmd, "publishing the verdict", do, func(d client.VerdictDone) view.Sheet {
			return append(view.Sent(d.Sent), view.Verdict(d.Verdict)...)
		})
	})
	cmd.Flags().BoolVar(&publish, "publish", false, "write the verdict down if nobody has")
	return cmd
}
