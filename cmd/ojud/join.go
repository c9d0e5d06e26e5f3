package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"ojud/node"
	"ojud/node/client"
)

// joinFees is what a judge should have beside its stake when a faucet gives it.
const joinFees client.Lamports = 1_000_000_000

func newJoin(a *app) *cobra.Command {
	var flags nodeFlags
	var stake amount
	var operator string
	var stay bool
	var m mind
	cmd := &cobra.Command{
		Use:   "join URL",
		Short: "Become a judge of a court and judge: init, funds, stake, run",
		Long: `Join does all that makes this machine a judge: it fetches network.json from URL (or a file), makes the home, asks the
court's faucet for lamports if there is one and the wallet is too empty, puts the stake on the roster, and runs the node. What is
done already is skipped, so the same command starts the node again.

The stake is at risk: an absent judge and one that votes against the majority lose a little of it, one that signs two votes for
one round loses it all. It can leave after a cooldown: ojud judge exit.`,
		Example: `  ojud join http://127.0.0.1:8899
  ojud join http://court.example/network.json --stake 5sol --home /srv/ojud
  ojud join http://127.0.0.1:8899 --persona literal-reader --model-url http://127.0.0.1:8080/v1 --model qwen3-8b
  ojud join network.json --no-run`,
		Args: takes(1, "the URL or file of network.json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			runsBy, err := address("--operator", operator)
			if err != nil {
				return err
			}
			h, _, err := a.makeHome(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := m.write(h); err != nil {
				return err
			}
			if err := a.becomeJudge(cmd.Context(), h, stake, runsBy); err != nil || stay {
				return err
			}
			return a.judge(cmd.Context(), h, &flags)
		},
	}
	flags.add(a, cmd)
	m.add(cmd)
	cmd.Flags().Var(&stake, "stake", "what to put at stake, as 2sol (default the least that the court takes)")
	cmd.Flags().StringVar(&operator, "operator", "", "address of whoever runs this node, if it also runs agents (it is never drawn into their cases)")
	cmd.Flags().BoolVar(&stay, "no-run", false, "do not start the node")
	return cmd
}

// becomeJudge gets the home's authority onto the roster.
func (a *app) becomeJudge(ctx context.Context, h node.Home, stake amount, operator solana.PublicKey) (err error) {
	log, err := a.logger()
	if err != nil {
		return usage("%v", err)
	}
	c, err := client.Open(ctx, h.Descriptor, h.Keys.Authority, client.DefaultConfig(), client.Deps{Logger: log, Transport: a.transport})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if on, err := c.OnRoster(ctx, solana.PublicKey{}); on || err != nil {
		return err
	}
	if !stake.set {
		if stake.Lamports, err = c.MinStake(ctx); err != nil {
			return err
		}
	}
	if err := a.fund(ctx, c, stake.Lamports+joinFees); err != nil {
		return err
	}
	done, err := wait(ctx, a, "joining the roster", func(ctx context.Context) (client.JudgeDone, error) {
		return c.Join(ctx, h.Keys, operator, stake.Lamports)
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.err, "%s is a judge of %s with a stake of %s\n", done.Judge.Judge, h.Descriptor.Name, done.Judge.Stake)
	return err
}

// fund asks the faucet for what the wallet lacks, if there is one.
func (a *app) fund(ctx context.Context, c *client.Client, least client.Lamports) error {
	have, err := c.Balance(ctx, solana.PublicKey{})
	if err != nil || have >= least || !c.Network().Faucet {
		return err
	}
	_, err = wait(ctx, a, "waiting for the faucet", func(ctx context.Context) (client.Airdropped, error) {
		return c.Airdrop(ctx, solana.PublicKey{}, least-have)
	})
	return err
}
