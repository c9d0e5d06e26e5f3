package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

// profileFlags are what an agent says about itself.
type profileFlags struct{ operator, card string }

func (p *profileFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.operator, "operator", "", "address of whoever runs the agent: its judges are never drawn into the agent's cases")
	cmd.Flags().StringVar(&p.card, "card", "", "file of the agent's card, whose SHA-256 is put on the chain")
}

func (p *profileFlags) profile() (out client.Profile, err error) {
	if out.Operator, err = address("--operator", p.operator); err != nil || p.card == "" {
		return out, err
	}
	card, err := client.Exhibit(p.card)
	out.CardHash = card.Hash
	return out, err
}

func newAgentRegister(a *app) *cobra.Command {
	var profile profileFlags
	var deposit amount
	var create, drop bool
	cmd := &cobra.Command{
		Use:   "register",
		Short: "Make a key an agent, with a first deposit",
		Long: `Register makes the agent account of the key. --deposit moves lamports from the wallet into the vault in the same transaction;
when the key is registered already, it deposits what the vault lacks of the amount, so that the command may be repeated.
--create-key makes the key file if there is none; --airdrop asks the faucet of a test court for the deposit and 1 SOL for fees if
the wallet has less.`,
		Example: `  ojud agent register --create-key --airdrop --deposit 5sol --key creator.json --network http://127.0.0.1:8899
  ojud agent register --key ~/.config/solana/id.json --operator 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin`,
		Args: takes(0),
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		p, err := profile.profile()
		if err != nil {
			return err
		}
		if create {
			if err := a.createKey(); err != nil {
				return err
			}
		}
		return a.agentDeed(cmd, "registering the agent", func(ctx context.Context, c *client.Client) (client.AgentDone, error) {
			if drop {
				if err := a.fund(ctx, c, deposit.Lamports+joinFees); err != nil {
					return client.AgentDone{}, err
				}
			}
			return c.Register(ctx, p, deposit.Lamports)
		})
	}
	profile.add(cmd)
	cmd.Flags().Var(&deposit, "deposit", "first deposit into the vault, as 5sol")
	cmd.Flags().BoolVar(&create, "create-key", false, "make the key file if there is none")
	cmd.Flags().BoolVar(&drop, "airdrop", false, "get what is missing from the faucet of a test court")
	return cmd
}

// createKey makes the key file if there is none, and says so.
func (a *app) createKey() error {
	path, _, err := a.keyPath()
	if err != nil {
		return err
	}
	key, created, err := client.LoadOrCreateKey(path)
	if err != nil || !created {
		return err
	}
	_, err = fmt.Fprintf(a.err, "made the key %s in %s; who has lost this file has lost what the key holds\n", key.Address(), path)
	return err
}
