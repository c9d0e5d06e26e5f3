package holdings

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/holdings"
)

// Tokens returns the command "tokens" with all that belong to it.
func Tokens(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "tokens",
		Short: "Keep tokens in an agent's vault: SPL Token and Token-2022",
		Long: `A vault holds tokens in token accounts that the agent's account owns. Anybody can send tokens there,
and only the agent's key takes them out, to its own wallet. A mint is named by its address. Amounts
have the decimals of the mint, such as 1.5.

Rewards, bonds and stakes are SOL. A task may have tokens beside its reward (ojud task pledge).`,
		Example: `  ojud agent tokens deposit 4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU 12.5 --key alice.json
  ojud agent tokens list --key alice.json
  ojud agent tokens withdraw 4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU 2 --key alice.json`,
	})
	cmd.AddCommand(newTokenList(a), newTokenDeposit(a), newTokenWithdraw(a))
	return cmd
}

func newTokenList(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list [AGENT]",
		Short: "List the tokens of an agent's vault",
		Long: `List prints the tokens of the key's own agent, or of the agent with that address, and who may freeze
them. With --json each line is an object.`,
		Example: `  ojud agent tokens list --key alice.json
  ojud agent tokens list 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --json`,
		Args: cli.Takes(0, "an address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			who, err := cli.Address("the agent", cli.First(args...))
			if err != nil {
				return err
			}
			get := func(c *client.Client, ctx context.Context) ([]*holdings.Token, error) {
				if who.IsZero() {
					if who, err = onchain.ParseAddress(c.Me()); err != nil {
						return nil, cli.Usage("whose tokens?").Next("give the address of an agent, or a key with --key")
					}
				}
				return holdings.Tokens(ctx, c, who)
			}
			header := []string{"MINT", "AMOUNT", "PROGRAM", "ACCOUNT", "FROZEN", "FREEZER"}
			return cli.ListAll(a, cmd, get, "the vault has no tokens", header, func(t *holdings.Token) []string {
				return []string{t.Mint.String(), t.Amount, t.Program, t.Account.String(), map[bool]string{true: "frozen"}[t.Frozen], t.Freezer}
			})
		},
	}
}

func newTokenDeposit(a *cli.App) *cobra.Command {
	return transfer(a, &cobra.Command{
		Use:   "deposit MINT AMOUNT",
		Short: "Move tokens from the wallet into the vault",
		Long: `Deposit moves tokens from the wallet's associated token account into the vault's, and waits until
that is final. Each run deposits again. If the vault has no account for the mint yet, the wallet
pays the rent of one, about 0.002 SOL, which stays there.

Mints by which somebody else could take, stop or change what is in the vault are refused: those with
extensions of Token-2022 for transfer hooks, fees, a permanent delegate, confidential amounts,
frozen accounts, pauses, changed amounts, closing, or any that is not known. A mint with a freezer
is taken, and its freezer is shown.`,
		Example: `  ojud agent tokens deposit 4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU 12.5 --key alice.json`,
	}, "depositing the tokens", holdings.Deposit, nil)
}

func newTokenWithdraw(a *cli.App) *cobra.Command {
	from := ""
	cmd := transfer(a, &cobra.Command{
		Use:   "withdraw MINT AMOUNT",
		Short: "Move tokens from the vault to the wallet",
		Long: `Withdraw moves tokens from the vault to the wallet's associated token account, and waits until that
is final. Each run withdraws again. If the wallet has no account for the mint yet, it pays the rent
of one, about 0.002 SOL. Every mint can leave the vault, as far as its own rules let it. Those with
a transfer hook that needs accounts of its own cannot leave by this command.`,
		Example: `  ojud agent tokens withdraw 4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU 2 --key alice.json`,
	}, "withdrawing the tokens", holdings.Withdraw, &from)
	cmd.Flags().StringVar(&from, "from", "", "token account of the vault to take from (default the associated one)")
	return cmd
}

// transfer is a command that moves tokens.
func transfer(a *cli.App, cmd *cobra.Command, what string, move func(context.Context, *client.Client, holdings.Transfer) (holdings.TokenDone, error), from *string) *cobra.Command {
	cmd.Args = cli.Takes(2, "a mint", "an amount")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t := holdings.Transfer{Amount: args[1]}
		var err error
		if t.Mint, err = cli.Address("the mint", args[0]); err != nil {
			return err
		}
		if from != nil {
			if t.From, err = cli.Address("--from", *from); err != nil {
				return err
			}
		}
		return cli.Act(a, cmd, what, func(c *client.Client, ctx context.Context) (holdings.TokenDone, error) {
			return move(ctx, c, t)
		}, tokenSheet)
	}
	return cmd
}

func tokenSheet(d holdings.TokenDone) view.Sheet {
	s := view.Sent(d.Sent)
	if d.Opened {
		s.Add("opened", "a token account, for "+d.Rent.String()+" of rent")
	}
	if t := d.Token; t != nil {
		s.Add("mint", t.Mint.String())
		s.Add("in the vault", t.Amount)
		s.Add("account", t.Account.String())
		if t.Freezer != "" {
			s.Add("freezer", t.Freezer+", who can freeze this account")
		}
	}
	return s
}
