package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ojud/node/cluster"
)

// Ports of a devnet that stays up: the RPC port of solana-test-validator, and one for the first node. A demo takes free ones.
const (
	devnetRPC = 8899
	devnetP2P = 4700
)

// devnet is the flags of a devnet.
type devnet struct {
	app                            *app
	demo, fast, warp               bool
	nodes                          int
	absent, contrary, equivocating int
	data                           string
	rpc, p2p                       int
	commit, reveal                 time.Duration
}

func newDevnet(a *app) *cobra.Command {
	d := &devnet{app: a}
	cmd := &cobra.Command{
		Use:   "devnet",
		Short: "Run a whole court on this machine: a Solana chain, its program, and judges",
		Long: `devnet runs an embedded Solana chain with the oju program and the nodes of its judges, all in this process.

It stays up until it is interrupted, and tells what happens on the chain. Others join with "ojud join URL" as it prints. With
--demo a creator and a worker fight over a task, the court decides, and it ends: with 0 if the case file verifies.

--absent, --contrary and --equivocating make the last judges misbehave, so that slashes can be seen.`,
		Example: `  ojud devnet --demo --fast
  ojud devnet --demo --fast --absent 5 --contrary 4
  ojud devnet --fast --data ./devnet
  ojud devnet --nodes 0`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if d.demo && !cmd.Flags().Changed("rpc-port") {
				d.rpc = 0
			}
			if d.demo && !cmd.Flags().Changed("p2p-port") {
				d.p2p = 0
			}
			return d.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&d.demo, "demo", false, "settle one dispute, then end")
	flags.IntVar(&d.nodes, "nodes", cluster.DefaultConfig().Nodes, "number of judges; 0: the chain alone")
	flags.BoolVar(&d.fast, "fast", false, "a court of seconds: 12 s to commit, 8 s to reveal")
	flags.BoolVar(&d.warp, "warp", false, "the main network's times, with a clock that is moved when the demo only waits")
	flags.StringVar(&d.data, "data", "", "directory that keeps everything; a second start goes on (default a new temporary one)")
	flags.IntVar(&d.rpc, "rpc-port", devnetRPC, "port of JSON-RPC; the websocket has the next one; 0: free ones (default with --demo)")
	flags.IntVar(&d.p2p, "p2p-port", devnetP2P, "TCP port of the first node; 0: a free one (default with --demo)")
	flags.DurationVar(&d.commit, "commit", 0, "time to commit of a new court (default 7m, 12s with --fast)")
	flags.DurationVar(&d.reveal, "reveal", 0, "time to reveal of a new court (default 3m, 8s with --fast)")
	flags.IntVar(&d.absent, "absent", 0, "judges that are staked but not there")
	flags.IntVar(&d.contrary, "contrary", 0, "judges that say the opposite of what they think")
	flags.IntVar(&d.equivocating, "equivocating", 0, "judges that sign two different statements")
	return cmd
}

// config is the cluster that the flags ask for.
func (d *devnet) config() (cluster.Config, error) {
	c := cluster.DefaultConfig().Sized(d.nodes)
	switch {
	case d.fast && d.warp:
		return c, usage("--fast and --warp exclude each other").next("take --fast for a court of seconds, --warp for the main network's times")
	case d.demo && d.nodes == 0:
		return c, usage("without judges nobody decides the demo's dispute").next("leave --nodes out, or set it to 1 or more")
	case d.rpc < 0 || d.rpc > 65534 || d.p2p < 0 || d.p2p > 65535:
		return c, usage("a port is between 0 and 65535").next("leave --rpc-port and --p2p-port out to take the usual ones")
	case d.fast:
		c = c.Fast()
	case d.warp:
		c = c.Warped()
	}
	c = c.Rounds(d.commit, d.reveal)
	c.Dir = d.data
	c.Absent, c.Contrary, c.Equivocating = d.absent, d.contrary, d.equivocating
	c.Chain.RPC, c.Chain.WS = net.JoinHostPort("127.0.0.1", strconv.Itoa(d.rpc)), ""
	if d.rpc == 0 {
		c.Chain.WS = "127.0.0.1:0" // the port after a free one may be taken
	}
	c.P2P = net.JoinHostPort("127.0.0.1", strconv.Itoa(d.p2p))
	return c, nil
}

func (d *devnet) run(ctx context.Context) (err error) {
	cfg, err := d.config()
	if err != nil {
		return err
	}
	log, err := d.app.logger()
	if err != nil {
		return usage("%v", err)
	}
	if cfg.Dir, err = d.dir(cfg); err != nil {
		return err
	}
	t := newTeller(d.app)
	t.say("Everything is kept in %s.", cfg.Dir)
	c, err := cluster.Start(ctx, cfg, cluster.Deps{Logger: log, Tell: t.tell})
	if err != nil {
		return d.ended(ctx, err)
	}
	defer func() { err = errors.Join(err, c.Stop(), t.fault()) }()
	if d.demo {
		return t.demo(ctx, c)
	}
	t.say("Join with: ojud join %s/network.json (end this with Ctrl-C).", c.Chain().RPC())
	return c.Wait(ctx)
}

// dir is where everything is kept. Nothing is made for a wrong command line.
func (d *devnet) dir(cfg cluster.Config) (string, error) {
	if d.data == "" {
		cfg.Dir = os.TempDir()
	}
	if err := cfg.Validate(); err != nil {
		return "", usage("%s", plain(err))
	}
	if d.data != "" {
		return d.data, nil
	}
	return os.MkdirTemp("", "ojud-devnet-")
}

// ended is nil if a person interrupted the start of a devnet that was to stay up.
func (d *devnet) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && !d.demo {
		return nil
	}
	return fmt.Errorf("the devnet did not start: %w", err)
}
