package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/stake"
	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/node/client"
	"ojud/node/founding"
)

// joinFees is the amount that a judge gets from a faucet for fees, besides the stake.
const joinFees client.Lamports = 1_000_000_000

// joining holds the flags that join has besides those of run.
type joining struct {
	who  stake.Entrant
	stay bool // do not run the node
	// signer has to have signed network.json, if it is not empty.
	signer string
}

func newJoin(a *app) *cobra.Command {
	var flags cli.NodeFlags
	var j joining
	var m mind
	cmd := &cobra.Command{
		Use:   "join URL",
		Short: "Become a judge of a court and judge: init, funds, stake, run in one command",
		Long: `Join makes this machine a judge. It fetches network.json from URL (or a file), makes the home, and
checks disk, ports, settings, keys, model and chain. Only then does it ask the court's faucet for
SOL, if there is one and the wallet needs it, put the stake on the roster, and run the node. It
skips steps that are already done, so the same command starts the node again. A new judge gets its
first seats in the season after, a day later at most; "ojud judge status" says when.

The same steps one by one are "ojud init", "ojud judge register" and "ojud run". Use them if the
stake does not come from a faucet, or if a service manager starts the node.

The stake is at risk: a judge that is absent, or commits a vote and does not reveal it, loses a
little of it, and a judge that signs two votes for one round loses it all. "ojud court rules" prints
how much. You can leave with "ojud judge exit", and get the stake after the cooldown of the court's
rules, which is 2 days by default.

Whoever breaks into the node has its key. Name a key that is elsewhere with --withdraw-key: then
only that key can leave, take the stake and send the rewards somewhere else.`,
		Example: `  ojud join http://127.0.0.1:8899
  ojud join http://court.example/network.json --stake 5sol --home /srv/ojud
  ojud join 127.0.0.1:8899 --persona literal-reader --model-url http://127.0.0.1:8080/v1 \
      --model qwen3-8b
  ojud join network.json --rpc https://rpc.example/?api-key=… --no-run`,
		Args: cli.Takes(1, "the URL or file of network.json"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := j.who.Read(); err != nil {
				return err
			}
			h, _, err := a.makeHome(cmd.Context(), args[0], j.signer)
			if err != nil {
				return err
			}
			if err := m.write(h); err != nil {
				return err
			}
			cfg, err := flags.Load(a.App, h)
			if err != nil {
				return err
			}
			return a.judge(cmd.Context(), h, cfg, &j)
		},
	}
	flags.Add(a.App, cmd)
	m.add(cmd)
	j.who.Add(cmd)
	stake.SignedBy(cmd, &j.signer)
	cmd.Flags().BoolVar(&j.stay, "no-run", false, "do not start the node")
	return cmd
}

// candidate is who is about to become a judge, with what a court refuses checked.
type candidate struct {
	court *client.Client
	as    client.Candidacy
	on    bool // it is on the roster already
}

// candidate checks whether the home's authority may become a judge with the stake that it names,
// and funds it. It comes before the node starts, because a node announces itself to the whole
// court. It uses the node's settings for the chain. Close the court of the candidate.
func (a *app) candidate(ctx context.Context, h node.Home, cfg node.Config, j *joining) (who candidate, err error) {
	log, err := a.Logger()
	if err != nil {
		return who, err
	}
	settings := client.DefaultConfig()
	status := settings.Ledger.Send.Status
	settings.Ledger = cfg.Ledger
	settings.Ledger.WS, settings.Ledger.Send.Status = "off", status
	c, err := client.Open(ctx, h.Descriptor, h.Keys.Authority, settings, client.Deps{Logger: log, Transport: a.Transport})
	if err != nil {
		return who, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	who.court = c
	if who.on, err = c.OnRoster(ctx, onchain.Address{}); who.on || err != nil {
		return who, err
	}
	if err := c.MayJoin(ctx, onchain.Address{}); err != nil { // before the faucet gives anything
		return who, err
	}
	if who.as, err = j.who.Candidacy(ctx, c); err != nil {
		return who, err
	}
	if err := stake.MayEnter(ctx, founding.Entering{Ledger: cfg.Ledger, Signer: j.signer, Judges: []string{h.Keys.Authority.Address().String()}, Transport: a.Transport}, c, who.as); err != nil {
		return who, err
	}
	if err := a.fund(ctx, c, who.as.Stake+joinFees); err != nil {
		return who, err
	}
	have, err := c.Balance(ctx, onchain.Address{})
	if err == nil && have < who.as.Stake {
		err = cli.Fail("%s has %s, and the stake is %s", h.Keys.Authority.Address(), have, who.as.Stake).Next("send SOL to it")
	}
	return who, err
}

// becomeJudge puts a candidate on the roster.
func (a *app) becomeJudge(ctx context.Context, h node.Home, who candidate) error {
	if who.on {
		return nil
	}
	done, err := cli.Wait(ctx, a.App, "joining the roster", func(ctx context.Context) (client.JudgeDone, error) {
		return who.court.Join(ctx, h.Keys, who.as)
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Err, "%s is a judge of %s with a stake of %s\n", done.Judge.Judge, h.Descriptor.Name, done.Judge.Stake)
	return err
}

// fund asks the faucet, if there is one, for the amount that the wallet lacks.
func (a *app) fund(ctx context.Context, c *client.Client, least client.Lamports) error {
	have, err := c.Balance(ctx, onchain.Address{})
	if err != nil || have >= least || !c.Network().Faucet {
		return err
	}
	_, err = cli.Wait(ctx, a.App, "waiting for the faucet", func(ctx context.Context) (client.Airdropped, error) {
		return c.Airdrop(ctx, onchain.Address{}, least-have)
	})
	return err
}
