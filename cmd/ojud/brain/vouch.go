package brain

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/megabrain"
)

func newVouch(a *cli.App) *cobra.Command {
	cmd := cli.Court(a, cli.Group(&cobra.Command{
		Use:   "vouch",
		Short: "Stand in for another member of a class, with stake and reputation",
		Long: `A member of a class with golden tasks may stand in for another one, which agrees: the sponsor puts
in a stake and up to a quarter of its reputation, for all that it stands in for together. The
reputation moves, so that a newcomer is drawn more often and the sponsor less often.

If the other stamps, hands nothing in or loses a dispute, the stake goes to the treasury, and the
sponsor loses that share of its record. Either of them ends it; it stands for 30 days more.`,
		Example: `  ojud brain vouch for $CLASS $OTHER --role evaluator --stake 0.1sol --share 2500
  ojud brain vouch agree $CLASS $SPONSOR --role evaluator --key agent.json
  ojud brain vouch end $CLASS $OTHER --role evaluator`,
	}))
	cmd.AddCommand(newVouchFor(a), newVouchAgree(a), newVouchEnd(a))
	return cmd
}

func newVouchFor(a *cli.App) *cobra.Command {
	var stake cli.Amount
	var share int
	cmd := vouchCommand(a, &cobra.Command{
		Use:   "for CLASS AGENT --role worker|evaluator --stake AMOUNT --share BPS",
		Short: "Offer to stand in for another member",
		Long: `For offers to stand in for another member. It pays the stake into the class, and takes the place of
an offer to somebody else, whose stake "ojud brain withdraw" pays back. Nothing counts before the
other agrees. The stake is at least the bond of the class.`,
		Example: `  ojud brain vouch for $CLASS $OTHER --role evaluator --stake 0.1sol --share 2500`,
	}, "the address of the other member", func(ctx context.Context, d *megabrain.Desk, class, agent onchain.Address, r brain.Role) (megabrain.Vouched, error) {
		switch {
		case !stake.Given || stake.Lamports == 0:
			return megabrain.Vouched{}, cli.Usage("how much is the stake?").Next("add --stake 0.1sol")
		case share < 1 || share > brain.MaxVouched:
			return megabrain.Vouched{}, cli.Usage("--share is %d; it is 1 to %d basis points", share, brain.MaxVouched)
		}
		return d.Vouch(ctx, class, agent, r, stake.Lamports, share)
	})
	cmd.Flags().Var(&stake, "stake", "lamports that are lost if the other stamps, such as 0.1sol")
	cmd.Flags().IntVar(&share, "share", brain.MaxVouched, "share of the reputation that moves, in basis points")
	return cmd
}

func newVouchAgree(a *cli.App) *cobra.Command {
	return vouchCommand(a, &cobra.Command{
		Use:   "agree CLASS SPONSOR --role worker|evaluator",
		Short: "Take the offer of a sponsor",
		Long: `Agree takes the offer of a sponsor. A member has one sponsor. Who has one vouches for nobody.
What moves counts from the next draw on.`,
		Example: `  ojud brain vouch agree $CLASS $OTHER --role evaluator`,
	}, "the address of the sponsor", func(ctx context.Context, d *megabrain.Desk, class, sponsor onchain.Address, r brain.Role) (megabrain.Vouched, error) {
		return d.Agree(ctx, class, sponsor, r)
	})
}

func newVouchEnd(a *cli.App) *cobra.Command {
	return vouchCommand(a, &cobra.Command{
		Use:   "end CLASS OTHER --role worker|evaluator",
		Short: "Take an offer back, or end in 30 days what was agreed",
		Long: `End takes back an offer between the key and another member at once. What was agreed stands for 30
days more, and can be lost as long; then "ojud brain withdraw" pays the stake back to the sponsor.
Sponsor and agent both may end it.`,
		Example: `  ojud brain vouch end $CLASS $OTHER --role evaluator`,
	}, "the address of the other member", func(ctx context.Context, d *megabrain.Desk, class, other onchain.Address, r brain.Role) (megabrain.Vouched, error) {
		return d.Release(ctx, class, other, r)
	})
}

// vouchCommand is a command about the key and another member of a class.
func vouchCommand(a *cli.App, cmd *cobra.Command, whom string,
	do func(ctx context.Context, d *megabrain.Desk, class, other onchain.Address, r brain.Role) (megabrain.Vouched, error)) *cobra.Command {
	var other onchain.Address
	cmd = memberCommand(a, cmd, func(ctx context.Context, d *megabrain.Desk, class onchain.Address, r brain.Role) (megabrain.Vouched, error) {
		return do(ctx, d, class, other, r)
	}, func(v megabrain.Vouched) view.Sheet {
		state := "offered"
		switch {
		case v.Ends > 0:
			state = "stands until " + time.Unix(v.Ends, 0).UTC().Format(time.DateTime) + " UTC"
		case v.Agreed:
			state = "agreed"
		}
		return append(view.Sent(v.Sent), view.Sheet{
			{"sponsor", v.Sponsor}, {"agent", v.Agent}, {"stake", v.Stake.String()}, {"share", fmt.Sprintf("%d of 10000", v.Share)}, {"state", state},
		}...)
	})
	return second(cmd, whom, &other)
}

func newLink(a *cli.App) *cobra.Command {
	var agent string
	var near onchain.Address
	cmd := memberCommand(a, &cobra.Command{
		Use:   "link CLASS NEAR --role worker|evaluator",
		Short: "Let a record in a near class count",
		Long: `Link shows where the key's record in a near class is. From the next draw on it counts by a quarter,
as it is then: nothing is copied, and who is frozen there is not drawn here. Anybody may show the
record of another (--agent), because a bad one counts, too.`,
		Example: `  ojud brain link $CLASS $NEAR --role evaluator
  ojud brain link $CLASS $NEAR --role evaluator --agent $OTHER`,
	}, func(ctx context.Context, d *megabrain.Desk, class onchain.Address, r brain.Role) (sent client.Sent, err error) {
		var who onchain.Address
		if agent != "" {
			if who, err = cli.Address("--agent", agent); err != nil {
				return sent, err
			}
		}
		return d.Link(ctx, class, near, who, r)
	}, view.Sent)
	cmd.Flags().StringVar(&agent, "agent", "", "address of the member, if it is another")
	return second(cmd, "the address of a near class", &near)
}

// second lets a command about a class take another address.
func second(cmd *cobra.Command, what string, into *onchain.Address) *cobra.Command {
	run := cmd.RunE
	cmd.Args = cli.Takes(2, "the address of a class", what)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if *into, err = cli.Address(what, args[1]); err != nil {
			return err
		}
		return run(cmd, args[:1])
	}
	return cmd
}
