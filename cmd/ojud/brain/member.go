package brain

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/megabrain"
)

// memberCommand is a command about the key's place in a class.
func memberCommand[T any](a *cli.App, cmd *cobra.Command,
	do func(context.Context, *megabrain.Desk, onchain.Address, brain.Role) (T, error), sheet func(T) view.Sheet) *cobra.Command {
	var w work
	cmd = cli.Court(a, cmd)
	w.add(cmd, false)
	of := roleFlag(cmd)
	cmd.Args = cli.Takes(1, "the address of a class")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		class, err := cli.Address("the class", args[0])
		if err != nil {
			return err
		}
		r, err := role(*of)
		if err != nil {
			return err
		}
		return w.with(cmd, a, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, _ *client.Client) error {
			done, err := do(ctx, d, class, r)
			if err != nil {
				return err
			}
			return a.Show(done, sheet(done).Write)
		})
	}
	return cmd
}

func newRegister(a *cli.App) *cobra.Command {
	var stake cli.Amount
	var operator string
	var more bool
	cmd := memberCommand(a, &cobra.Command{
		Use:   "register CLASS --role worker|evaluator --stake AMOUNT",
		Short: "Work or evaluate for a class, with a stake",
		Long: `Register puts a stake of the key's wallet into a class. Workers and evaluators are drawn by stake
and reputation; each task locks a part of the stake. Nobody who shares a key with the requester or
with another seat is drawn. --operator is the key file of who runs the agent; it signs, too.

A key that is registered already is left as it is. --more adds to its stake; a second run with
--more adds again. A key may have both roles.`,
		Example: `  ojud brain register 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --role worker --stake 1sol
  ojud brain register 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --role worker --stake 1sol --more`,
	}, func(ctx context.Context, d *megabrain.Desk, class onchain.Address, r brain.Role) (sent client.Sent, err error) {
		if !stake.Given || stake.Lamports == 0 {
			return sent, cli.Usage("how much is the stake?").Next("add --stake 1sol")
		}
		key, err := cli.Operator(operator)
		if err != nil {
			return sent, err
		}
		var by *client.Client
		if key != nil {
			if by, err = a.OpenAs(ctx, key); err != nil {
				return sent, err
			}
			defer func() { err = errors.Join(err, by.Close()) }()
		}
		return d.Join(ctx, class, r, stake.Lamports, by, more)
	}, view.Sent)
	cmd.Flags().Var(&stake, "stake", "lamports that are put into the class, such as 1sol")
	cmd.Flags().StringVar(&operator, "operator", "", "key file of who runs the agent, if it is another")
	cmd.Flags().BoolVar(&more, "more", false, "add to the stake of a key that is registered")
	return cmd
}

func newLeave(a *cli.App) *cobra.Command {
	return memberCommand(a, &cobra.Command{
		Use:   "leave CLASS --role worker|evaluator",
		Short: "Begin to leave a class",
		Long: `Leave ends the membership of the key. It may still be drawn for tasks that were there before. When
no task holds its stake and the time of a draw is over, "ojud brain withdraw" pays it back.`,
		Example: `  ojud brain leave 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --role worker`,
	}, func(ctx context.Context, d *megabrain.Desk, class onchain.Address, r brain.Role) (client.Sent, error) {
		return d.Leave(ctx, class, r)
	}, view.Sent)
}

func newWithdraw(a *cli.App) *cobra.Command {
	return memberCommand(a, &cobra.Command{
		Use:   "withdraw CLASS --role worker|evaluator",
		Short: "Take what was earned in a class",
		Long: `Withdraw pays what the key earned in this role into its wallet. If it has left the class, its stake
comes back, too.`,
		Example: `  ojud brain withdraw 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --role worker`,
	}, func(ctx context.Context, d *megabrain.Desk, class onchain.Address, r brain.Role) (megabrain.Paid, error) {
		return d.Withdraw(ctx, class, r)
	}, func(p megabrain.Paid) view.Sheet {
		s := append(view.Sent(p.Sent), view.Sheet{{"earned", p.Earned.String()}}...)
		if p.Stake > 0 {
			s.Add("stake", p.Stake.String())
		}
		return s
	})
}
