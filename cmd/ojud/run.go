package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/view"
	"ojud/node"
)

func newRun(a *app) *cobra.Command {
	var flags nodeFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the judge's node until it is stopped",
		Long: `Run opens the home, says what would keep the node from judging, and judges until SIGINT or SIGTERM. It may be killed
at any time: it goes on where it was, and never signs two votes for one round. One process a home.

Settings come from defaults, then ojud.toml in the home (or --config), then OJUD_SECTION__FIELD, then flags. While the node runs,
the file "api" in the home says where its HTTP API is: /healthz, /metrics, /v1/status, /v1/cases.`,
		Example: `  ojud run
  ojud run --home /srv/ojud --listen /ip4/0.0.0.0/tcp/4600 --log-format json
  OJUD_LEDGER__RPC=https://rpc.example ojud run --set ledger.send.priority_fee=auto`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.homeDir()
			if err != nil {
				return err
			}
			h, err := node.OpenHome(dir)
			if err != nil {
				return err
			}
			return a.judge(cmd.Context(), h, &flags)
		},
	}
	flags.add(a, cmd)
	return cmd
}

// nodeUp is what run says when the node is on the network.
type nodeUp struct {
	Judge     string   `json:"judge"`
	NodeID    string   `json:"agent_id"`
	Network   string   `json:"network"`
	Home      string   `json:"home"`
	Addresses []string `json:"addresses"` // multiaddrs for others' bootstrap
}

// judge runs the node of a home until ctx ends.
func (a *app) judge(ctx context.Context, h node.Home, flags *nodeFlags) (err error) {
	cfg, err := flags.load(a, h)
	if err != nil {
		return err
	}
	log, err := cfg.Log.Logger(a.err)
	if err != nil {
		return err
	}
	deps := node.Deps{Logger: log, Transport: a.transport, Libp2p: a.libp2p}
	findings, err := node.Check(ctx, h, cfg.Node, deps)
	if err != nil {
		return err
	}
	if err := a.findings(a.err, findings, false); err != nil {
		return err
	}
	n, err := node.New(ctx, h, cfg.Node, deps)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	if err := a.sayUp(h, n); err != nil {
		return err
	}
	return n.Run(ctx)
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
	return a.show(up, func(w io.Writer) error {
		s := view.Sheet{{"judge", up.Judge}, {"node", up.NodeID}, {"court", up.Network}, {"home", up.Home}}
		for _, addr := range addrs {
			s.Add("address", addr)
		}
		if len(addrs) == 0 {
			s.Add("address", "none that others can reach yet")
		}
		return s.Write(w)
	})
}

// findings writes what Check found, and fails if the node cannot run like this.
func (a *app) findings(w io.Writer, all []node.Finding, good bool) error {
	fatal := ""
	for _, f := range all {
		if f.Fatal && fatal == "" {
			fatal = f.Name
		}
		if f.OK && !good {
			continue
		}
		word := map[bool]string{true: "ok", false: "not ok"}[f.OK]
		text := fmt.Sprintf("%-6s  %s: %s", word, f.Name, plain(errors.New(f.Detail)))
		if f.Next != "" {
			text += "; " + f.Next
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	if fatal != "" {
		return fail("the node cannot judge like this (%s)", fatal)
	}
	return nil
}
