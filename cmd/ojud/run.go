package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/browse"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/config"
	"ojud/node"
	"ojud/node/doctor"
	"ojud/node/status"
)

func newRun(a *app) *cobra.Command {
	var flags cli.NodeFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the judge's node until it is stopped",
		Long: `Run opens the home, reports obstacles to judging, and judges until SIGINT or SIGTERM. You may kill
it at any time: it continues where it was, and never signs two votes for one round. Only one process
can use a home. The home comes from "ojud init" or "ojud join"; the stake from "ojud judge register"
or "ojud join".

Settings come from defaults, then ojud.toml in the home (or --config), then OJUD_SECTION__FIELD,
then flags. While the node runs, "ojud open" shows its pages, and the file "api" in the home has the
address of its HTTP API: /healthz, /metrics, /v1/status, /v1/cases.`,
		Example: `  ojud run
  ojud run --home /srv/ojud --listen /ip4/0.0.0.0/tcp/4600 --log-format json
  OJUD_LEDGER__RPC=https://rpc.example ojud run --set ledger.send.priority_fee=auto`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, cfg, err := a.homeWith(&flags)
			if err != nil {
				return err
			}
			return a.judge(cmd.Context(), h, cfg, nil)
		},
	}
	flags.Add(a.App, cmd)
	return cmd
}

// nodeUp is the result of run: the node is on the network.
type nodeUp struct {
	Judge     string   `json:"judge"`
	NodeID    string   `json:"agent_id"`
	Network   string   `json:"network"`
	Home      string   `json:"home"`
	Addresses []string `json:"addresses"` // multiaddrs that other nodes can bootstrap from
}

// home opens the node's directory.
func (a *app) home() (node.Home, error) {
	dir, err := a.HomeDir()
	if err != nil {
		return node.Home{}, err
	}
	return node.OpenHome(dir)
}

// homeWith opens the node's directory and gathers its settings.
func (a *app) homeWith(flags *cli.NodeFlags) (h node.Home, cfg config.Config, err error) {
	if h, err = a.home(); err == nil {
		cfg, err = flags.Load(a.App, h)
	}
	return h, cfg, err
}

// judge runs the node of a home until ctx ends. If j is not nil, the home's authority becomes a
// judge first, after everything else that can fail.
func (a *app) judge(ctx context.Context, h node.Home, cfg config.Config, j *joining) (err error) {
	log, err := a.NodeLog(a.Err, cfg.Log)
	if err != nil {
		return err
	}
	deps := doctor.Deps{Node: node.Deps{Logger: log, Transport: a.Transport, Libp2p: a.Libp2p}, Log: log}
	stakes, err := a.ready(ctx, h, cfg.Node, deps, j)
	if err != nil {
		return err
	}
	var who candidate
	if stakes {
		if who, err = a.candidate(ctx, h, cfg.Node, j); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, who.court.Close()) }()
	}
	n, err := node.New(ctx, h, cfg.Node, deps.Node)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	if stakes {
		if err := a.becomeJudge(ctx, h, who); err != nil {
			return err
		}
	}
	if j != nil && j.stay {
		return nil
	}
	if err := a.sayUp(h, n); err != nil {
		return err
	}
	a.Stays.Store(true)
	defer browse.Tell(ctx, a.App, h.Dir)()
	if !stakes {
		defer a.tryModels(ctx, h, cfg.Node, deps)()
	}
	err = n.Run(ctx)
	if err == nil && !a.Quiet {
		_, err = fmt.Fprintln(a.Err, "stopped")
	}
	return err
}

// ready reports what would keep the node from judging, and fails if the node cannot run at all. For
// a new judge it fails more often, because nobody should stake for a node that cannot vote. stakes
// reports whether the authority should become a judge.
func (a *app) ready(ctx context.Context, h node.Home, cfg node.Config, deps doctor.Deps, j *joining) (stakes bool, err error) {
	fatal, doubt := "", ""
	say := func(f status.Finding) error {
		if f.Fatal && fatal == "" {
			fatal = f.Name
		}
		if f.OK && !f.Notice {
			return nil
		}
		if j != nil && !f.OK && !f.Fatal {
			switch f.Name {
			case "funds":
				return nil // becomeJudge handles it
			case "stake":
				stakes = true
				return nil
			case "chain":
				fatal = f.Name
			case "signature":
				if j.signer == "" { // else the operator knows the key
					doubt = f.Name
				}
			}
		}
		return a.finding(a.Err, f)
	}
	ports := doctor.Ports(ctx, cfg)
	if len(ports) > 0 {
		ports = append(doctor.Twin(ctx, h), ports...)
	}
	for _, f := range ports[:min(1, len(ports))] {
		if err := say(f); err != nil {
			return false, err
		}
	}
	if err := say(doctor.Disk(h)); err != nil {
		return false, err
	}
	over := a.Waiting("asking the chain")
	err = doctor.Chain(ctx, h, cfg, deps, say)
	over()
	if stakes && fatal == "" { // a judge that has its stake goes on: absences cost it
		fatal = doubt
	}
	if err == nil && stakes {
		over := a.Waiting("asking the model")
		err = doctor.Models(ctx, h, cfg, deps, func(f status.Finding) error {
			if !f.OK {
				fatal = f.Name
			}
			return say(f)
		})
		over()
	}
	switch {
	case err != nil:
		return false, err
	case fatal != "" && j != nil:
		return false, cli.Fail("the node cannot judge like this (%s), so nothing was staked", fatal)
	case fatal != "":
		return false, cli.Fail("the node cannot judge like this (%s)", fatal)
	}
	return stakes, nil
}

// tryModels asks the models of a judge while its node runs, and reports those that do not answer.
// The returned function ends it.
func (a *app) tryModels(ctx context.Context, h node.Home, cfg node.Config, deps doctor.Deps) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var trying sync.WaitGroup
	trying.Go(func() {
		err := doctor.Models(ctx, h, cfg, deps, func(f status.Finding) error {
			if f.OK || ctx.Err() != nil {
				return nil
			}
			return a.finding(a.Err, f)
		})
		if err != nil && ctx.Err() == nil {
			deps.Log.Warn("the models were not tried", "err", err)
		}
	})
	return func() { cancel(); trying.Wait() }
}

func (a *app) sayUp(h node.Home, n *node.Node) error {
	made, err := describe(h, false)
	if err != nil {
		return err
	}
	addrs, err := n.Addrs()
	if err != nil {
		return err
	}
	up := nodeUp{Judge: made.Judge, NodeID: made.NodeID, Network: made.Network, Home: made.Home, Addresses: addrs}
	return a.Show(up, func(w io.Writer) error {
		s := view.Sheet{{"judge", up.Judge}, {"node", up.NodeID}, {"court", up.Network}, {"home", up.Home}}
		for _, addr := range addrs {
			s.Add("address", addr)
		}
		if len(addrs) == 0 {
			s.Add("address", "none that others can reach yet")
		}
		s.Add("pages", "ojud open --home "+made.Home)
		s.Add("ready", "the node waits for cases; ^C stops it")
		return s.Write(w)
	})
}
