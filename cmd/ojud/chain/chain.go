// Package chain has the commands that run a Solana cluster of one node on this machine, to develop
// on and to found courts on.
package chain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/ledger"
	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
	"ojud/node/client"
)

// Command returns the command chain.
func Command(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "chain",
		Short: "Run a Solana cluster on this machine, without a court",
		Long: `Chain runs a Solana cluster of one node, on which you deploy programs and found courts. It speaks
Solana's JSON-RPC and websocket, so web3.js, solana-go and Solana's own tools work with it. It has
no value: everybody who reaches it takes SOL from its faucet.`,
		Example: `  ojud chain run --data ./chain
  ojud chain airdrop 10sol --key id.json --create-key`,
	})
	cmd.AddCommand(newRun(a), newAirdrop(a))
	return cmd
}

// runner has the flags of run.
type runner struct {
	*cli.App
	data, host string
	port       int
	finality   int
	warp       bool
}

func newRun(a *cli.App) *cobra.Command {
	r := &runner{App: a}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the cluster until you stop it",
		Long: `Run starts a cluster, prints its URL, and goes on until you press ^C. With --data it keeps the
chain, and a second start continues it. Programs are deployed by the upgradeable loader, as on the
public clusters: "ojud court create" does so, and "solana program deploy" of Solana's tools.

With --warp, programs move its clock forward (method devnet_warp), and nothing ever moves it back:
all deadlines of a court pass. Pages of other sites in a browser read the chain, and neither move
the clock nor take from the faucet.

It has no validators that vote: a block is confirmed at once, and final after as many blocks as
--finality says. The main cluster takes 32.`,
		Example: `  ojud chain run --data ./chain
  ojud chain run --rpc-port 9899 --finality 32`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return r.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&r.data, "data", "", "directory that keeps the chain (default: in memory)")
	flags.StringVar(&r.host, "host", "127.0.0.1", "IP address of this machine on which it listens")
	flags.IntVar(&r.port, "rpc-port", 8899, "port of JSON-RPC; the websocket has the next one; 0: free ones")
	flags.BoolVar(&r.warp, "warp", false, "let programs move the clock forward (devnet_warp)")
	flags.IntVar(&r.finality, "finality", bank.DefaultConfig().FinalityBlocks, "blocks after which a block is final")
	return cmd
}

// config checks the flags.
func (r *runner) config() (devnet.Config, error) {
	c := devnet.DefaultConfig()
	if ip, err := netip.ParseAddr(r.host); err != nil || ip.Zone() != "" || ip.Is4In6() || ip.IsUnspecified() || ip.IsMulticast() {
		return c, cli.Usage("--host %q is not an IP address of one machine", r.host).Next("leave it out, or take an address of this machine that others can reach")
	}
	if r.port < 0 || r.port > 65534 {
		return c, cli.Usage("--rpc-port %d is not between 0 and 65534", r.port)
	}
	c.RPC, c.Chain.Dir, c.Chain.FinalityBlocks, c.NoWarp = net.JoinHostPort(r.host, strconv.Itoa(r.port)), r.data, r.finality, !r.warp
	if r.port == 0 {
		c.WS = net.JoinHostPort(r.host, "0")
	}
	if err := c.Validate(); err != nil {
		return c, cli.Usage("%s", cli.Plain(err))
	}
	return c, nil
}

// running is what the command prints.
type running struct {
	RPC     string `json:"rpc"`
	WS      string `json:"ws"`
	Genesis string `json:"genesis"`
}

func (r *runner) run(ctx context.Context) (err error) {
	cfg, err := r.config()
	if err != nil {
		return err
	}
	log, err := r.LoggerTo(r.Err, "error")
	if err != nil {
		return err
	}
	r.Stays.Store(true)
	server, err := devnet.New(cfg, devnet.Deps{Logger: log})
	if err != nil {
		return cli.Fail("the chain did not start: %s", cli.Plain(err))
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	shown := make(chan error, 1)
	err = server.Serve(ctx, func(rpc, ws net.Addr) {
		v := running{"http://" + rpc.String(), "ws://" + ws.String(), server.Bank().GenesisHash().String()}
		shown <- r.Show(v, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "The chain is at %s (end this with Ctrl-C).\nGet SOL with: ojud chain airdrop 10sol --key id.json --create-key --rpc %s\n", v.RPC, v.RPC)
			return err
		})
	})
	select {
	case told := <-shown:
		return errors.Join(err, told)
	default:
		return cli.Fail("the chain did not start: %s", cli.Plain(err)).Next("if the port is in use, take another one with --rpc-port")
	}
}

// giver has the flags of airdrop.
type giver struct {
	*cli.App
	rpc, to, key string
	create       bool
}

func newAirdrop(a *cli.App) *cobra.Command {
	g := &giver{App: a}
	cmd := cli.WithAmount(&cobra.Command{
		Use:   "airdrop AMOUNT",
		Short: "Get SOL from the faucet of a cluster, before there is a court",
		Long: `Airdrop asks a cluster's faucet for SOL and waits until it is there. It needs no court. The chain of
"ojud chain run" has a faucet, and so has Solana's devnet, but not the main cluster. --create-key
makes the key file if it is not there.`,
		Example: `  ojud chain airdrop 10sol --key id.json --create-key
  ojud chain airdrop 1sol --to 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin`,
	}, func(cmd *cobra.Command, much client.Lamports) error { return g.give(cmd.Context(), much) })
	flags := cmd.Flags()
	flags.StringVar(&g.rpc, "rpc", "http://127.0.0.1:8899", "URL or HOST:PORT of a Solana RPC node of the cluster")
	flags.StringVar(&g.to, "to", "", "address to give it to (default the key's)")
	flags.StringVar(&g.key, "key", "", "key file whose address gets it")
	flags.BoolVar(&g.create, "create-key", false, "make the key file if there is none")
	return cmd
}

// given is what airdrop prints.
type given struct {
	Address string          `json:"address"`
	Balance client.Lamports `json:"balance"`
}

func (g *giver) wallet() (onchain.Address, error) {
	switch {
	case (g.to == "") == (g.key == ""):
		return onchain.Address{}, cli.Usage("say who gets it: either --key or --to").Next("ojud chain airdrop 10sol --key id.json --create-key")
	case g.to != "":
		return cli.Address("--to", g.to)
	case g.create:
		g.Key = g.key
		if err := g.CreateKey(); err != nil {
			return onchain.Address{}, err
		}
	}
	key, err := client.LoadKey(g.key)
	if err != nil {
		return onchain.Address{}, cli.Fail("%s", cli.Plain(err)).Next("make one with --create-key")
	}
	return key.Address(), nil
}

func (g *giver) give(ctx context.Context, much client.Lamports) error {
	to, err := g.wallet()
	if err != nil {
		return err
	}
	cfg := ledger.DefaultConfig()
	cfg.RPC = client.URL(g.rpc)
	c, err := ledger.New(cfg, onchain.ClockAccount(), ledger.Deps{Transport: g.Transport}) // no program is asked
	if err != nil {
		return err
	}
	defer c.Close()
	got, err := cli.Wait(ctx, g.App, "waiting for the faucet", func(ctx context.Context) (out given, err error) {
		sig, err := c.Airdrop(ctx, to, uint64(much))
		if err == nil {
			_, err = c.Await(ctx, sig)
		}
		if err != nil {
			return out, err
		}
		has, _, err := c.Balance(ctx, to)
		return given{to.String(), client.Lamports(has)}, err
	})
	if err != nil {
		return err
	}
	return g.Show(got, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s has %s\n", got.Address, got.Balance)
		return err
	})
}
