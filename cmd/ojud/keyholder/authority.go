package keyholder

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/rulebook"
)

func newAuthority(a *cli.App) *cobra.Command {
	cmd := cli.Court(a, cli.Group(&cobra.Command{
		Use:   "authority",
		Short: "Show, hand over or give up the authority over a court",
		Long: `The authority over a court may announce rules, pause it, and hand itself over. It cannot touch a
stake, a vault, a task or a case. It is one address: a key, or an account of a multisig program.

It is handed over in two steps, so a mistyped address costs nothing: the present authority offers
it, and the new one accepts it.`,
		Example: `  ojud court authority show
  ojud court authority hand-over 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --key court.json`,
	}))
	cmd.AddCommand(newShow(a), newHandOver(a), newAccept(a), newGiveUp(a))
	return cmd
}

func keysSheet(k rulebook.Keys) view.Sheet {
	s := view.Sheet{{"court", k.Court}, {"program", k.Program}}
	s.Add("authority", cli.First(k.Authority, "nobody, for ever: the rules stay as they are"))
	s.Add("offered to", k.Pending)
	joining := "open: anyone with a stake may join"
	if k.Listed {
		joining = "listed: only those whom the authority admits may join"
	}
	s.Add("judges", joining)
	state := "no"
	if k.Paused {
		state = "yes: no new tasks, claims and judges; all else goes on"
	}
	s.Add("paused", state)
	return s
}

func newShow(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Show who has the authority, who may join, and whether the court is paused",
		Long: `Show prints the authority over the court, to whom it is offered, whether the court is listed or
open, and whether it is paused. It needs no key. Who may replace the program itself is another key;
docs/keyholder.md says how to look.`,
		Example: `  ojud court authority show --network http://127.0.0.1:8899
  ojud court authority show --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
				k, err := rulebook.ReadKeys(ctx, c)
				if err != nil {
					return err
				}
				return a.Show(k, keysSheet(k).Write)
			})
		},
	}
}

func newHandOver(a *cli.App) *cobra.Command {
	x, withdraw := &act{App: a}, false
	cmd := &cobra.Command{
		Use:   "hand-over ADDRESS",
		Short: "Offer the authority to another key, which then accepts it",
		Long: `Hand-over offers the authority to an address. Until that address accepts, the authority stays where
it is, and another offer replaces this one. --withdraw takes an offer back.`,
		Example: `  ojud court authority hand-over 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --key court.json
  ojud court authority hand-over --withdraw --key court.json`,
		Args: cli.Takes(0, "the address of the new authority"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if withdraw == (len(args) == 1) {
			return cli.Usage("authority hand-over needs either an address or --withdraw").Next("see: ojud court authority hand-over --help")
		}
		to := onchain.Address{}
		about := "Nobody may accept the authority then."
		if !withdraw {
			var err error
			if to, err = cli.Address("the new authority", args[0]); err != nil {
				return err
			}
			if to.IsZero() {
				return cli.Usage("the new authority is the zero address, which nobody can sign for").Next("to withdraw an offer: ojud court authority hand-over --withdraw")
			}
			about = "When " + to.String() + " accepts, it alone has the authority, and this key has none."
		}
		return x.run(cmd, func(ctx context.Context, c *client.Client) (rulebook.Plan, error) {
			return rulebook.HandOver(ctx, c, to)
		}, question{about: []string{about}})
	}
	cmd.Flags().BoolVar(&withdraw, "withdraw", false, "take the offer back")
	return x.add(cmd)
}

func newAccept(a *cli.App) *cobra.Command {
	x := &act{App: a}
	return x.add(&cobra.Command{
		Use:   "accept",
		Short: "Accept the authority that was offered to the key",
		Long: `Accept takes the authority over the court. The key must be the one to which it was offered. If that
is an account of a multisig program, --print prints what the multisig has to sign.`,
		Example: `  ojud court authority accept --key next.json
  ojud court authority accept --print --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return x.run(cmd, rulebook.Accept, question{about: []string{"This key alone has the authority then. Keep a backup of it: nobody can restore it."}})
		},
	})
}

func newGiveUp(a *cli.App) *cobra.Command {
	x := &act{App: a}
	return x.add(&cobra.Command{
		Use:   "give-up",
		Short: "Leave the court without an authority, for ever",
		Long: `Give-up leaves the court without an authority, for ever. Nobody can undo it: no key can announce
rules, pause the court or get the authority any more. A version of the rules that is announced
already still takes effect. A paused court refuses it, because it would stay paused for ever, and a
listed court, because nobody could admit judges any more.

It asks for the court's name, or takes --yes. It does not make the program immutable; that is
another key (docs/keyholder.md).`,
		Example: `  ojud court authority give-up --key court.json
  ojud court authority give-up --print`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return x.run(cmd, rulebook.GiveUp, question{byName: true, about: []string{
				"This cannot be undone, by anybody, ever.",
				"No key can announce rules, pause the court or get the authority any more. An announced version still takes effect.",
			}})
		},
	})
}
