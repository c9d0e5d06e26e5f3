package cli

import (
	"context"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
)

// Act runs an action with the key and shows its result.
func Act[T any](a *App, cmd *cobra.Command, what string, do func(*client.Client, context.Context) (T, error), sheet func(T) view.Sheet) error {
	return a.With(cmd, WithKey, func(ctx context.Context, c *client.Client) error {
		done, err := Wait(ctx, a, what, func(ctx context.Context) (T, error) { return do(c, ctx) })
		if err != nil {
			return err
		}
		return a.Show(done, sheet(done).Write)
	})
}

// ListAll lists something of the court. The text none says that there is nothing.
func ListAll[T any](a *App, cmd *cobra.Command, get func(*client.Client, context.Context) ([]T, error), none string, header []string, row func(T) []string) error {
	return a.With(cmd, PerhapsKey, func(ctx context.Context, c *client.Client) error {
		all, err := get(c, ctx)
		if err != nil {
			return err
		}
		return List(a, all, none, header, row)
	})
}

// WithAmount returns a command whose argument is an amount.
func WithAmount(cmd *cobra.Command, run func(*cobra.Command, client.Lamports) error) *cobra.Command {
	cmd.Args = Takes(1, "an amount")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		much, err := Lamports("the amount", args[0])
		if err != nil {
			return err
		}
		return run(cmd, much)
	}
	return cmd
}

// ShowOne gets one account from the court and shows it.
func ShowOne[T any](a *App, cmd *cobra.Command, n Need, address onchain.Address,
	get func(*client.Client, context.Context, onchain.Address) (T, error), sheet func(T) view.Sheet) error {
	return a.With(cmd, n, func(ctx context.Context, c *client.Client) error {
		v, err := get(c, ctx, address)
		if err != nil {
			return err
		}
		return a.Show(v, sheet(v).Write)
	})
}

// ShowMine returns a command that shows the key's own account, or that of an address.
func ShowMine[T any](a *App, cmd *cobra.Command, what string,
	get func(*client.Client, context.Context, onchain.Address) (T, error), sheet func(T) view.Sheet) *cobra.Command {
	cmd.Args = Takes(0, "an address")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		who, err := Address(what, First(args...))
		if err != nil {
			return err
		}
		return ShowOne(a, cmd, Need(len(args) == 0), who, get, sheet)
	}
	return cmd
}
