package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/node/client"
)

func newAirdrop(a *app) *cobra.Command {
	var to string
	cmd := cli.WithAmount(&cobra.Command{
		Use:   "airdrop AMOUNT",
		Short: "Get lamports from the faucet of a test court",
		Long: `Airdrop asks the faucet of a test court for lamports and waits until they are in the wallet of the
key, or of --to. A real court has no faucet.`,
		Example: `  ojud airdrop 10sol --network http://127.0.0.1:8899 --key creator.json
  ojud airdrop 0.5sol --to 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin`,
	}, func(cmd *cobra.Command, much client.Lamports) error {
		wallet, err := cli.Address("--to", to)
		if err != nil {
			return err
		}
		n := cli.WithKey
		if to != "" {
			n = cli.PerhapsKey
		}
		return a.With(cmd, n, func(ctx context.Context, c *client.Client) error {
			got, err := cli.Wait(ctx, a.App, "waiting for the faucet", func(ctx context.Context) (client.Airdropped, error) {
				return c.Airdrop(ctx, wallet, much)
			})
			if err != nil {
				return err
			}
			return a.Show(got, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s has %s\n", got.Address, got.Balance)
				return err
			})
		})
	})
	cmd.Flags().StringVar(&to, "to", "", "address to give it to (default the key's)")
	return cli.Court(a.App, cmd)
}
