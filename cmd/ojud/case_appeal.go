package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
)

func newCaseAppeal(a *app) *cobra.Command {
	var agreed bool
	cmd := withTask(&cobra.Command{
		Use:   "appeal CASE",
		Short: "Ask judges that did not sit to hear a case again",
		Long: `Appeal is for the party that the first panel decided against. If that panel decided nothing, it is
for the party that gets nothing by the term of the task, and with split for both. It can appeal
once, until the time that "case show" prints. At least 7 and at most 28 judges that did not sit hear
the case again, and their verdict is final. If they decide nothing, the first verdict or the term
stands.

Without --yes it only says what an appeal takes and can bring, and sends nothing. The bond is the
fees of 28 judges. It comes from the vault, and comes back if the verdict changes. If more than two
thirds of the appeal vote the other way, each judge of the first panel that voted for the old
verdict is slashed.`,
		Example: `  ojud case appeal 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key worker.json
  ojud case appeal 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --yes --key worker.json`,
	}, func(cmd *cobra.Command, task onchain.Address) error {
		return a.With(cmd, cli.WithKey, func(ctx context.Context, c *client.Client) error {
			if !agreed {
				v, err := client.ReviewAppeal(ctx, c, task)
				if err != nil {
					return err
				}
				if err := a.Show(v, view.Appeal(v).Write); err != nil {
					return err
				}
				return cli.Fail("nothing was sent").Next("add --yes to appeal")
			}
			done, err := cli.Wait(ctx, a.App, "appealing", func(ctx context.Context) (client.AppealDone, error) { return client.Appeal(ctx, c, task) })
			if err != nil {
				return err
			}
			return a.Show(done, func(w io.Writer) error {
				s := append(view.Sent(done.Sent), view.Appeal(done.Appeal)...)
				s.Add("now", done.Now.What)
				return s.Write(w)
			})
		})
	})
	cmd.Flags().BoolVar(&agreed, "yes", false, "appeal")
	return cmd
}

func newCaseWaive(a *app) *cobra.Command {
	return onTask(a, &cobra.Command{
		Use:   "waive CASE",
		Short: "Give your appeal up, so that the verdict is final at once",
		Long: `Waive makes the verdict of the first panel final, and its money moves at once. Only the party that
the verdict is against can do it before the time to appeal is over, and no one if the case is
undecided and its term is split, because that is against both. After that time anybody can, and the
nodes of judges do.`,
		Example: `  ojud case waive 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key creator.json`,
	}, "making the verdict final", func(c *client.Client, ctx context.Context, task onchain.Address) (client.TaskDone, error) {
		return client.Waive(ctx, c, task)
	})
}
